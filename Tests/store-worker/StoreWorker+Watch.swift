import EmbeddingTestSupport
import Foundation

extension StoreWorker {
  /// Looks at a store until the input ends, then says how often.
  static func watch(_ watch: some Watch) {
    var watch = watch
    if let problem = watch.look() { say(problem) }
    say("watching")
    while !isInputOver {
      if let problem = watch.look() { say(problem) }
    }
    say("\(watch.lookCount)")
  }

  static var isInputOver: Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }
}
