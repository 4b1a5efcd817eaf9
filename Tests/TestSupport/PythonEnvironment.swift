package import Foundation

/// A Python with packages from PyPI, installed once into the user's folder of caches.
package struct PythonEnvironment: Sendable {
  private let folder: URL
  private let scripts: URL

  /// - Parameter scripts: A folder with the scripts to run, and a `requirements.txt` that names all
  ///   packages.
  package init(named name: String, scripts: URL) {
    folder = FileManager.default.homeDirectoryForCurrentUser
      .appending(path: ".cache/swift-embedding-store/\(name)")
    self.scripts = scripts
  }

  /// Whether it can be used; makes it unless it is there with the present requirements. Prints why
  /// not.
  package func isAvailable() -> Bool {
    do {
      try install()
      return true
    } catch {
      print("Python for \(folder.lastPathComponent): \(error)")
      return false
    }
  }

  /// Runs one of the scripts and gives back what it printed.
  @discardableResult
  package func run(_ script: String, _ arguments: [String]) throws -> String {
    try Self.run(python, ["-B", scripts.appending(path: script).path] + arguments)
  }

  private var python: URL { folder.appending(path: "bin/python3") }

  private func install() throws {
    let requirements = scripts.appending(path: "requirements.txt")
    let wanted = try String(contentsOf: requirements, encoding: .utf8)
    let stamp = folder.appending(path: "installed-requirements.txt")
    if let installed = try? String(contentsOf: stamp, encoding: .utf8), installed == wanted {
      return
    }
    _ = try Self.run(URL(filePath: "/usr/bin/env"), ["python3", "-m", "venv", folder.path])
    _ = try Self.run(
      python,
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        + ["--no-deps", "-r", requirements.path])
    try wanted.write(to: stamp, atomically: true, encoding: .utf8)
  }

  private struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static func run(_ program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(program.lastPathComponent) \(arguments.joined(separator: " ")) ended with "
          + "status \(process.terminationStatus); its message is above.")
    }
    return String(decoding: printed, as: UTF8.self)
  }
}
