#if !FUZZING
  import EmbeddingFuzzing
  import Foundation

  /// Runs one target on files, to see a finding again, or writes the seeds of all targets:
  ///
  ///     fuzz TARGET FILE...
  ///     fuzz seeds DIRECTORY
  ///
  /// `Tests/Fuzzing/run.sh` builds it with the `main` of libFuzzer in place of this one.
  @main struct Fuzz {
    static func main() throws {
      let arguments = CommandLine.arguments.dropFirst()
      let files = arguments.dropFirst().map { URL(filePath: $0) }
      if arguments.first == "seeds", let directory = files.first {
        try writeSeeds(below: directory)
      } else if let target = allFuzzTargets.first(where: { $0.name == arguments.first }) {
        for file in files {
          print(file.lastPathComponent)
          try target.run([UInt8](Data(contentsOf: file)))
        }
      } else {
        let names = allFuzzTargets.map(\.name).joined(separator: "|")
        print("usage: fuzz \(names) FILE...\n       fuzz seeds DIRECTORY")
        exit(2)
      }
    }

    private static func writeSeeds(below directory: URL) throws {
      for target in allFuzzTargets {
        let folder = directory.appending(path: target.name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, seed) in try target.seeds().enumerated() {
          try Data(seed).write(to: folder.appending(path: "seed-\(number)"))
        }
      }
    }
  }
#endif
