import EmbeddingStores
import Foundation
import Testing

/// What the documents show is compiled and run here, and is what the documents show.
@Suite struct DocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func theReadmesExampleIsTheOneThatIsRun() throws {
    let shown = try #require(try firstBlock(of: "README.md"))
    let source = try String(
      contentsOf: Self.root.appending(path: "Tests/DocumentationTests/ReadmeExample.swift"),
      encoding: .utf8)
    let run = source.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasSuffix("// README begins") }.dropFirst()
      .prefix { !$0.hasSuffix("// README ends") }
      .map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0) }
    let expected = ["import EmbeddingStores", "import Foundation", ""] + run
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.filter { !$0.hasPrefix("// ") } == expected)
  }

  @Test func theReadmesExamplePrintsWhatItSays() async throws {
    let directory = URL.temporaryDirectory.appending(path: "notes.embeddings")
    try? FileManager.default.removeItem(at: directory)
    defer { try? FileManager.default.removeItem(at: directory) }
    var printed: [String] = []
    try await readmeExample { key, score in printed.append("// \(key) \(score)") }
    let shown = try #require(try firstBlock(of: "README.md"))
    let expected = shown.split(separator: "\n").map(String.init).filter { $0.hasPrefix("// ") }
    #expect(printed == expected)
  }

  /// The first fenced block of Swift in a document.
  private func firstBlock(of document: String) throws -> String? {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    guard let start = text.range(of: "```swift\n"),
      let end = text.range(of: "\n```", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}
