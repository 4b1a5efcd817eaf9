/// What was measured of one library; what `peers.py` reports of each, and the same of this one.
struct PeerLine: Codable {
  var peer: String
  var version: String?
  var exact: Bool
  var rows: Int
  var dimension: Int
  var threads: Int
  var buildSeconds: Double?
  var putRowsPerSecond: Double?
  var byteCount: Int?
  var p50MsK10: Double?
  var p99MsK10: Double?
  var p50MsK100: Double?
  var p99MsK100: Double?
  var batchQueriesPerSecond: Double?
  var recallAt10: Double?
  var agreementAt10: Double?
  var note: String

  enum CodingKeys: String, CodingKey {
    case peer, version, exact, rows, dimension, threads, note
    case buildSeconds = "build_seconds"
    case putRowsPerSecond = "put_rows_per_second"
    case byteCount = "byte_count"
    case p50MsK10 = "p50_ms_k10"
    case p99MsK10 = "p99_ms_k10"
    case p50MsK100 = "p50_ms_k100"
    case p99MsK100 = "p99_ms_k100"
    case batchQueriesPerSecond = "batch_queries_per_second"
    case recallAt10 = "recall_at_10"
    case agreementAt10 = "agreement_at_10"
  }
}
