import Synchronization

/// Whether the rows of a main file have compact codes.
package enum CodeState: Sendable {
  case absent, present, damaged
}

extension MainFile {
  package var codeState: CodeState {
    guard self[.codes] != nil else { return .absent }
    return codesAreDamaged.load(ordering: .relaxed) ? .damaged : .present
  }

  /// Bytes of the codes and of what they refer to.
  package var codeByteCount: Int {
    Int((self[.codes]?.byteCount ?? 0) + (self[.codeBasis]?.byteCount ?? 0))
  }

  /// Makes every later search do without the codes.
  package func giveUpCodes() {
    codesAreDamaged.store(true, ordering: .relaxed)
  }

  /// Calls `body` with what the codes refer to.
  package func withCodeBasis<Result>(
    _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try withItems(
      .codeBasis, 0..<Int(self[.codeBasis]?.itemCount ?? 0), itemByteCount: 1, body)
  }

  /// Calls `body` with a range of the codes' bytes.
  package func withCodes<Result>(
    _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try withItems(.codes, range, itemByteCount: 1, body)
  }
}
