import EmbeddingStores
import EmbeddingTestSupport

/// Steps on a store that is there already, at one durability.
struct CrashWorkload: Sendable, CustomStringConvertible {
  static let durabilities: [Durability] = [.powerLoss, .processKill, .orderedPowerLoss]

  let durability: Durability
  let steps: [CrashStep]

  var description: String {
    "\(durability): \(steps.map(\.rawValue).joined(separator: ", "))"
  }

  /// How many workloads there are of `length` steps, those of every durability together.
  static func count(ofLength length: Int) -> Int {
    (0..<length).reduce(durabilities.count) { count, _ in count * CrashStep.allCases.count }
  }

  /// The workload with a number below `count(ofLength:)`.
  init(number: Int, length: Int) {
    var rest = number
    func digit<Choice>(_ choices: [Choice]) -> Choice {
      defer { rest /= choices.count }
      return choices[rest % choices.count]
    }
    durability = digit(Self.durabilities)
    steps = (0..<length).map { _ in digit(CrashStep.allCases) }
  }

  init(randomOfLength length: Int, using generator: inout SeededGenerator) {
    self.init(
      number: Int.random(in: 0..<Self.count(ofLength: min(length, 12)), using: &generator),
      length: length)
  }
}

/// What running a workload left: the moments at which it may crash, and what the store held after
/// each step.
struct CrashHistory: Sendable {
  var points: [CrashPoint]
  /// Before the first step, and after each.
  var states: [CrashState]
}

/// What a store should hold, and its records by key, which every crash image is compared with.
struct CrashState: Sendable {
  let model: StoreModel
  let records: [[UInt8]: [Record]]

  init(_ model: StoreModel) {
    self.model = model
    records = model.recordsByKey()
  }
}

extension CrashWorkload {
  /// Runs the steps on a disk, recording from step `firstRecorded` on.
  ///
  /// Crashes during earlier steps are those of a shorter workload.
  func run(
    from start: CrashStart, recordingFrom firstRecorded: Int, neglecting neglect: Neglect? = nil
  ) throws -> CrashHistory {
    let disk = SimulatedDisk(start.image, neglecting: neglect)
    var session = try CrashSession(disk, durability, start.model)
    var states = [CrashState(session.model)]
    var promise = CrashPromise()
    for (number, step) in steps.enumerated() {
      if number == firstRecorded { disk.record(true) }
      // Until it has reported its failure, a put that fails may be there, for its bytes went out.
      promise.begun += step == .putThatFails ? 2 : 1
      disk.promise(promise)
      try session.perform(step)
      if let failed = session.failed { states.append(CrashState(failed)) }
      states.append(CrashState(session.model))
      promise.acknowledged = promise.begun
      if step == .backUp { promise.backupCount += 1 }
      if durability == .powerLoss || step.makesEverythingDurable {
        promise.durable = promise.begun
      }
      disk.promise(promise)
    }
    return CrashHistory(points: disk.points, states: states)
  }
}
