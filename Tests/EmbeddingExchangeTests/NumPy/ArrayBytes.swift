import Foundation

/// The bytes of a `.npy` file, made from its parts so that a test can forge any of them.
struct ArrayBytes {
  var magic: [UInt8] = [0x93] + Array("NUMPY".utf8)
  var version: [UInt8] = [1, 0]
  /// What the file says that the text's length is; nil says the truth.
  var statedTextByteCount: Int?
  var text: String
  var elements: Data

  init(_ text: String, elements: Data = Data(count: 24)) {
    self.text = text
    self.elements = elements
  }

  /// An array as NumPy writes it.
  init(
    descr: String = "'<f4'", order: String = "False", shape: String = "(2, 3)",
    elements: Data = Data(count: 24)
  ) {
    let text = "{'descr': \(descr), 'fortran_order': \(order), 'shape': \(shape), }"
    self.init(text + "\n", elements: elements)
  }

  init(_ vectors: [[Float]]) {
    self.init(shape: "(\(vectors.count), \(vectors.first?.count ?? 1))", elements: Data())
    for component in vectors.joined() {
      withUnsafeBytes(of: component.bitPattern.littleEndian) { elements.append(contentsOf: $0) }
    }
  }

  var data: Data {
    let count = statedTextByteCount ?? text.utf8.count
    let lengthByteCount = version[0] == 1 ? 2 : 4
    let length = (0..<lengthByteCount).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    return Data(magic + version + length) + Data(text.utf8) + elements
  }

  @discardableResult
  func write(to url: URL) throws -> URL {
    try data.write(to: url)
    return url
  }
}
