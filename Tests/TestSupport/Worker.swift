internal import Foundation

/// A `store-worker` process: it does what it is told in lines, and answers in lines.
///
/// Safe to share for `kill`; the rest is for one thread.
package final class Worker: @unchecked Sendable {  // See above.
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  package init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // So that the end of the process ends the reading.
    try output.fileHandleForWriting.close()
  }

  deinit {
    kill()
  }

  /// The next line, or nil when the process has ended.
  package func readLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[(end + 1)...])
        return line
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      buffer += data
    }
  }

  package var processIdentifier: Int32 { process.processIdentifier }

  /// Sends a line and reads the answer.
  package func ask(_ line: String) throws -> String? {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    return readLine()
  }

  /// Lets a process that runs until its input ends know that it is over.
  package func endInput() {
    try? input.fileHandleForWriting.close()
  }

  /// Ends the process at once, as `kill -9` does, and waits until it has ended.
  package func kill() {
    guard process.isRunning else { return }
    signalKill(process.processIdentifier)
    process.waitUntilExit()
  }

  /// Waits for the process to end by itself; answers its exit code.
  package func wait() -> Int32 {
    endInput()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// The worker is built next to the tests.
  private static var executable: URL {
    #if canImport(Darwin)
      Bundle(for: Worker.self).bundleURL.deletingLastPathComponent()
        .appending(path: "store-worker")
    #else
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "store-worker")
    #endif
  }
}
