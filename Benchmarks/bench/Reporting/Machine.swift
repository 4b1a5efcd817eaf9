import EmbeddingKernels
import Foundation

/// What the figures were measured on.
struct Machine: Encodable {
  let processor: String
  let cores: Int
  let kernelLevel: String
  let system: String

  init() {
    cores = ProcessInfo.processInfo.activeProcessorCount
    kernelLevel = Kernels.current.level.rawValue
    system = ProcessInfo.processInfo.operatingSystemVersionString
    let cpuinfo = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let model = cpuinfo?.split(separator: "\n").first { $0.hasPrefix("model name") }
    processor =
      model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
      ?? "unknown processor"
  }

  var summary: String {
    "\(processor), \(cores) cores, kernels \(kernelLevel), \(system)"
  }
}
