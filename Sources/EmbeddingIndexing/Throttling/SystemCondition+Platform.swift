internal import Foundation

#if canImport(Darwin)
  extension SystemCondition {
    static var current: SystemCondition {
      let process = ProcessInfo.processInfo
      switch process.thermalState {
      case .critical: return .critical
      case .serious: return .strained
      default: return process.isLowPowerModeEnabled ? .strained : .good
      }
    }
  }
#else
  extension SystemCondition {
    /// Linux has no thermal state that every machine tells.
    static var current: SystemCondition {
      var load = 0.0
      guard unsafe getloadavg(&load, 1) == 1 else { return .good }
      return load > 2 * Double(ProcessInfo.processInfo.activeProcessorCount) ? .strained : .good
    }
  }
#endif
