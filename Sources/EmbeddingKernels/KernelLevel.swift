import CEmbeddingKernels

/// An instruction-set tier. Every level returns the same bits; only the speed differs.
package enum KernelLevel: String, CaseIterable, Sendable {
  /// Plain C for any processor; defines what the others return.
  case scalar
  /// AVX2, FMA and F16C.
  case avx2
  /// AVX-512 F, BW, VL and DQ.
  case avx512
  /// Every 64-bit Arm processor.
  case neon
  /// AVX-VNNI (sums of byte products) and what `avx2` has.
  case avxvnni
  /// AVX-512 VNNI and what `avx512` has.
  case avx512vnni
  /// Arm's dot product of bytes and what `neon` has.
  case neondot

  /// Whether this build contains the level and this processor can run it.
  package var isAvailable: Bool { ek_kernels_at(code) != nil }

  /// The fastest available level.
  package static var best: KernelLevel {
    [.avx512vnni, .avx512, .avxvnni, .avx2, .neondot, .neon].first(where: \.isAvailable) ?? .scalar
  }

  var code: ek_level {
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
}
