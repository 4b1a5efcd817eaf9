extension Array where Element == UInt8 {
  /// Calls `body` with the array's bytes.
  ///
  /// `Array.span` would do, but needs a newer system than the package does on Apple platforms.
  package func withRawSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(Failure) -> Result in
      try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
    }
  }
}
