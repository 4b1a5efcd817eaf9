import EmbeddingKernels
import Foundation

/// How fast this machine reads memory: the yardstick for scans.
final class Bandwidth {
  private let region: UnsafeRawBufferPointer
  private let release: () -> Void
  private var samples: [Double] = []

  /// Reads 256 MB of memory, far more than any cache holds.
  init() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 20, alignment: 1 << 21)
    memory.initializeMemory(as: UInt8.self, repeating: 1)
    region = UnsafeRawBufferPointer(memory)
    release = { memory.deallocate() }
  }

  /// Reads a file through a mapping.
  init(mapping file: URL) throws {
    let data = try NSData(contentsOf: file, options: .alwaysMapped)
    region = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
    release = { withExtendedLifetime(data) {} }
  }

  deinit { release() }

  /// Bytes per second: the median of the samples.
  var median: Double { Latencies(samples).median }

  var fastest: Double { samples.max() ?? .nan }

  /// Reads the region once, each of `threadCount` threads its share of it.
  func sample(threadCount: Int = 1) {
    let reader = RegionReader(region: region, threadCount: threadCount)
    samples.append(Double(region.count) / Stopwatch.seconds { reader.read() })
  }
}

/// Reads a region on several threads.
///
/// Safe to share: the region is only read, and outlives the threads, which `read` waits for.
private struct RegionReader: @unchecked Sendable {  // See above.
  let region: UnsafeRawBufferPointer
  let threadCount: Int

  func read() {
    let share = region.count / threadCount & ~63
    guard threadCount > 1 else { return Self.read(region) }
    DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
      Self.read(UnsafeRawBufferPointer(rebasing: region[thread * share..<(thread + 1) * share]))
    }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) {
    withExtendedLifetime(readBandwidthProbe(bytes.bytes)) {}
  }
}
