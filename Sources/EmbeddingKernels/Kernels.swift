import CEmbeddingKernels

/// One level's routines.
///
/// Safe to share: the table is a constant of the C module, which nothing ever writes.
@safe
package struct Kernels: @unchecked Sendable {  // The pointer leads to constant data.
  package let level: KernelLevel
  let table: UnsafePointer<ek_kernels>
  let codes: UnsafePointer<ek_code_kernels>

  /// Nil when the level is not available.
  package init?(level: KernelLevel) {
    guard let table = ek_kernels_at(level.code), let codes = ek_code_kernels_at(level.code) else {
      return nil
    }
    self.level = level
    self.table = table
    self.codes = codes
  }

  private init() {
    level = .scalar
    // The scalar level is part of every build.
    table = ek_kernels_at(ek_level_scalar)!
    codes = ek_code_kernels_at(ek_level_scalar)!
  }

  /// The level that the environment variable `EMBEDDING_KERNEL_LEVEL` names, read once per
  /// process; the best one when it is unset, unknown or not available.
  package static let current: Kernels = {
    let requested = ek_requested_level().flatMap { KernelLevel(rawValue: String(cString: $0)) }
    return requested.flatMap(Kernels.init(level:)) ?? Kernels(level: .best) ?? Kernels()
  }()
}
