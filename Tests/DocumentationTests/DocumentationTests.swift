import EmbeddingStores
import Foundation
import Testing

/// What the documents show is compiled and run here, and is what the documents show.
@Suite struct DocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func theReadmesExampleIsTheOneThatIsRun() throws {
    let shown = try #require(try firstBlock(of: "README.md"))
    let source = try text("Tests/DocumentationTests/ReadmeExample.swift")
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

  /// Every other block of Swift, in documents and in doc comments, is part of these files.
  @Test func everyExampleIsCompiledAndRun() throws {
    let files = [
      "GuideExamples.swift", "IndexingExamples.swift", "TextSearchExamples.swift",
      "ExchangeExamples.swift", "ClusterExamples.swift", "PostgresExamples.swift",
    ]
    let examples = try files.map { try text("Tests/DocumentationTests/\($0)") }.joined()
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
    var count = 0
    for document in try documents() {
      let isReadme = document.hasSuffix("README.md")
      for block in try blocks(of: document).dropFirst(isReadme ? 1 : 0) {
        let lines = block.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
          examples.contains(lines.joined(separator: "\n")), "not run: \(document)\n\(block)")
        count += 1
      }
    }
    #expect(count >= 5)
  }

  private func documents() throws -> [String] {
    var documents = ["README.md"]
    for folder in ["Docs", "Sources"] {
      let names = try FileManager.default.subpathsOfDirectory(
        atPath: Self.root.appending(path: folder).path)
      documents += names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }
        .map { "\(folder)/\($0)" }
    }
    return documents
  }

  private func text(_ document: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
  }

  /// The fenced blocks of Swift in a document or in the doc comments of a source file.
  private func blocks(of document: String) throws -> [String] {
    var blocks: [String] = []
    var block: [String]?
    for line in try text(document).split(separator: "\n", omittingEmptySubsequences: false) {
      var line = String(line)
      if document.hasSuffix(".swift") {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        guard trimmed.hasPrefix("///") else { continue }
        line = String(trimmed.dropFirst(3)).trimmingCharacters(in: .whitespaces)
      }
      if line == "```swift" {
        block = []
      } else if line == "```", let finished = block {
        blocks.append(finished.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  private func firstBlock(of document: String) throws -> String? {
    try blocks(of: document).first
  }
}
