import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingExchange

/// Nothing but the bytes that were written is restored. In memory, because every bit has its turn.
@Suite struct DamagedArchiveTests {
  private let fileSystem = MemoryFileSystem()
  private let whole: [UInt8]

  init() throws {
    let directory = try TemporaryDirectory()
    let archive = directory.url.appending(path: "archive")
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    try store.put((0..<5).map { Record(key: "\($0)", vector: [1, 2, 3, Float($0)], text: "text") })
    try store.archive(to: archive)
    whole = [UInt8](try Data(contentsOf: archive))
  }

  /// Reads all of an archive and checks it, without making a store.
  private func read(_ bytes: [UInt8]) throws(StoreError) -> [ArchiveFrame] {
    try translatingErrors { () throws(StorageError) in
      try fileSystem.unlink("/archive")
      let file = try fileSystem.open("/archive", .create)
      try bytes.withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
    }
    var reader = try ArchiveReader("/archive", on: fileSystem)
    var frames: [ArchiveFrame] = []
    while frames.last != .end { frames.append(try reader.next()) }
    return frames
  }

  @Test func anArchiveIsRefusedAtEveryLengthButItsOwn() throws {
    #expect(try read(whole).count == 7)
    for count in 0..<whole.count {
      #expect(throws: StoreError.self) { try read(Array(whole.prefix(count))) }
    }
    expectError(.corrupt, naming: "1 bytes follow") { _ = try read(whole + [0]) }
    expectError(.corrupt) { _ = try read(whole + whole) }
    expectError(.malformedFile) { _ = try read([]) }
  }

  @Test func everyFlippedBitIsNoticed() throws {
    var bytes = whole
    for bit in 0..<8 * whole.count {
      bytes[bit / 8] ^= 1 << (bit % 8)
      do throws(StoreError) {
        _ = try read(bytes)
        Issue.record("bit \(bit) went unnoticed")
      } catch {
        #expect([.corrupt, .malformedFile, .unsupportedFormat].contains(error.code), "bit \(bit)")
      }
      bytes[bit / 8] ^= 1 << (bit % 8)
    }
  }

  @Test func restoringChecksAsWell() throws {
    let directory = try TemporaryDirectory()
    let archive = directory.url.appending(path: "archive")
    for count in [0, 63, 64, whole.count / 2, whole.count - 1] {
      try Data(whole.prefix(count)).write(to: archive)
      #expect(throws: StoreError.self) {
        try EmbeddingStore.restore(archive, to: directory.store())
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["archive"])
    }
  }

  @Test func framesCanNotBeLeftOutRepeatedOrMoved() throws {
    let frames = try read(whole)
    var offsets = [ArchiveHeader.byteCount]
    for _ in frames {
      let length = whole.withRawSpan { $0.integer(at: offsets.last! + 4, as: UInt32.self)! }
      offsets.append(offsets.last! + ArchiveFrame.headByteCount + Int(length))
    }
    #expect(offsets.last == whole.count)
    let pieces = zip(offsets, offsets.dropFirst()).map { Array(whole[$0..<$1]) }
    let header = Array(whole.prefix(ArchiveHeader.byteCount))
    for index in pieces.indices {
      var (without, twice) = (pieces, pieces)
      without.remove(at: index)
      twice.insert(pieces[index], at: index)
      #expect(throws: StoreError.self) { try read(header + without.joined()) }
      #expect(throws: StoreError.self) { try read(header + twice.joined()) }
      for other in pieces.indices where other != index {
        var moved = pieces
        moved.swapAt(index, other)
        #expect(throws: StoreError.self) { try read(header + moved.joined()) }
      }
    }
  }

  // A chain of checksums keeps accidents out; what somebody forged must not lead out of the directory.
  @Test func forgedFramesAreRefused() throws {
    let store = try read(whole)
    let size = contentByteCount(store)
    let forgeries: [[ArchiveFrame]] = [
      [.file(name: "../escaped", byteCount: 1), .block([1]), .end],
      [.file(name: "/tmp/escaped", byteCount: 1), .block([1]), .end],
      [.file(name: "main-1/..", byteCount: 1), .block([1]), .end],
      [.file(name: "", byteCount: 1), .block([1]), .end],
      [.file(name: "LOCK", byteCount: 1), .block([1]), .end],
      [.file(name: "main-01", byteCount: 1), .block([1]), .end],
      [.file(name: "main--1", byteCount: 1), .block([1]), .end],
      [.block([1]), .end],
      [.file(name: "main-1", byteCount: 1), .block([1, 2]), .end],
      [.file(name: "main-1", byteCount: 2), .block([1]), .end],
      [.file(name: "main-1", byteCount: .max), .block([1]), .end],
      [.file(name: "main-1", byteCount: 0), .file(name: "main-1", byteCount: 0), .end],
      [.file(name: "main-1", byteCount: 1), .block([1]), .end],
      [.end],
      store.dropLast(3) + [.end],
      [store[4], store[5]] + [.end],
    ]
    let directory = try TemporaryDirectory()
    let archive = directory.url.appending(path: "archive")
    for (number, frames) in forgeries.enumerated() {
      for contentByteCount in [0, 1, size, .max] {
        try Data(archived(frames, contentByteCount: contentByteCount)).write(to: archive)
        expectError(contentByteCount == .max ? .noSpace : .corrupt) {
          try EmbeddingStore.restore(archive, to: directory.store())
        }
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["archive"],
          "forgery \(number)")
      }
    }
  }

  // Opening a store looks at little of it, and the archive's checksums are right.
  @Test func aDamagedStoreInAWholeArchiveIsRefused() throws {
    let frames = try read(whole)
    guard case .block(let main) = frames[1] else {
      Issue.record("the main file does not come first")
      return
    }
    let directory = try TemporaryDirectory()
    let archive = directory.url.appending(path: "archive")
    for offset in stride(from: 0, to: main.count, by: max(1, main.count / 60)) {
      var damaged = main
      damaged[offset] ^= 1
      var forged = frames
      forged[1] = .block(damaged)
      try Data(archived(forged, contentByteCount: contentByteCount(frames))).write(to: archive)
      expectError(.corrupt) { try EmbeddingStore.restore(archive, to: directory.store()) }
    }
    try Data(archived(frames, contentByteCount: contentByteCount(frames))).write(to: archive)
    try EmbeddingStore.restore(archive, to: directory.store())
  }

  private func contentByteCount(_ frames: [ArchiveFrame]) -> Int {
    frames.reduce(0) { if case .block(let bytes) = $1 { $0 + bytes.count } else { $0 } }
  }

  /// An archive of these frames, its checksums right.
  private func archived(_ frames: [ArchiveFrame], contentByteCount: Int) -> [UInt8] {
    let files = frames.filter { if case .file = $0 { true } else { false } }
    var header = ArchiveHeader(fileCount: files.count, contentByteCount: contentByteCount)
    var bytes = header.encoded()
    var checksum = header.checksum
    for frame in frames { bytes += frame.encoded(&checksum) }
    return bytes
  }

  @Test func framesOfAnotherArchiveDoNotFit() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    let directory = try TemporaryDirectory()
    try store.archive(to: directory.url.appending(path: "other"))
    let other = [UInt8](try Data(contentsOf: directory.url.appending(path: "other")))
    let length = ArchiveHeader.byteCount
    expectError(.corrupt) { _ = try read(Array(other.prefix(length)) + whole.dropFirst(length)) }
  }

  @Test func laterVersionsAreToldApart() throws {
    var bytes = whole
    bytes[8] = 2
    expectError(.unsupportedFormat, naming: "version 2") { _ = try read(bytes) }
  }
}
