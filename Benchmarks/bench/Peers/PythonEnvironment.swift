import Foundation

/// The Python environment of the peers: `Benchmarks/Peers/.venv`, made when it is needed.
struct PythonEnvironment {
  private let folder: URL
  private let python: URL

  /// Makes the environment unless it is there with the present requirements.
  static func prepared() throws -> PythonEnvironment {
    let folder = try DataSetLocation.benchmarksFolder("Peers", holding: "peers.py")
    let venv = folder.appending(path: ".venv")
    let environment = PythonEnvironment(
      folder: folder, python: venv.appending(path: "bin/python3"))
    if !FileManager.default.fileExists(atPath: environment.python.path) {
      Console.progress("Making \(venv.path)")
      let arguments = ["python3", "-m", "venv", venv.path]
      guard try run(URL(filePath: "/usr/bin/env"), arguments) == 0 else {
        throw BenchError(
          "python3 -m venv failed. Install Python 3 with its venv module, and try again.")
      }
    }
    try environment.install()
    return environment
  }

  /// The names that `peers.py` knows.
  func peerNames() throws -> [String] {
    let output = Pipe()
    let names = "import peers; print(*peers.PEERS)"
    guard try Self.run(python, ["-c", names], in: folder, output: output) == 0 else {
      throw BenchError("peers.py can not be imported; Python's message is above.")
    }
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Runs one peer, or several with commas between them, and reads the report.
  func run(
    peer name: String, on data: URL, _ arguments: Arguments, queryCount: Int,
    reportTo report: URL
  ) throws -> [PeerLine] {
    try run(
      "peers.py", on: data, arguments, ["--queries", "\(queryCount)", "--only", name],
      reportTo: report)
  }

  /// Runs one of the scripts on a folder of data, and reads the report that it writes.
  func run<Report: Decodable>(
    _ script: String, on data: URL, _ arguments: Arguments, _ others: [String],
    reportTo report: URL
  ) throws -> Report {
    let words = [
      folder.appending(path: script).path, "--data", data.path, "--json", report.path,
      "--threads", "\(arguments.usedThreadCount)",
    ]
    guard try Self.run(python, words + others) == 0 else {
      throw BenchError("\(script) failed; its message is above.")
    }
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: report))
  }

  /// Installs the requirements, one by one when all together fail: a peer that can not be
  /// installed is reported by `peers.py` and does not stop the others.
  private func install() throws {
    let requirements = folder.appending(path: "requirements.txt")
    let wanted = try String(contentsOf: requirements, encoding: .utf8)
    let stamp = folder.appending(path: ".venv/installed-requirements.txt")
    if let installed = try? String(contentsOf: stamp, encoding: .utf8), installed == wanted {
      return
    }
    Console.progress("Installing the peers")
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if try Self.run(python, pip + ["-r", requirements.path]) != 0 {
      for line in wanted.split(separator: "\n") where !line.hasPrefix("#") {
        if try Self.run(python, pip + [String(line)]) != 0 {
          Console.progress("\(line) could not be installed")
        }
      }
    }
    try wanted.write(to: stamp, atomically: true, encoding: .utf8)
  }

  /// Runs a program to its end, its messages going where ours go, and returns its exit code.
  private static func run(
    _ program: URL, _ arguments: [String], in folder: URL? = nil, output: Pipe? = nil
  ) throws -> Int32 {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output ?? FileHandle.standardError
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
