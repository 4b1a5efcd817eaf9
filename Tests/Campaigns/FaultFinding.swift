/// Something that must not be.
struct FaultFinding: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}
