import EmbeddingFuzzing
import Foundation
import Testing

/// What the fuzzer found worth keeping, and what it found wrong, given to the store once more.
@Suite struct CorpusTests {
  @Test(arguments: allFuzzTargets.map(\.name))
  func everyInputOfTheCorpusIsTakenAsItShould(name: String) throws {
    let target = try #require(allFuzzTargets.first { $0.name == name })
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzzing/Corpus/\(name)", directoryHint: .isDirectory)
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") { try target.run(input) }
    }
  }

  @Test(arguments: allFuzzTargets.map(\.name))
  func everySeedIsTakenAsItShould(name: String) throws {
    let target = try #require(allFuzzTargets.first { $0.name == name })
    for seed in try target.seeds() { try target.run(seed) }
  }
}
