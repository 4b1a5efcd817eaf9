package import Foundation

/// A reader that looks at a store again and again while others write it.
package protocol Watch {
  init(_ directory: URL)
  var lookCount: Int { get }
  /// Looks once; says what must not be.
  mutating func look() -> String?
}
