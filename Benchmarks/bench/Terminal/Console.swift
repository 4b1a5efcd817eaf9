import Foundation

/// Where the program writes: results to standard output, progress and complaints to standard
/// error, so that a table can be redirected to a file.
enum Console {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  static func progress(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Whether somebody watches the progress on a terminal.
  static let isWatched = isatty(STDERR_FILENO) == 1

  /// Writes over the terminal's line that was written so before.
  static func redraw(_ text: String) {
    FileHandle.standardError.write(Data("\r\(text)\u{1B}[K".utf8))
  }
}
