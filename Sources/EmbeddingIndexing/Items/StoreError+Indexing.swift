public import EmbeddingStores

extension StoreError.Code {
  /// A source could not list all of its items. What it listed is indexed, nothing is removed.
  public static let sourceFailed = Self(rawValue: "sourceFailed")
  /// A plan was made for another store or space than it is run with.
  public static let foreignPlan = Self(rawValue: "foreignPlan")
  /// The new store of a migration lacks more than may be left behind.
  public static let migrationIncomplete = Self(rawValue: "migrationIncomplete")
  /// An indexer does a run already.
  public static let indexingInProgress = Self(rawValue: "indexingInProgress")
}
