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
}
