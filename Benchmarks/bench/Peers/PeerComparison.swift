/// This library and its peers side by side.
struct PeerComparison: Encodable {
  /// A peer, and what this library did right before and after it.
  struct Entry: Encodable {
    let peer: PeerLine
    let ownBeside: PeerLine
  }

  /// This library in the whole run.
  let own: PeerLine
  let peers: [Entry]

  func printTable() {
    let timed = peers.filter { $0.peer.p50MsK10 != nil }
    Console.line(
      Table.text(
        head: [
          "library", "exact", "put rows/s", "k=10 p50 ms", "p99 ms", "k=100 p50 ms",
          "100 at once, queries/s", "recall@10", "ours / theirs: k=10", "k=100", "100 at once",
        ],
        [cells(own, [])] + timed.map { cells($0.peer, ratios($0)) },
        right: [2, 3, 4, 5, 6, 7, 8, 9, 10]))
    Console.line("Ratios are of times taken right before and after each library's own.")
    for line in [own] + peers.map(\.peer) {
      Console.line("  \(line.peer): \(line.note)")
    }
    printFastest(timed.filter(\.peer.exact))
    printBatch()
  }

  private func cells(_ line: PeerLine, _ ratios: [Double?]) -> [String] {
    func text(_ value: Double?) -> String { value.map { Decimals.text($0) } ?? "-" }
    return [
      [line.peer, line.version].compactMap(\.self).joined(separator: " "),
      line.exact ? "yes" : "no", text(line.putRowsPerSecond), text(line.p50MsK10),
      text(line.p99MsK10), text(line.p50MsK100), text(line.batchQueriesPerSecond),
      line.recallAt10.map { Decimals.text($0, places: 4) } ?? "-",
    ] + (ratios.isEmpty ? ["", "", ""] : ratios.map(text))
  }

  /// Our time as a share of theirs: below 1 we are faster.
  private func ratios(_ entry: Entry) -> [Double?] {
    let (own, peer) = (entry.ownBeside, entry.peer)
    return [
      ratio(own.p50MsK10, peer.p50MsK10), ratio(own.p50MsK100, peer.p50MsK100),
      ratio(peer.batchQueriesPerSecond, own.batchQueriesPerSecond),
    ]
  }

  /// Names the exact peer that takes the least of our time for one query, and who wins.
  private func printFastest(_ exact: [Entry]) {
    func share(_ entry: Entry) -> Double { ratios(entry)[0] ?? 0 }
    guard let fastest = exact.max(by: { share($0) < share($1) }) else {
      return Console.line("No exact peer could be timed.")
    }
    let verdict = share(fastest) <= 1 ? "less" : "more: a loss"
    Console.line(
      "Fastest exact peer for one query: \(fastest.peer.peer). This library takes "
        + "\(Decimals.text(share(fastest))) of its time (\(verdict)).")
  }

  /// Compares 100 queries at once with numpy's matrix product.
  private func printBatch() {
    guard let numpy = peers.first(where: { $0.peer.peer.hasPrefix("numpy") }),
      let ratio = ratio(
        numpy.ownBeside.batchQueriesPerSecond, numpy.peer.batchQueriesPerSecond)
    else { return Console.line("numpy's product of 100 queries was not timed.") }
    let verdict = ratio >= 1 ? "more" : "fewer: a loss"
    Console.line(
      "100 queries at once: \(Decimals.text(ratio)) times as many queries per second as numpy's "
        + "product with selection (\(verdict)).")
  }

  private func ratio(_ own: Double?, _ other: Double?) -> Double? {
    guard let own, let other, other > 0 else { return nil }
    return own / other
  }
}
