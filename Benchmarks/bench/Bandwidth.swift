import EmbeddingKernels
import Foundation

/// How fast this machine reads memory: the yardstick for scans.
struct Bandwidth {
  /// Far more than any cache holds.
  private static let byteCount = 256 << 20

  private(set) var samples: [Double] = []

  /// Bytes per second: the median of all samples.
  var median: Double {
    samples.isEmpty ? .nan : samples.sorted()[samples.count / 2]
  }

  /// Reads 256 MB of memory several times, with each of `threadCount` threads reading its share.
  mutating func measure(threadCount: Int = 1) {
    let region = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.byteCount, alignment: 1 << 21)
    defer { region.deallocate() }
    region.initializeMemory(as: UInt8.self, repeating: 1)
    add(UnsafeRawBufferPointer(region), threadCount: threadCount)
  }

  /// Reads a file through a mapping several times.
  mutating func measure(mapping file: URL) throws {
    let data = try Data(contentsOf: file, options: .alwaysMapped)
    data.withUnsafeBytes { add($0, threadCount: 1) }
  }

  private mutating func add(_ region: UnsafeRawBufferPointer, threadCount: Int) {
    let reader = RegionReader(region: region, threadCount: threadCount)
    reader.read()
    for _ in 0..<7 {
      samples.append(Double(region.count) / Stopwatch.seconds { reader.read() })
    }
  }
}

/// Reads a region on several threads.
///
/// Safe to share: the region is only read, and outlives the threads, which `read` waits for.
private struct RegionReader: @unchecked Sendable {
  let region: UnsafeRawBufferPointer
  let threadCount: Int

  func read() {
    let share = region.count / threadCount & ~63
    DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
      let part = UnsafeRawBufferPointer(rebasing: region[thread * share..<(thread + 1) * share])
      withExtendedLifetime(readBandwidthProbe(part.bytes)) {}
    }
  }
}
