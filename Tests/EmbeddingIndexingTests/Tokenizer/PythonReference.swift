import EmbeddingTestSupport
import Foundation

/// CLIP's tokenizer in Python.
enum PythonReference {
  private static let environment = PythonEnvironment(
    named: "tokenizer",
    scripts: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Reference"))

  static let isAvailable = environment.isAvailable()

  /// Runs `reference.py`, which writes the strings and the vocabulary to a folder.
  static func encodeStrings(into folder: URL) throws {
    var generator = SeededGenerator("CLIP tokenizer", seed: .random(in: .min ... .max))
    try environment.run("reference.py", [folder.path, "\(generator.next())"])
  }
}
