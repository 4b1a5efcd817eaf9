import EmbeddingTestSupport

extension OperationRun {
  /// A fault that the input describes: which call fails, after how many, and whether for ever.
  static func fault(_ source: inout ByteSource) -> FaultyFileSystem.Fault {
    let calls = FaultyFileSystem.Call.allCases
    let index = source.below(calls.count + 1)
    let details = source.byte()
    let call = index < calls.count ? calls[index] : nil
    let number = 1 + Int(details & 31)
    let isSticky = details & 64 != 0
    return details & 128 == 0
      ? .noSpace(call, number: number, isSticky: isSticky)
      : .inputOutput(call, number: number, isSticky: isSticky)
  }
}
