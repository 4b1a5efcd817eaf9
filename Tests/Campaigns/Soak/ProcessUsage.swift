/// Memory, descriptors and mappings of one process over time.
struct ProcessUsage {
  private let process: Int32
  private var resident: [Int] = []
  private var descriptors: [Int] = []
  private var mappings: [Int] = []

  private static let mostDrift = 0.05
  /// A process may be anywhere in an opening when it is looked at, with two generations in hand.
  private static let descriptorTolerance = 2
  private static let mappingTolerance = 4
  /// Runs of fewer seconds are all warm-up.
  private static let leastSecondsForCounts = 12
  private static let leastSecondsForDrift = 60

  init(_ process: Int32) {
    self.process = process
  }

  mutating func sample() {
    guard let bytes = ProcessFiles.residentByteCount(process),
      let files = ProcessFiles.descriptorCount(process),
      let regions = ProcessFiles.mappingCount(process)
    else { return }
    resident.append(bytes)
    descriptors.append(files)
    mappings.append(regions)
  }

  static func report(_ usages: [ProcessUsage], to run: CampaignRun) {
    guard ProcessFiles.exist else {
      run.note("Growth of the processes not looked at: the system does not tell it here.")
      return
    }
    for (index, usage) in usages.enumerated() {
      usage.report(index == 0 ? "writer" : "reader \(index)", to: run)
    }
  }

  private func report(_ name: String, to run: CampaignRun) {
    guard let memory = Self.change(resident), let files = Self.change(descriptors),
      let regions = Self.change(mappings)
    else {
      run.note("\(name): too short to see growth")
      return
    }
    let drift = Double(memory.late) / Double(memory.early) - 1
    let line =
      "\(name): resident \(memory.early >> 10) to \(memory.late >> 10) KiB, descriptors "
      + "\(files.early) to \(files.late), mappings \(regions.early) to \(regions.late)"
    run.note(line)
    if resident.count >= Self.leastSecondsForDrift, drift > Self.mostDrift {
      run.found("Memory grows: \(line)")
    }
    if resident.count >= Self.leastSecondsForCounts,
      files.late > files.early + Self.descriptorTolerance
        || regions.late > regions.early + Self.mappingTolerance
    {
      run.found("Descriptors or mappings grow: \(line)")
    }
  }

  /// The medians of the second and of the last third: the first is warm-up.
  private static func change(_ samples: [Int]) -> (early: Int, late: Int)? {
    let third = samples.count / 3
    guard third > 0 else { return nil }
    let early = samples[third..<2 * third].sorted()
    let late = samples.suffix(third).sorted()
    return (early[third / 2], late[third / 2])
  }
}
