import EmbeddingTestSupport
import Foundation

/// NumPy in Python.
enum PythonNumPy {
  private static let environment = PythonEnvironment(
    named: "numpy",
    scripts: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Reference"))

  static let isAvailable = environment.isAvailable()

  /// Runs `arrays.py` and gives back what it printed.
  @discardableResult
  static func run(_ arguments: String...) throws -> String {
    try environment.run("arrays.py", arguments)
  }
}
