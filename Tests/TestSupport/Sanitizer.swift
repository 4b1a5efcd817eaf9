import Foundation

/// Whether the tests run under a sanitizer, as `.ci/sanitize` says.
public let isSanitized = ProcessInfo.processInfo.environment["EMBEDDING_SANITIZER"] != nil
