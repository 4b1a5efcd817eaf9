import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Files that are no arrays of vectors, whatever they say: typed errors, never a trap and never a wrong
/// row.
@Suite struct MalformedArrayTests {
  /// What is wrong with a file, and which error tells.
  static let files: [(name: String, code: StoreError.Code, array: ArrayBytes)] = {
    var files: [(String, StoreError.Code, ArrayBytes)] = []
    func add(
      _ name: String, _ code: StoreError.Code, _ array: ArrayBytes,
      _ change: (inout ArrayBytes) -> Void = { _ in }
    ) {
      var array = array
      change(&array)
      files.append((name, code, array))
    }
    add("another magic", .malformedFile, ArrayBytes()) { $0.magic[1] = 0x6e }
    add("version 0", .unsupportedFormat, ArrayBytes()) { $0.version = [0, 0] }
    add("version 4", .unsupportedFormat, ArrayBytes()) { $0.version = [4, 0] }
    add("version 1.1", .unsupportedFormat, ArrayBytes()) { $0.version = [1, 1] }
    for version in [UInt8(1), 2, 3] {
      let length = version == 1 ? 0xffff : 0xffff_ffff
      add("v\(version) header beyond the file", .malformedFile, ArrayBytes()) {
        ($0.version, $0.statedTextByteCount) = ([version, 0], length)
      }
      add("v\(version) header that ends early", .malformedFile, ArrayBytes()) {
        ($0.version, $0.statedTextByteCount) = ([version, 0], 20)
      }
      add("v\(version) header that takes elements in", .malformedFile, ArrayBytes()) {
        ($0.version, $0.statedTextByteCount) = ([version, 0], $0.text.utf8.count + 8)
      }
      add("v\(version) empty header", .malformedFile, ArrayBytes()) {
        ($0.version, $0.statedTextByteCount) = ([version, 0], 0)
      }
    }
    add("header of 2 MiB", .malformedFile, ArrayBytes()) {
      $0.version = [2, 0]
      $0.text = String(repeating: " ", count: 2 << 20)
    }
    add("one element too few", .malformedFile, ArrayBytes(elements: Data(count: 20)))
    add("one byte too few", .malformedFile, ArrayBytes(elements: Data(count: 23)))
    add("one byte too many", .malformedFile, ArrayBytes(elements: Data(count: 25)))
    add("no elements", .malformedFile, ArrayBytes(elements: Data()))
    add("shape beyond memory", .malformedFile, ArrayBytes(shape: "(4611686018427387904, 4)"))
    add(
      "shape whose product wraps to 24", .malformedFile,
      ArrayBytes(shape: "(9223372036854775807, 2)"))
    add(
      "rows of Int.max components, but none of them", .malformedFile,
      ArrayBytes(shape: "(0, 9223372036854775807)", elements: Data()))
    add("shape beyond 64 bits", .malformedFile, ArrayBytes(shape: "(99999999999999999999, 3)"))
    add("negative shape", .malformedFile, ArrayBytes(shape: "(-2, 3)"))
    add("fraction in the shape", .malformedFile, ArrayBytes(shape: "(2.0, 3)"))
    add("octal shape", .malformedFile, ArrayBytes(shape: "(02, 3)"))
    add("shape that is a list", .malformedFile, ArrayBytes(shape: "[2, 3]"))
    add("shape that is a number", .malformedFile, ArrayBytes(shape: "(6)"))
    add("shape of strings", .malformedFile, ArrayBytes(shape: "('2', '3')"))
    add("shape of tuples", .malformedFile, ArrayBytes(shape: "((2, 3), 3)"))
    add("shape without a comma", .malformedFile, ArrayBytes(shape: "(2 3)"))
    add("shape with a lone comma", .malformedFile, ArrayBytes(shape: "(,)"))
    add("no dimension", .unsupportedElements, ArrayBytes(shape: "()"))
    add("one dimension", .unsupportedElements, ArrayBytes(shape: "(6,)"))
    add("three dimensions", .unsupportedElements, ArrayBytes(shape: "(1, 2, 3)"))
    add("rows of nothing", .unsupportedElements, ArrayBytes(shape: "(2, 0)", elements: Data()))
    add("Fortran order", .unsupportedElements, ArrayBytes(order: "True"))
    add("order that is a number", .malformedFile, ArrayBytes(order: "0"))
    add("order in lower case", .malformedFile, ArrayBytes(order: "false"))
    add("objects", .unsupportedElements, ArrayBytes(descr: "'|O'"))
    add("big-endian", .unsupportedElements, ArrayBytes(descr: "'>f4'"))
    add("integers", .unsupportedElements, ArrayBytes(descr: "'<i4'"))
    add("type of control characters", .malformedFile, ArrayBytes(descr: "'<f\u{1}'"))
    add("escaped type", .malformedFile, ArrayBytes(descr: "'\\x3cf4'"))
    add("type without quotes", .malformedFile, ArrayBytes(descr: "<f4"))
    add("type that is a call", .malformedFile, ArrayBytes(descr: "__import__('os')"))
    add("type that does not end", .malformedFile, ArrayBytes(descr: "'<f4"))
    add("fields", .unsupportedElements, ArrayBytes(descr: "[('x', '<f4'), ('y', '<f4', (2,))]"))
    add(
      "nested without end", .malformedFile, ArrayBytes(descr: String(repeating: "[", count: 60_000))
    )
    add("nested tuples", .malformedFile, ArrayBytes(shape: String(repeating: "(", count: 60_000)))
    add("no shape", .malformedFile, ArrayBytes("{'descr': '<f4', 'fortran_order': False}"))
    add(
      "a name twice", .malformedFile,
      ArrayBytes("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"))
    add(
      "a fourth name", .malformedFile,
      ArrayBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}"))
    add(
      "text behind the dictionary", .malformedFile,
      ArrayBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x"))
    add("no dictionary", .malformedFile, ArrayBytes("('<f4', False, (2, 3))"))
    add("nothing but spaces", .malformedFile, ArrayBytes("                    "))
    return files
  }()

  @Test func eachIsRefused() throws {
    let directory = try TemporaryDirectory()
    #expect(Self.files.count >= 50)
    for (name, code, array) in Self.files {
      let url = try array.write(to: directory.url.appending(path: "\(name).npy"))
      expectError(code, naming: name) { _ = try VectorFile(npy: url) }
    }
  }

  @Test func anArrayIsRefusedAtEveryLengthButItsOwn() throws {
    let directory = try TemporaryDirectory()
    let whole = ArrayBytes([[1, 2, 3], [4, 5, 6]]).data
    let url = directory.url.appending(path: "array.npy")
    for count in 0...whole.count + 8 {
      try (count <= whole.count ? whole.prefix(count) : whole + Data(count: count - whole.count))
        .write(to: url)
      if count == whole.count {
        #expect(try VectorFile(npy: url).vectors(0..<2) == [[1, 2, 3], [4, 5, 6]])
      } else {
        expectError(.malformedFile, naming: "array.npy") { _ = try VectorFile(npy: url) }
      }
    }
  }

  /// A flipped bit in the header must not trap, nor yield rows of another type or shape unnoticed: what
  /// still opens has as many bytes of rows as the file has.
  @Test func noFlippedBitInAHeaderTraps() throws {
    let directory = try TemporaryDirectory()
    let whole = ArrayBytes([[1, 2, 3], [4, 5, 6]]).data
    let url = directory.url.appending(path: "array.npy")
    var openCount = 0
    for bit in 0..<8 * (whole.count - 24) {
      var flipped = whole
      flipped[bit / 8] ^= 1 << (bit % 8)
      try flipped.write(to: url)
      do throws(StoreError) {
        let file = try VectorFile(npy: url)
        #expect(file.rowCount * file.dimension * file.elementFormat.byteCount == 24)
        #expect(try file.vectors(0..<file.rowCount).count == file.rowCount)
        openCount += 1
      } catch {
        #expect(error.path == url.path)
      }
    }
    // Quotes, spaces and the like have several spellings.
    #expect(openCount < 20)
  }

  @Test func whatIsNoFileIsRefused() throws {
    let directory = try TemporaryDirectory()
    expectError(.notFound, naming: "none.npy") {
      _ = try VectorFile(npy: directory.url.appending(path: "none.npy"))
    }
    expectError(.notAStore) { _ = try VectorFile(npy: directory.url) }
    let web = try #require(URL(string: "https://example.com/array.npy"))
    expectError(.invalidArgument, naming: "example.com") { _ = try VectorFile(npy: web) }
  }

  @Test func rowsThatAreNotThereAreRefused() throws {
    let directory = try TemporaryDirectory()
    let url = try ArrayBytes([[1, 2, 3]]).write(to: directory.url.appending(path: "array.npy"))
    let file = try VectorFile(npy: url)
    #expect(try file.vectors(1..<1) == [])
    expectError(.invalidArgument) { _ = try file.vectors(0..<2) }
    expectError(.invalidArgument) { _ = try file.vectors(-1..<1) }
    expectError(.invalidArgument) { _ = try file.vectors(0..<Int.max) }
  }

  @Test func aFileThatIsCutShortWhileItIsReadIsAnError() throws {
    let directory = try TemporaryDirectory()
    let url = try ArrayBytes([[1, 2, 3], [4, 5, 6]])
      .write(to: directory.url.appending(path: "array.npy"))
    let file = try VectorFile(npy: url)
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 80)
    try handle.close()
    expectError(.malformedFile, naming: "cut short") { _ = try file.vectors(1..<2) }
  }
}
