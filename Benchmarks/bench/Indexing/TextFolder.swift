/// What counts as a text file.
enum TextFolder {
  static let pathExtensions: Set = ["md", "txt", "swift", "c", "h", "py"]
}
