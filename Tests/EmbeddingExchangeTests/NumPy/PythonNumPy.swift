import Foundation

/// NumPy in Python, installed from PyPI once into the user's folder of caches.
enum PythonNumPy {
  static let isAvailable: Bool = {
    do {
      try install()
      return true
    } catch {
      print("NumPy: \(error)")
      return false
    }
  }()

  /// Runs `arrays.py` and gives back what it printed.
  static func run(_ arguments: String...) throws -> String {
    try run(python, ["-B", scripts.appending(path: "arrays.py").path] + arguments)
  }

  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Reference")

  private static let environment = FileManager.default.homeDirectoryForCurrentUser
    .appending(path: ".cache/swift-embedding-store/numpy")

  private static var python: URL { environment.appending(path: "bin/python3") }

  /// Makes the environment unless it is there with the present requirements.
  private static func install() throws {
    let requirements = scripts.appending(path: "requirements.txt")
    let wanted = try String(contentsOf: requirements, encoding: .utf8)
    let stamp = environment.appending(path: "installed-requirements.txt")
    if let installed = try? String(contentsOf: stamp, encoding: .utf8), installed == wanted {
      return
    }
    _ = try run(URL(filePath: "/usr/bin/env"), ["python3", "-m", "venv", environment.path])
    _ = try run(
      python,
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        + ["-r", requirements.path])
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
