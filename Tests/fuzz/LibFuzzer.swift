#if FUZZING
  import EmbeddingFuzzing
  import Foundation

  /// The target that the environment names: libFuzzer has the arguments, and its children inherit
  /// the environment.
  private let target: any FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
    guard let target = allFuzzTargets.first(where: { $0.name == name }) else {
      fatalError("Set FUZZ_TARGET to one of \(allFuzzTargets.map(\.name)).")
    }
    return target
  }()

  /// What libFuzzer, which has the `main`, calls with every input.
  @_cdecl("LLVMFuzzerTestOneInput")
  func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ byteCount: Int) -> CInt {
    do {
      try target.run([UInt8](UnsafeBufferPointer(start: bytes, count: byteCount)))
    } catch {
      // Ends the process in a way that libFuzzer reports.
      fatalError("FINDING: \(error)")
    }
    return 0
  }
#endif
