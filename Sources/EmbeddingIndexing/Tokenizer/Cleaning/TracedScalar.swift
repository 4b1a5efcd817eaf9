/// A scalar of a text that is being cleaned, and what it stands for in the text as it was given.
struct TracedScalar {
  var value: Unicode.Scalar
  /// Offsets of UTF-8 bytes.
  var source: Range<Int>
}

extension [TracedScalar] {
  init(_ text: String) {
    self = []
    reserveCapacity(text.utf8.count)
    var offset = 0
    for scalar in text.unicodeScalars {
      let end = offset + UTF8.width(scalar)
      append(TracedScalar(value: scalar, source: offset..<end))
      offset = end
    }
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    contains { $0.value == scalar }
  }

  /// The scalar at `index`, or nil behind the end.
  func scalar(at index: Int) -> Unicode.Scalar? {
    index < count ? self[index].value : nil
  }

  /// Appends what stands for a range of another text.
  mutating func append(_ replacement: some Sequence<Unicode.Scalar>, for source: Range<Int>) {
    for scalar in replacement {
      append(TracedScalar(value: scalar, source: source))
    }
  }

  func hasSameScalars(as other: [TracedScalar]) -> Bool {
    elementsEqual(other) { $0.value == $1.value }
  }
}
