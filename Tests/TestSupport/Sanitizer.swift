import Foundation

/// Whether the tests run under a sanitizer, as `.ci/sanitize` says.
public let isSanitized = sanitizer != nil

/// Whether it is the one that looks for races.
public let isThreadSanitized = sanitizer == "thread"

private let sanitizer = ProcessInfo.processInfo.environment["EMBEDDING_SANITIZER"]
