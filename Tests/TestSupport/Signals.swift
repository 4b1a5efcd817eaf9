#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

func signalKill(_ process: Int32) {
  _ = kill(process, SIGKILL)
}
