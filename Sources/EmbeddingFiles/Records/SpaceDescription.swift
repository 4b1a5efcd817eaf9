/// What makes the vectors of a store comparable, as its main file says it.
package struct SpaceDescription: Equatable, Sendable {
  package var model: String
  package var revision: String
  package var dimension: Int
  /// Whether rows were scaled to length 1 before they were stored.
  package var isNormalized: Bool

  package init(model: String, revision: String, dimension: Int, isNormalized: Bool) {
    self.model = model
    self.revision = revision
    self.dimension = dimension
    self.isNormalized = isNormalized
  }

  /// Model and revision are compared by bytes: " m" is not "m".
  package static func == (first: SpaceDescription, second: SpaceDescription) -> Bool {
    KeyOrder.areEqual(first.model, second.model)
      && KeyOrder.areEqual(first.revision, second.revision)
      && first.dimension == second.dimension && first.isNormalized == second.isNormalized
  }
}
