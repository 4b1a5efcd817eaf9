public import EmbeddingStores
public import Foundation

/// Why a call on a server failed: a code to switch on, and a message that says what to do.
///
/// A call that throws has left the table as it was, but for batches that were committed before; these
/// are whole, and the next call goes on behind them.
public struct PostgresError: LocalizedError, Equatable, Sendable {
  /// A reason to switch on. More may be added in later versions.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, such as `"diskFull"`.
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
  /// What the server or libpq said, word for word, if it said something.
  public var serverMessage: String?
  /// The five characters by which PostgreSQL names the server's error, if it was one.
  public var sqlState: String?
  /// The key of the record concerned, if any.
  public var key: String?
  /// The store's error behind it, for `.store`.
  public var storeError: StoreError?

  init(
    _ code: Code, _ message: String, serverMessage: String? = nil, sqlState: String? = nil,
    key: String? = nil
  ) {
    self.code = code
    self.message = message
    self.serverMessage = serverMessage
    self.sqlState = sqlState
    self.key = key
  }

  init(_ error: StoreError) {
    self.init(error.code == .cancelled ? .cancelled : .store, error.message, key: error.key)
    storeError = error
  }

  /// The message, and what the server said.
  public var errorDescription: String? {
    guard let serverMessage else { return storeError?.errorDescription ?? message }
    return "\(message) The server said: \(serverMessage)"
  }
}

extension PostgresError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code.rawValue): \(errorDescription ?? message)" }
}

/// Runs what throws the store's errors, and throws those of this module instead.
func asPostgresError<Result>(
  _ body: () throws(StoreError) -> Result
) throws(PostgresError) -> Result {
  do throws(StoreError) {
    return try body()
  } catch {
    throw PostgresError(error)
  }
}
