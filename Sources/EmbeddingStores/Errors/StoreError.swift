package import EmbeddingFiles
public import Foundation

/// Why a call on a store failed: a code to switch on, and a message that says what to do.
///
/// A call that throws has changed nothing, unless its documentation says otherwise.
public struct StoreError: LocalizedError, Equatable, Sendable {
  /// A reason to switch on. More may be added in later versions.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, such as `"noSpace"`.
    public let rawValue: String

    /// Makes a code by name, to compare with.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The reason.
  public var code: Code
  /// One or two sentences: what happened, and what to do about it.
  public var message: String
  /// The file or directory concerned, if any.
  public var path: String?
  /// The key of the record concerned, if any.
  public var key: String?
  /// The system's error number (`errno`) behind it, or 0.
  public var systemErrorNumber: Int32

  package init(_ code: Code, _ message: String, path: String? = nil, key: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.key = key
    systemErrorNumber = 0
  }

  package init(_ error: StorageError) {
    code = Code(rawValue: error.code.rawValue)
    message = error.message
    path = error.path.isEmpty ? nil : error.path
    key = error.key
    systemErrorNumber = error.systemErrorNumber
  }

  /// The message, with the path when it does not name it itself.
  public var errorDescription: String? {
    guard let path, !message.contains(path) else { return message }
    return "\(message) (\(path))"
  }
}

extension StoreError: CustomStringConvertible {
  /// The code and the message.
  public var description: String {
    "\(code.rawValue): \(errorDescription ?? message)"
  }
}

/// Runs what throws the errors of the files, and throws the store's instead.
package func translatingErrors<Result>(
  _ body: () throws(StorageError) -> Result
) throws(StoreError) -> Result {
  do throws(StorageError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}
