import EmbeddingTestSupport
import Foundation

extension StoreWorker {
  /// Looks at the versions of a store until the input ends, then says how often.
  static func watch(_ directory: URL) {
    var watch = VersionWatch(directory)
    if let problem = watch.look() { say(problem) }
    say("watching")
    while !isInputOver {
      if let problem = watch.look() { say(problem) }
    }
    say("\(watch.lookCount)")
  }

  private static var isInputOver: Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }
}
