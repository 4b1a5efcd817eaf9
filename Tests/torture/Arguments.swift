import EmbeddingCampaigns
import Foundation

/// What the command line asks for.
struct Arguments {
  var campaigns: [any Campaign] = []
  var scale = CampaignScale.push
  var count: Int?
  var seed: UInt64 = 1
  var directory: URL?
  var wantsHelp = false

  static var help: String {
    let width = allCampaigns.map(\.name.count).max() ?? 0
    let lines = allCampaigns.map { campaign in
      let name = campaign.name.padding(toLength: width, withPad: " ", startingAt: 0)
      let counts = [CampaignScale.push, .release].map { "\(campaign.count(at: $0))" }
      return "  \(name)  \(campaign.purpose)\n  \(String(repeating: " ", count: width))  "
        + "(\(campaign.unit): \(counts.joined(separator: ", or for a release ")))"
    }
    return """
      Usage: torture [options] [campaign ...]

        --release        as much as before a release, instead of what every push is held to
        --count N        try N times
        --seed N         the seed of everything random (default 1)
        --directory DIR  use a directory below DIR for real files (default: the temporary one)
        --help           this text

      Campaigns (all of them when none is named):
      \(lines.joined(separator: "\n"))

      Build it with optimisation: swift run -c release torture. It prints a line for each campaign
      and every finding with the way to see it again. It ends with code 1 when there is a finding,
      and with 2 when it does not understand its arguments.
      """
  }

  init(parsing words: ArraySlice<String>) throws(ArgumentError) {
    var words = words
    while let word = words.popFirst() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--release": scale = .release
      case "--count": count = try Self.number(after: word, &words)
      case "--seed": seed = UInt64(try Self.number(after: word, &words))
      case "--directory":
        directory = URL(filePath: try Self.text(after: word, &words), directoryHint: .isDirectory)
      default:
        guard let campaign = allCampaigns.first(where: { $0.name == word }) else {
          throw ArgumentError("\(word) is neither an option nor a campaign.")
        }
        campaigns.append(campaign)
      }
    }
    if campaigns.isEmpty { campaigns = allCampaigns }
  }

  private static func text(
    after option: String, _ words: inout ArraySlice<String>
  ) throws(ArgumentError) -> String {
    guard let word = words.popFirst() else { throw ArgumentError("\(option) needs a value.") }
    return word
  }

  private static func number(
    after option: String, _ words: inout ArraySlice<String>
  ) throws(ArgumentError) -> Int {
    guard let number = Int(try text(after: option, &words)), number >= 0 else {
      throw ArgumentError("\(option) needs a number of 0 or more.")
    }
    return number
  }
}

struct ArgumentError: Error {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
