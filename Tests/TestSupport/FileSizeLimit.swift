#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Lets no file of this process grow beyond `byteCount` bytes, or, with nil, as far as the volume
/// lets it. Writes beyond fail with `EFBIG`.
package func limitFileSize(to byteCount: Int?) {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit()
  #if canImport(Darwin)
    let resource = RLIMIT_FSIZE
  #else
    // Glibc's constant is an enumeration that Swift does not import under its name.
    let resource = __rlimit_resource_t(1)
  #endif
  getrlimit(resource, &limit)
  limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
  setrlimit(resource, &limit)
}
