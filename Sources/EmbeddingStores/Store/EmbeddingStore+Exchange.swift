internal import EmbeddingFiles

extension EmbeddingStore {
  /// Lets the store at `path`, in the same parent directory, and this one change places in one step,
  /// while nobody writes to this one.
  ///
  /// `prepare` gets everything that was committed here, and must leave the other store closed. Reading
  /// from this object goes on as before; writing with it throws `.storeMoved`.
  package func exchangePlaces(
    with path: String, after prepare: (Snapshot) throws(StoreError) -> Void
  ) throws(StoreError) {
    var failure: StoreError?
    do throws(StoreError) {
      try translatingErrors { () throws(StorageError) in
        try files.exchangePlaces(with: path) { (contents) throws(StorageError) in
          do throws(StoreError) {
            try prepare(snapshot(of: contents))
          } catch {
            failure = error
            throw StorageError(.cancelled, "The stores did not change places.")
          }
        }
      }
    } catch {
      throw failure ?? error
    }
    closeCompanions()
  }
}
