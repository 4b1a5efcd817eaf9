internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// The exact search that reads compact codes first and Float16 rows last.
///
/// Every stage of codes gives a row an upper bound of its score. A row whose bound is below the
/// worst score of a full result can not enter it, so it is never looked at again; every other one
/// ends up scored by the same kernel as in `FullScan`. The result is the same bit for bit, in
/// whatever order rows are visited. `Docs/Search.md` has the proof and the figures.
struct Cascade: Sendable {
  /// For rows without codes, and where codes do not pay.
  let scan: FullScan
  let codes: CodeQuery
  /// Cleared when too many rows survive; then the rest is scanned.
  let pays = SharedFlag(true)

  var plan: SearchPlan { scan.plan }
  var main: MainFile { plan.contents.main }

  /// The layout of the codes that a search would read; nil when the rows have none, or when reading
  /// them can not pay.
  static func layout(for plan: SearchPlan) -> CodeLayout? {
    let main = plan.contents.main
    guard main.codeState == .present, plan.capacity < main.rowCount / rowsPerMatch,
      let layout = CodeLayout(dimension: main.header.space.dimension),
      main.codeByteCount
        == layout.byteCount(rowCount: main.rowCount) + CodeBasis.byteCount(layout),
      pays(plan, layout)
    else { return nil }
    return layout
  }

  /// Rotates the query; nil when there is no bound for it.
  init?(
    plan: SearchPlan, _ layout: CodeLayout, cancellation: WorkCancellation
  ) throws(StorageError) {
    let codes = try plan.contents.main.withCodeBasis { (basis) throws(StorageError) in
      CodeQuery(
        plan.query, basis: basis, layout, rowLength: plan.contents.maximumRowLength)
    }
    guard let codes else { return nil }
    scan = FullScan(plan: plan, cancellation: cancellation)
    self.codes = codes
  }

  /// Whether the allowed rows have more bytes than rotating the query reads.
  private static func pays(_ plan: SearchPlan, _ layout: CodeLayout) -> Bool {
    guard let allowed = plan.allowed else { return true }
    return allowed.count * plan.contents.stride > CodeBasis.byteCount(layout)
  }

  /// With fewer rows for each match that is asked for, too few can be skipped.
  static let rowsPerMatch = 32
}

/// A flag that any thread may clear.
final class SharedFlag: Sendable {
  private let flag: Atomic<Bool>

  init(_ value: Bool) { flag = Atomic(value) }

  var value: Bool { flag.load(ordering: .relaxed) }

  func clear() { flag.store(false, ordering: .relaxed) }
}
