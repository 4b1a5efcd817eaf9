import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// Uses a store in a process of its own, for tests that kill it, let it hold a lock, or look at
/// what another process sees. Prints one line for each thing done.
@main
enum StoreWorker {
  static let space = EmbeddingSpace(model: "worker", dimension: 8)

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: store-worker command directory")
      exit(2)
    }
    let directory = URL(filePath: arguments[2], directoryHint: .isDirectory)
    switch arguments[1] {
    case "append-and-compact": try append(to: directory)
    case "serve": try serve(directory)
    case "serve-limited": try serveLimited(directory, Int(arguments.last ?? ""))
    case "lock": try lock(directory)
    case "rank": try rank(directory)
    case "unprivileged": try runUnprivileged(directory)
    case "script", "script-and-follow":
      guard arguments.count == 5, let seed = UInt64(arguments[3]), let first = Int(arguments[4])
      else { exit(2) }
      let follower = arguments[1] == "script" ? nil : WordFollower()
      try script(directory, seed: seed, from: first, follower)
    case "script-and-archive":
      guard arguments.count == 6, let seed = UInt64(arguments[3]), let first = Int(arguments[4])
      else { exit(2) }
      let folder = URL(filePath: arguments[5], directoryHint: .isDirectory)
      try scriptAndArchive(directory, seed: seed, from: first, into: folder)
    case "reopen": try reopen(directory)
    case "index", "migrate", "switch-back": carryOut(try IndexingJob(arguments))
    case "watch": watch(VersionWatch(directory))
    case "watch-rewriting": watch(RewriteWatch(directory))
    case "rewrite": try rewrite(directory)
    case "try-locks": tryLocks(directory)
    case "read-later": try readLater(directory)
    case "fork": try useAfterFork(directory)
    case "relative": try useRelativePath(in: directory)
    case "golden": try GoldenStores.write(below: directory)
    default: exit(2)
    }
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// What an error says first, or `ok`.
  static func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "ok"
    } catch let error as StoreError {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }
}

extension StoreWorker {
  /// Commits for ever, and says the number of each commit once it is acknowledged.
  ///
  /// Commit n stores the record "n" and replaces the record "latest", both with n as text.
  static func append(to directory: URL) throws {
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 2_048
    say("starting")
    let store = try EmbeddingStore(at: directory, space: space, configuration: configuration)
    var number = try store.count() - (try store.contains("latest") ? 1 : 0)
    while true {
      let vector = RandomVectors.vector(number: number, dimension: space.dimension)
      try store.put([
        Record(key: "\(number)", vector: vector, text: "\(number)"),
        Record(key: "latest", vector: vector, text: "\(number)"),
      ])
      say("\(number)")
      number += 1
    }
  }

  /// Carries out lines such as `put key number` until the input ends.
  static func serve(_ directory: URL) throws {
    let store = try EmbeddingStore(at: directory, space: space)
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      say(answer(words, store))
    }
  }

  /// Serves in a process whose files may not grow beyond a limit, until `limit none` lifts it. Says
  /// why when the store can not be opened.
  static func serveLimited(_ directory: URL, _ byteCount: Int?) throws {
    limitFileSize(to: byteCount)
    do {
      try serve(directory)
    } catch let error as StoreError {
      say(error.code.rawValue)
    }
  }

  private static func answer(_ words: [String], _ store: EmbeddingStore) -> String {
    switch (words.first, words.count) {
    case ("put", 3):
      outcome {
        let vector = RandomVectors.vector(
          number: Int(words[2]) ?? 0, dimension: space.dimension)
        try store.put(Record(key: words[1], vector: vector, text: words[2]))
      }
    case ("remove", 2): outcome { try store.remove([words[1]]) }
    case ("compact", _): outcome { try store.compact() }
    case ("refresh", _): outcome { try store.refresh() }
    case ("count", _): (try? store.count()).map(String.init) ?? "failed"
    case ("close", _): outcome { try store.close() }
    case ("limit", 2): outcome { limitFileSize(to: Int(words[1])) }
    default: "unknown"
    }
  }

  /// Holds the writer's lock until the input ends.
  static func lock(_ directory: URL) throws {
    let descriptor = open("\(directory.path)/LOCK", O_RDWR)
    guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { exit(3) }
    say("locked")
    while readLine() != nil {}
  }

  /// Says every match of a few queries with the bits of its score, and the kernel level.
  static func rank(_ directory: URL) throws {
    let store = try EmbeddingStore(readingAt: directory)
    say("level \(try store.statistics().kernelLevel)")
    for number in 0..<4 {
      let vector = RandomVectors.vector(number: 1_000 + number, dimension: store.space.dimension)
      for match in try store.search(Query(.vector(vector), count: .max, grouping: .everyPart)) {
        say("\(number) \(match.key) \(match.part) \(match.score.bitPattern)")
      }
    }
  }

  /// Tries to open, to create, to read and to write without the rights of the superuser.
  static func runUnprivileged(_ directory: URL) throws {
    guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(4) }
    say(outcome { _ = try EmbeddingStore(at: directory, space: space) })
    say(outcome { _ = try EmbeddingStore(readingAt: directory).count() })
    say(
      outcome {
        try EmbeddingStore(at: directory, space: space).put(
          Record(key: "new", vector: [Float](repeating: 1, count: space.dimension)))
      })
  }

  /// Writes to a store at a relative path before and after the process goes elsewhere.
  static func useRelativePath(in directory: URL) throws {
    let files = FileManager.default
    guard files.changeCurrentDirectoryPath(directory.path) else { exit(5) }
    let store = try EmbeddingStore(at: URL(filePath: "./store"), space: space)
    let vector = [Float](repeating: 1, count: space.dimension)
    say(
      outcome {
        try store.put([Record(key: "1", vector: vector), Record(key: "2", vector: vector)])
      })
    guard files.changeCurrentDirectoryPath("/") else { exit(5) }
    say(
      outcome {
        try store.put(Record(key: "3", vector: vector))
        try store.compact()
        try store.put(Record(key: "4", vector: vector))
      })
    say("\(try store.count())")
    say("\(!files.fileExists(atPath: "/store"))")
  }

  /// Says what a store opened before a fork answers in the child.
  static func useAfterFork(_ directory: URL) throws {
    #if canImport(Glibc)
      let store = try EmbeddingStore(at: directory, space: space)
      let vector = [Float](repeating: 1, count: space.dimension)
      try store.put(Record(key: "parent", vector: vector))
      let child = fork()
      if child == 0 {
        say(outcome { _ = try store.count() })
        say(outcome { _ = try store.search(for: vector) })
        say(outcome { try store.put(Record(key: "child", vector: vector)) })
        say(outcome { try store.compact() })
        say(outcome { try store.refresh() })
        say(outcome { try store.close() })
        _exit(0)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      say("\(try store.count())")
      say(outcome { try store.put(Record(key: "parent", vector: vector)) })
    #endif
  }
}
