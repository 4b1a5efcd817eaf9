import EmbeddingTestSupport

/// Damages the files of a closed store and expects it to say so.
///
/// Of a small store: every bit flipped, every length, bytes added, files of other stores and
/// times in their place. Of a larger one: bits, stretches and pages at random.
struct DamageCampaign: Campaign {
  let name = "damage"
  let purpose = "flip every bit of a small store, cut and mix its files, damage a larger one"
  let unit = "damages"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 3_000
    case .push: 200_000
    case .release: 1_200_000
    }
  }

  func run(_ run: CampaignRun) throws {
    let small = try DamageSubject(recordCount: 2)
    // The first random damages come early, so that a short run has some of them.
    try damageAtRandom(try DamageSubject(recordCount: 3_000), min(run.count / 20, 10_000), run)
    let other = try DamageSubject(recordCount: 2, marked: "'")
    replaceFiles(of: small, bySome: other.image, of: "another store", run)
    replaceFiles(of: small, bySome: small.earlier, of: "another time", run)
    cutAndExtend(small, run)
    flipEveryBit(of: small, run)
    if run.isFinished { return }
    run.note("every bit and length of \(small.names.count) files: \(run.tried) damages")
    try damageAtRandom(try DamageSubject(recordCount: 3_000), run.count, run)
  }

  /// Judges one damage to a file.
  private func judge(
    _ subject: DamageSubject, _ name: String, _ bytes: [UInt8], _ run: CampaignRun,
    _ damage: () -> String
  ) {
    guard bytes != subject.bytes(of: name) else { return }
    switch subject.outcome(on: subject.image(replacing: name, by: bytes)) {
    case .noticed: break
    case .unnoticed(let unfinishedByteCount):
      let mayBe = UnnoticedDamage.isAllowed(
        in: name, bytes, of: subject.bytes(of: name), unfinishedByteCount)
      if !mayBe { run.found("\(name), \(damage()): nobody notices.") }
    case .wrong(let problem): run.found("\(name), \(damage()): \(problem)")
    }
    run.tried()
  }

  private func flipEveryBit(of subject: DamageSubject, _ run: CampaignRun) {
    for name in subject.names {
      let bytes = subject.bytes(of: name)
      // LOCK holds nothing but its first byte, so that its others are all alike.
      let count = name.hasSuffix("LOCK") ? min(64, bytes.count) : bytes.count
      run.onEveryCore(count) { offset in
        for bit in 0..<8 {
          var damaged = bytes
          damaged[offset] ^= 1 << bit
          judge(subject, name, damaged, run) { "bit \(bit) of byte \(offset) flipped" }
        }
      }
    }
  }

  private func cutAndExtend(_ subject: DamageSubject, _ run: CampaignRun) {
    for name in subject.names {
      let bytes = subject.bytes(of: name)
      let lengths = name.hasSuffix("LOCK") ? min(64, bytes.count) : bytes.count
      run.onEveryCore(lengths) { length in
        judge(subject, name, Array(bytes[..<length]), run) { "cut to \(length) bytes" }
      }
      for added in [1, 7, 8, 40, 64, 4_096] {
        for byte: UInt8 in [0, 0xa5] {
          judge(subject, name, bytes + [UInt8](repeating: byte, count: added), run) {
            "\(added) bytes \(byte) added"
          }
        }
        judge(subject, name, bytes + bytes.prefix(added), run) { "\(added) own bytes added" }
      }
    }
  }

  /// Puts files of another image in the place of some, but not of all.
  private func replaceFiles(
    of subject: DamageSubject, bySome other: DiskImage, of origin: String, _ run: CampaignRun
  ) {
    let names = subject.names.filter { !$0.hasSuffix("LOCK") }
    for chosen in 1..<(1 << names.count) - 1 {
      var image = subject.image
      for (index, name) in names.enumerated() where chosen >> index & 1 == 1 {
        guard let file = image.names[name] else { continue }
        image.contents[file] = subject.bytes(ofKindOf: name, in: other)
      }
      let outcome = subject.outcome(on: image)
      if outcome != .noticed {
        run.found("Files \(chosen) of \(names) are those of \(origin): \(outcome)")
      }
      run.tried()
    }
  }

  private func damageAtRandom(
    _ subject: DamageSubject, _ count: Int, _ run: CampaignRun
  ) throws {
    let names = subject.names.filter { !$0.hasSuffix("LOCK") }
    run.onEveryCore(count) { number in
      var generator = run.generator(number)
      guard let name = names.randomElement(using: &generator) else { return }
      let damage = RandomDamage(using: &generator, byteCount: subject.bytes(of: name).count)
      judge(subject, name, damage.applied(to: subject.bytes(of: name)), run) { "\(damage)" }
    }
  }
}
