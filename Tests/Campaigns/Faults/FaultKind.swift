internal import EmbeddingFiles
internal import EmbeddingTestSupport
internal import Foundation

/// One way in which a call of a file system fails, and the calls that can fail so.
struct FaultKind: Sendable {
  typealias Call = FaultyFileSystem.Call

  let name: String
  let calls: Set<Call>
  let code: StorageError.Code
  let errorNumber: Int32
  /// Whether a failing sync also makes the system forget what was to be written, so that the next
  /// sync succeeds without it.
  var forgetsUnsynced = false

  func fault(number: Int, isSticky: Bool) -> FaultyFileSystem.Fault {
    FaultyFileSystem.Fault(
      among: calls, number: number, isSticky: isSticky, code: code, errorNumber: errorNumber)
  }

  static let all = [
    FaultKind(
      name: "EIO", calls: Set(Call.allCases), code: .inputOutput, errorNumber: EIO),
    FaultKind(
      name: "EIO, forgetting what was to be synced", calls: [.sync], code: .inputOutput,
      errorNumber: EIO, forgetsUnsynced: true),
    FaultKind(name: "ENOSPC", calls: growing, code: .noSpace, errorNumber: ENOSPC),
    FaultKind(name: "EDQUOT", calls: growing, code: .noSpace, errorNumber: EDQUOT),
    FaultKind(name: "EFBIG", calls: [.write, .truncate], code: .noSpace, errorNumber: EFBIG),
    FaultKind(name: "EAGAIN", calls: onDescriptors, code: .inputOutput, errorNumber: EAGAIN),
    FaultKind(name: "EACCES", calls: onNames, code: .permissionDenied, errorNumber: EACCES),
    FaultKind(
      name: "EPERM", calls: [.open, .create], code: .protectedDataUnavailable, errorNumber: EPERM),
    FaultKind(name: "EROFS", calls: changing, code: .readOnly, errorNumber: EROFS),
    FaultKind(
      name: "EMFILE", calls: [.open, .create, .list, .syncDirectory], code: .inputOutput,
      errorNumber: EMFILE),
    FaultKind(name: "ENOMEM", calls: [.map], code: .mappingFailed, errorNumber: ENOMEM),
  ]

  /// Calls that may need room on the volume.
  private static let growing: Set<Call> = [
    .create, .createDirectory, .rename, .write, .sync, .syncDirectory,
  ]
  private static let onDescriptors: Set<Call> = [
    .inspectFile, .read, .write, .sync, .truncate, .map, .tryLock, .unlock, .close,
  ]
  private static let onNames: Set<Call> = [
    .open, .create, .inspect, .createDirectory, .list, .rename, .unlink, .syncDirectory,
  ]
  private static let changing: Set<Call> = [
    .create, .createDirectory, .rename, .unlink, .write, .truncate,
  ]
}
