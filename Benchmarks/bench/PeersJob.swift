/// Times other libraries beside this one.
struct PeersJob {
  init(_ arguments: Arguments) {}
  func run() throws { throw BenchError("not there yet") }
}
