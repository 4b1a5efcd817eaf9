extension Connection {
  /// Tells the server whose rows are asked for, and when to give up.
  ///
  /// A device that is gone in the middle of a batch must not keep the others of its owner waiting, so
  /// the server looks for it, too, and undoes what it began.
  func prepareSession(owner: String, timeout: Duration) throws(PostgresError) {
    try run(
      """
      SELECT set_config('embeddings.owner', $1::text, false),
        set_config('statement_timeout', $2::text, false),
        set_config('idle_in_transaction_session_timeout', $2::text, false),
        set_config('tcp_keepalives_idle', '30', false),
        set_config('tcp_keepalives_interval', '10', false),
        set_config('tcp_keepalives_count', '3', false)
      """, [.text(owner), .text(timeout.milliseconds())])
    // So that a statement ends soon after its device: servers from PostgreSQL 14 on can, where their
    // system can.
    do throws(PostgresError) {
      try run("SELECT set_config('client_connection_check_interval', '1s', false)")
    } catch {
      guard error.sqlState != nil, isUsable else { throw error }
    }
  }
}

extension Duration {
  /// What PostgreSQL takes for a time-out: at least one, since none means for ever.
  func milliseconds(times factor: Int64 = 1) -> String {
    let (seconds, attoseconds) = components
    let whole = min(seconds, 200_000) * 1_000 + attoseconds / 1_000_000_000_000_000
    return "\(max(1, whole) * factor)ms"
  }
}
