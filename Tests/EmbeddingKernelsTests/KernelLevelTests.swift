import EmbeddingKernels
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct KernelLevelTests {
  @Test func scalarIsAlwaysAvailableAndTheBestLevelIs() {
    #expect(KernelLevel.scalar.isAvailable)
    #expect(KernelLevel.best.isAvailable)
    #if arch(arm64)
      #expect([.neon, .neondot].contains(KernelLevel.best))
    #else
      #expect(!KernelLevel.neon.isAvailable)
    #endif
  }

  @Test(arguments: KernelLevel.allCases)
  func routinesExistExactlyForAvailableLevels(level: KernelLevel) {
    #expect(Kernels(level: level)?.level == (level.isAvailable ? level : nil))
  }

  #if os(Linux) || os(macOS)
    @Test(arguments: availableLevels.map(\.rawValue))
    func theEnvironmentForcesAnAvailableLevel(name: String) async {
      await #expect(processExitsWith: .success) { [name = name as String] in
        setenv("EMBEDDING_KERNEL_LEVEL", name, 1)
        precondition(Kernels.current.level.rawValue == name)
      }
    }

    @Test(
      arguments: KernelLevel.allCases.filter { !$0.isAvailable }.map(\.rawValue) + ["sse9", ""])
    func unknownAndUnavailableLevelsAreIgnored(name: String) async {
      await #expect(processExitsWith: .success) { [name = name as String] in
        setenv("EMBEDDING_KERNEL_LEVEL", name, 1)
        precondition(Kernels.current.level == .best)
      }
    }
  #endif
}
