import EmbeddingStores

/// The program: reads the arguments, runs the job they name, and turns its outcome into an exit
/// code: 0 when all is well, 1 when a check or the job failed, 2 for arguments it does not know.
enum Bench {
  static func run(_ words: [String]) async -> Int32 {
    do {
      let arguments = try Arguments(parsing: words)
      warnInDebugBuild()
      switch arguments.command {
      case .help: Console.line(Arguments.help)
      case .main: try MainJob(arguments).run()
      case .postgres: try await PostgresJob(arguments).run()
      case .exchange: try ExchangeJob(arguments).run()
      case .peers: try PeersJob(arguments).run()
      case .index where arguments.rowCount != nil: try await SyntheticIndexJob(arguments).run()
      case .index: try await FolderIndexJob(arguments).run()
      case .tokenizer: try TokenizerJob(arguments).run()
      case .clusters: try ClustersJob(arguments).run()
      case .duplicates: try DuplicatesJob(arguments).run()
      case .text: try TextJob(arguments).run()
      }
      return 0
    } catch let error as ArgumentError {
      Console.progress("bench: \(error.message)")
      Console.progress("\"bench --help\" lists the arguments.")
      return 2
    } catch {
      Console.progress("bench: \(error)")
      return 1
    }
  }

  private static func warnInDebugBuild() {
    guard BuildKind.isDebug else { return }
    Console.progress(
      "This is a debug build: its figures mean nothing, and it takes \(BuildKind.debugRowCount) rows only. "
        + "Use \"swift run -c release bench\".")
  }
}
