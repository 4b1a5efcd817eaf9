/// This library and its peers side by side.
struct PeerComparison: Encodable {
  let own: PeerLine
  let peers: [PeerLine]

  func printTable() {
    Console.line(
      Table.text(
        head: [
          "library", "exact", "put rows/s", "k=10 p50 ms", "p99 ms", "k=100 p50 ms",
          "100 at once, queries/s", "recall@10", "ours / theirs, k=10",
        ],
        ([own] + peers.filter { $0.p50MsK10 != nil }).map(cells),
        right: [2, 3, 4, 5, 6, 7, 8]))
    for peer in [own] + peers {
      Console.line("  \(peer.peer): \(peer.note)")
    }
    printFastest()
    printBatch()
  }

  private func cells(_ line: PeerLine) -> [String] {
    func text(_ value: Double?) -> String { value.map { Decimals.text($0) } ?? "-" }
    return [
      [line.peer, line.version].compactMap(\.self).joined(separator: " "),
      line.exact ? "yes" : "no", text(line.putRowsPerSecond), text(line.p50MsK10),
      text(line.p99MsK10), text(line.p50MsK100), text(line.batchQueriesPerSecond),
      line.recallAt10.map { Decimals.text($0, places: 4) } ?? "-",
      text(ratio(own.p50MsK10, line.p50MsK10)),
    ]
  }

  /// Names the exact peer that answers one query in the least time, and who wins.
  private func printFastest() {
    let exact = peers.filter { $0.exact && $0.p50MsK10 != nil }
    guard let fastest = exact.min(by: { ($0.p50MsK10 ?? 0) < ($1.p50MsK10 ?? 0) }),
      let ratio = ratio(own.p50MsK10, fastest.p50MsK10)
    else { return Console.line("No exact peer could be timed.") }
    let verdict = ratio <= 1 ? "less" : "more: a loss"
    Console.line(
      "Fastest exact peer for one query: \(fastest.peer). This library takes "
        + "\(Decimals.text(ratio)) of its time (\(verdict)).")
  }

  /// Compares 100 queries at once with numpy's matrix product.
  private func printBatch() {
    guard let numpy = peers.first(where: { $0.peer.hasPrefix("numpy") }),
      let ratio = ratio(own.batchQueriesPerSecond, numpy.batchQueriesPerSecond)
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
