extension PostgresError {
  /// An error that the server reported, by its SQLSTATE.
  static func server(_ sqlState: String, _ serverMessage: String) -> PostgresError {
    let (code, message): (Code, String) =
      switch sqlState {
      case "25P03":
        (.connectionLost, "The server waited too long in the middle of a batch. Try again.")
      case "57014": (.timedOut, "The server gave up the statement. Allow it more time.")
      case "57P01", "57P02", "57P03":
        (.connectionLost, "The server is shutting down. Try again when it is back.")
      case "42501", "28000", "28P01":
        (.permissionDenied, "The role may not do this. Check its password and its grants.")
      case "53100", "58030":
        (.diskFull, "The server can not write. Make room on its disk and try again.")
      case "42P01", "3F000":
        (.missingTable, "The table does not exist. Create it first: `create()`.")
      case "42703", "42P10", "42804", "22000":
        (.wrongTable, "The table is not the one that the schema describes.")
      case "0A000" where serverMessage.contains("vector"), "42704":
        (.missingExtension, "The server lacks a type or an extension. Install pgvector.")
      case "54000": (.limitExceeded, "A value is too large for PostgreSQL.")
      case "23505", "40001", "40P01", "55P03":
        (.conflict, "Somebody else changed the same rows. Try again.")
      default:
        switch sqlState.prefix(2) {
        case "53": (.outOfResources, "The server has no room for this now. Try again later.")
        case "08": (.connectionLost, "The connection was lost. Try again.")
        case "28": (.permissionDenied, "The server refused the role.")
        case "58": (.diskFull, "The server's disk failed.")
        default: (.serverError, "The server refused a statement.")
        }
      }
    return PostgresError(code, message, serverMessage: serverMessage, sqlState: sqlState)
  }
}
