import EmbeddingTestSupport
import Foundation

/// CLIP's tokenizer in Python, installed from PyPI once into the user's folder of caches.
enum PythonReference {
  static let isAvailable: Bool = {
    do {
      try install()
      return true
    } catch {
      print("CLIP's reference tokenizer: \(error)")
      return false
    }
  }()

  /// Runs `reference.py`, which writes the strings and the vocabulary to a folder.
  static func encodeStrings(into folder: URL) throws {
    var generator = SeededGenerator("CLIP tokenizer", seed: .random(in: .min ... .max))
    let seed = generator.next()
    let script = scripts.appending(path: "reference.py")
    try run(python, ["-B", script.path, folder.path, "\(seed)"])
  }

  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Reference")

  private static let environment = FileManager.default.homeDirectoryForCurrentUser
    .appending(path: ".cache/swift-embedding-store/tokenizer")

  private static var python: URL { environment.appending(path: "bin/python3") }

  /// Makes the environment unless it is there with the present requirements.
  private static func install() throws {
    let requirements = scripts.appending(path: "requirements.txt")
    let wanted = try String(contentsOf: requirements, encoding: .utf8)
    let stamp = environment.appending(path: "installed-requirements.txt")
    if let installed = try? String(contentsOf: stamp, encoding: .utf8), installed == wanted {
      return
    }
    let env = URL(filePath: "/usr/bin/env")
    try run(env, ["python3", "-m", "venv", environment.path])
    try run(
      python,
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        + ["--no-deps", "-r", requirements.path])
    try wanted.write(to: stamp, atomically: true, encoding: .utf8)
  }

  private struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static func run(_ program: URL, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(program.lastPathComponent) \(arguments.joined(separator: " ")) ended with "
          + "status \(process.terminationStatus); its message is above.")
    }
  }
}
