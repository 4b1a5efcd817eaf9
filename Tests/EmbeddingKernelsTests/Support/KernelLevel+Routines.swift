import CEmbeddingKernels
import EmbeddingKernels

/// What most tests run on: every level that this machine can run.
let availableLevels = KernelLevel.allCases.filter(\.isAvailable)

extension KernelLevel {
  private var code: ek_level {
    switch self {
    case .scalar: ek_level_scalar
    case .avx2: ek_level_avx2
    case .avx512: ek_level_avx512
    case .neon: ek_level_neon
    case .avxvnni: ek_level_avxvnni
    case .avx512vnni: ek_level_avx512vnni
    case .neondot: ek_level_neondot
    }
  }

  /// The C routines of an available level.
  var routines: ek_kernels {
    guard let table = ek_kernels_at(code) else { fatalError("\(self) is not available") }
    return table.pointee
  }

  /// The C routines on codes of an available level.
  var codeRoutines: ek_code_kernels {
    guard let table = ek_code_kernels_at(code) else { fatalError("\(self) is not available") }
    return table.pointee
  }

  var kernels: Kernels {
    guard let kernels = Kernels(level: self) else { fatalError("\(self) is not available") }
    return kernels
  }
}
