import EmbeddingCampaigns
import Foundation

/// Runs campaigns against the store: those that every push is held to, or as many and as long as
/// asked for.
@main
enum Torture {
  static func main() {
    do throws(ArgumentError) {
      let arguments = try Arguments(parsing: CommandLine.arguments.dropFirst())
      if arguments.wantsHelp {
        print(Arguments.help)
      } else {
        exit(run(arguments) ? 0 : 1)
      }
    } catch {
      print("torture: \(error.message)\n\n\(Arguments.help)")
      exit(2)
    }
  }

  /// Whether nothing was found.
  private static func run(_ arguments: Arguments) -> Bool {
    var findingCount = 0
    for campaign in arguments.campaigns {
      let report = campaign.report(
        count: arguments.count, at: arguments.scale, seed: arguments.seed,
        below: arguments.directory)
      print(report)
      fflush(nil)
      findingCount += report.findings.count
    }
    return findingCount == 0
  }
}
