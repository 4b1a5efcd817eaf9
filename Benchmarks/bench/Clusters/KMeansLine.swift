/// What `clusters.py` reports of another library.
struct KMeansLine: Codable {
  var peer: String
  var version: String
  var seconds: Double
  var objective: Double
  var note: String
}
