/// The damage that nothing can or need notice, provided that every answer is right.
enum UnnoticedDamage {
  static func isAllowed(
    in name: String, _ damaged: [UInt8], of whole: [UInt8], _ unfinishedByteCount: Int
  ) -> Bool {
    // LOCK says nothing about the store: its first byte only asks for the journal to be written
    // anew, and the rest is ballast.
    if name.hasSuffix("LOCK") { return true }
    // Bytes behind the last commit are a write that was cut short, and are reported as such.
    return name.contains("journal-") && damaged.starts(with: whole)
      && unfinishedByteCount == damaged.count - whole.count
  }
}
