extension NumPyHeader {
  /// The header of an array as `numpy.save` writes it, format version 1: elements start at a multiple
  /// of 64 bytes.
  static func encoded(
    _ elementFormat: ElementFormat, rowCount: Int, dimension: Int
  ) -> [UInt8] {
    let text =
      "{'descr': '<f\(elementFormat.byteCount)', 'fortran_order': False, "
      + "'shape': (\(rowCount), \(dimension)), }"
    let prefixByteCount = magic.count + 4
    // The text has less than 128 bytes, so two are enough for its length.
    let byteCount = (prefixByteCount + text.utf8.count + 1 + 63) / 64 * 64
    let textByteCount = byteCount - prefixByteCount
    let padding = textByteCount - text.utf8.count - 1
    return magic + [1, 0, UInt8(textByteCount & 0xff), UInt8(textByteCount >> 8)]
      + Array(text.utf8) + [UInt8](repeating: 0x20, count: padding) + [0x0a]
  }
}
