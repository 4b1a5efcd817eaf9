import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Memory that is this process's own, as Linux counts it; mapped files are not in it.
enum PrivateMemory {
  /// What `body` added to it at most, seen about every millisecond, and after it returned; nil
  /// where the system does not say.
  static func growth(_ body: () throws -> Void) throws -> Int? {
    giveBackFreedMemory()
    guard let before = byteCount() else { return nil }
    let sampler = Sampler(interval: 0.001)
    let thread = Thread { sampler.run() }
    thread.start()
    defer { sampler.stop() }
    try body()
    return max(sampler.stop(), byteCount() ?? 0) - before
  }

  /// What `body` added to it at most, seen about every ten milliseconds; nil where the system does
  /// not say.
  static func growth(_ body: () async throws -> Void) async throws -> Int? {
    giveBackFreedMemory()
    let before = byteCount()
    return try await peak(body).map { $0 - (before ?? 0) }
  }

  /// The most of it that was in use during `body`, whatever was in use before included, seen about
  /// every ten milliseconds; nil where the system does not say.
  static func peak(_ body: () async throws -> Void) async throws -> Int? {
    giveBackFreedMemory()
    guard byteCount() != nil else {
      try await body()
      return nil
    }
    let sampler = Sampler(interval: 0.01)
    let thread = Thread { sampler.run() }
    thread.start()
    defer { sampler.stop() }
    try await body()
    return max(sampler.stop(), byteCount() ?? 0)
  }

  /// Bytes in use now.
  fileprivate static func byteCount() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("Private_Dirty:") {
      return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }
    return nil
  }

  /// Without it, memory that was freed before would hide what is allocated later.
  private static func giveBackFreedMemory() {
    #if canImport(Glibc)
      // <malloc.h> is not in the Glibc module.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      typealias Trim = @convention(c) (Int) -> Int32
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }
}

/// Watches the private memory from a thread of its own until it is told to stop.
private final class Sampler: Sendable {
  private let largest = Mutex(0)
  private let isStopped = Atomic(false)
  private let isDone = DispatchSemaphore(value: 0)
  private let interval: Double

  init(interval: Double) {
    self.interval = interval
  }

  func run() {
    while !isStopped.load(ordering: .relaxed) {
      let byteCount = PrivateMemory.byteCount() ?? 0
      largest.withLock { $0 = max($0, byteCount) }
      Thread.sleep(forTimeInterval: interval)
    }
    isDone.signal()
  }

  /// Ends the thread and returns the most that it saw.
  @discardableResult
  func stop() -> Int {
    if !isStopped.exchange(true, ordering: .relaxed) { isDone.wait() }
    return largest.withLock { $0 }
  }
}
