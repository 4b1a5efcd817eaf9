internal import EmbeddingStores
internal import Foundation

extension TextIndex {
  /// Opens the file, or makes it; an index in memory where that is all there can be.
  func open() throws -> State {
    let identifier = try store.snapshot().storeIdentifier
    guard let path else { return try inMemory(identifier) }
    do {
      return try open(path, identifier)
    } catch let error as DatabaseError where error.spoilsOpening && !store.isReadOnly {
      try deleteFile()
      return try open(path, identifier)
    } catch is DatabaseError {
      return try inMemory(identifier)
    }
  }

  private func open(_ path: String, _ identifier: [UInt8]) throws -> State {
    let database = try Database(path: path, mode: store.isReadOnly ? .read : .create)
    let table = try WordTable(database, engine: engine)
    switch try table.state(for: identifier) {
    case .usable: break
    case .outdated:
      if store.isReadOnly { return try inMemory(identifier) }
      try database.transaction {
        // Another process may have made it in the meantime.
        if try table.state(for: identifier) != .usable { try table.create(for: identifier) }
      }
    case .foreign:
      if store.isReadOnly { return try inMemory(identifier) }
      throw StoreError(
        .alreadyExists,
        "The file is a database of something else, at the place of the store's text index. Move it "
          + "elsewhere.", path: path)
    }
    return State(table: table, place: store.isReadOnly ? .readOnlyFile : .file)
  }

  func inMemory(_ identifier: [UInt8]) throws -> State {
    let table = try WordTable(try Database(path: "", mode: .memory), engine: engine)
    try table.database.transaction { try table.create(for: identifier) }
    return State(table: table, place: .memory)
  }

  func deleteFile() throws {
    guard let path, !store.isReadOnly else { return }
    for file in [path + "-journal", path] where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.removeItem(atPath: file)
    }
  }
}
