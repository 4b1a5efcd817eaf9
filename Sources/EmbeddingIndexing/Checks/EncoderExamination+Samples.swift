internal import EmbeddingStores

extension EncoderExamination {
  /// Everything that samples show. Each check needs what the one before it found in order.
  mutating func checkSamples() async {
    if samples.count < 2 {
      report(.tooFewSamples, "There are \(samples.count) samples. Give two or more that differ.")
    }
    if samples.isEmpty { return }
    guard let batch = await vectors(of: samples) else {
      // Which of them is it?
      for (index, sample) in samples.enumerated() { _ = await vectors(of: [sample], at: index) }
      return
    }
    var sound = soundVectors(in: batch)
    guard await checkRepetition(of: sound) else { return }
    await checkSingles(&sound)
    await checkReversal(of: sound)
    checkDifferences(between: sound)
  }

  /// The vectors that a store would take, by the sample's index.
  private mutating func soundVectors(in batch: [[Float]]) -> [Int: [Float]] {
    var sound: [Int: [Float]] = [:]
    for (index, vector) in batch.enumerated() {
      if let defect = defect(of: vector) {
        report(defect.kind, at: index, defect.message)
      } else {
        sound[index] = vector
      }
    }
    return sound
  }

  private func isSame(_ first: [Float], _ second: [Float]) -> Bool {
    comparison.distance(first, second) <= tolerance
  }

  private mutating func checkRepetition(of sound: [Int: [Float]]) async -> Bool {
    guard let again = await vectors(of: samples) else { return false }
    let count = problems.count
    for (index, vector) in again.enumerated() {
      guard let first = sound[index], !isSame(first, vector) else { continue }
      report(
        .notDeterministic, at: index,
        "The same batch gave another vector the second time, at a distance of "
          + "\(comparison.distance(first, vector)). Turn off dropout and random crops, and do not "
          + "reuse buffers that are still being read.")
    }
    return problems.count == count
  }

  /// Leaves in `sound` only vectors that are those of their samples alone.
  private mutating func checkSingles(_ sound: inout [Int: [Float]]) async {
    var singles: [Int: [Float]] = [:]
    for (index, sample) in samples.enumerated() {
      singles[index] = await vectors(of: [sample], at: index)?.first
    }
    for (index, vector) in sound.sorted(by: { $0.key < $1.key }) {
      if let single = singles[index], isSame(vector, single) { continue }
      sound[index] = nil
      guard let single = singles[index] else { continue }
      let other = singles.filter { isSame(vector, $0.value) }.map(\.key).min()
      if let other {
        report(
          .orderNotKept, at: index,
          "In the batch it has the vector of sample \(other). Return vectors in the order of the "
            + "inputs.")
      } else {
        report(
          .batchDiffersFromSingle, at: index,
          "Alone it has another vector than in the batch, at a distance of "
            + "\(comparison.distance(vector, single)). Mask the padding of shorter inputs, and do "
            + "not normalise over the batch.")
      }
    }
  }

  private mutating func checkReversal(of sound: [Int: [Float]]) async {
    guard samples.count > 1, !sound.isEmpty,
      let reversed = await vectors(of: samples.reversed())
    else { return }
    for (index, vector) in reversed.reversed().enumerated() {
      guard let first = sound[index], !isSame(first, vector) else { continue }
      report(
        .orderNotKept, at: index,
        "It has another vector when the batch is reversed, at a distance of "
          + "\(comparison.distance(first, vector)). A vector must not depend on its place.")
    }
  }

  private mutating func checkDifferences(between sound: [Int: [Float]]) {
    let sorted = sound.sorted { $0.key < $1.key }
    for (position, (index, vector)) in sorted.enumerated() {
      guard let same = sorted[..<position].first(where: { isSame($0.value, vector) }) else {
        continue
      }
      report(
        .sameVectorForDifferentInputs, at: index,
        "It has the vector of sample \(same.key). See that the input reaches the model, and that "
          + "the samples differ.")
    }
  }
}
