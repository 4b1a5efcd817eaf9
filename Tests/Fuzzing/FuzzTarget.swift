/// A part of the store that is given bytes nobody vouches for.
///
/// Whatever the bytes, a run must end soon, never trap, and never allocate much more than the bytes
/// describe. Every target is deterministic up to the random numbers that name a store.
package protocol FuzzTarget: Sendable {
  /// The name to call it by, and of the folder of its corpus.
  var name: String { get }
  /// Inputs to start from, made by the library itself.
  func seeds() throws -> [[UInt8]]
  /// Gives the bytes to the store. Throws a `FuzzFinding`, or any error that the store should not
  /// have thrown.
  func run(_ input: [UInt8]) throws
}

/// A wrong answer.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  /// Throws when a claim does not hold.
  static func require(_ claim: Bool, _ description: @autoclosure () -> String) throws {
    guard claim else { throw FuzzFinding(description()) }
  }
}
