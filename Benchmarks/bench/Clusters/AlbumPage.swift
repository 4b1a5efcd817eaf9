import EmbeddingClusters
import Foundation

/// Albums as one HTML file that needs no other.
struct AlbumPage {
  let albums: SmartAlbums
  let title: String
  /// Where keys are paths of pictures, if anywhere.
  let images: URL?

  private static let memberCount = 24

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en"><meta charset="utf-8"><title>\(Self.escaped(title))</title>
    <style>
    body { font: 14px system-ui, sans-serif; margin: 2em; }
    figure { display: inline-block; margin: 2px; vertical-align: top; max-width: 14em; }
    figcaption { font-size: 11px; color: #555; overflow-wrap: anywhere; }
    img { width: 110px; height: 110px; object-fit: contain; background: #f4f4f4; }
    </style>
    <h1>\(Self.escaped(title))</h1>
    <p>\(albums.albums.count) albums, the largest first; \(albums.rest.count) rows are in none. Of each
    the members nearest the centroid, the cover first, then the farthest; the number is the score.</p>
    \(albums.albums.map(section).joined(separator: "\n"))
    </html>

    """
  }

  private func section(_ album: Album) -> String {
    let members = album.cluster.members
    let nearest = members.prefix(Self.memberCount)
    let farthest = members.dropFirst(nearest.count).suffix(4)
    let labels = album.summary.labels + album.summary.words
    return """
      <section><h2>\(Self.escaped(album.title))</h2>
      <p>\(members.count) members, cohesion \(Decimals.text(album.cluster.cohesion, places: 3)):
      \(Self.escaped(labels.map { "\($0.text) (\($0.count))" }.joined(separator: ", ")))</p>
      <div>\(nearest.map(figure).joined())</div>
      <div>… \(farthest.map(figure).joined())</div></section>
      """
  }

  private func figure(_ member: Cluster.Member) -> String {
    let name = Self.escaped(member.row.key.split(separator: "/").last.map(String.init) ?? "")
    let score = Decimals.text(member.score, places: 2)
    let picture = picture(member.row.key).map { "<img src=\"\($0)\" alt=\"\">" } ?? ""
    return "<figure>\(picture)<figcaption>\(name) \(score)</figcaption></figure>"
  }

  /// The picture itself as an address, so that the page holds all that it shows.
  private func picture(_ key: String) -> String? {
    guard let url = images?.appending(path: key), let data = try? Data(contentsOf: url) else {
      return nil
    }
    let type = url.pathExtension.lowercased() == "png" ? "png" : "jpeg"
    return "data:image/\(type);base64,\(data.base64EncodedString())"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
