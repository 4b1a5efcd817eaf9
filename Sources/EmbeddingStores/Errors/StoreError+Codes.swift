// MARK: - What is at the path

extension StoreError.Code {
  /// Nothing is at the path, or a parent directory is missing, or no record has the key.
  public static let notFound = Self(rawValue: "notFound")
  /// The path, or a part of it, is a file.
  public static let notADirectory = Self(rawValue: "notADirectory")
  /// Something else than a store is at the path.
  public static let notAStore = Self(rawValue: "notAStore")
  /// Something is at the path where nothing may be.
  public static let alreadyExists = Self(rawValue: "alreadyExists")
  /// The process may not read or write there.
  public static let permissionDenied = Self(rawValue: "permissionDenied")
  /// The device is locked and the file is protected: try again after the first unlock.
  public static let protectedDataUnavailable = Self(rawValue: "protectedDataUnavailable")
  /// The directory was moved, deleted or replaced while the store was open.
  public static let storeMoved = Self(rawValue: "storeMoved")
  /// A file of the store has a second name (hard link), so it may not be written.
  public static let hardLinked = Self(rawValue: "hardLinked")
}

// MARK: - What the files hold

extension StoreError.Code {
  /// The manifest or the main file does not match its checksums or contradicts itself.
  public static let corrupt = Self(rawValue: "corrupt")
  /// The journal lost or changed entries that were on the medium; see `Recovery`.
  public static let journalCorrupt = Self(rawValue: "journalCorrupt")
  /// A later version of the library wrote the store.
  public static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
  /// The store, the vector or the query belongs to another embedding space.
  public static let spaceMismatch = Self(rawValue: "spaceMismatch")
}

// MARK: - Who may write

extension StoreError.Code {
  /// The store was opened read-only, or the volume is.
  public static let readOnly = Self(rawValue: "readOnly")
  /// This process has the store open for writing in another store object.
  public static let alreadyOpenForWriting = Self(rawValue: "alreadyOpenForWriting")
  /// Another process is writing and did not finish within the time-out.
  public static let locked = Self(rawValue: "locked")
  /// The store object was closed.
  public static let closed = Self(rawValue: "closed")
  /// The store object was opened before the process was forked.
  public static let usedAfterFork = Self(rawValue: "usedAfterFork")
}

// MARK: - What the device did

extension StoreError.Code {
  /// The volume is full, or a quota or file-size limit is reached. Removing works on a full volume.
  public static let noSpace = Self(rawValue: "noSpace")
  /// The system reported an input or output error.
  public static let inputOutput = Self(rawValue: "inputOutput")
  /// An earlier write failed and left the file in doubt: open the store again.
  public static let previousInputOutputError = Self(rawValue: "previousInputOutputError")
  /// The file could not be mapped or is larger than this device can address.
  public static let mappingFailed = Self(rawValue: "mappingFailed")
  /// The volume can not do what was asked, such as letting two directories change places.
  public static let unsupportedVolume = Self(rawValue: "unsupportedVolume")
}

// MARK: - What the caller asked

extension StoreError.Code {
  /// An empty key, or one of more than 65,535 UTF-8 bytes.
  public static let invalidKey = Self(rawValue: "invalidKey")
  /// The vector has another number of components than the space.
  public static let wrongDimension = Self(rawValue: "wrongDimension")
  /// The vector has a component that is infinite or not a number.
  public static let notFinite = Self(rawValue: "notFinite")
  /// The vector is shorter than 1e-6, so it has no direction.
  public static let zeroVector = Self(rawValue: "zeroVector")
  /// A component does not fit Float16 (beyond 65,504) in a space without normalisation.
  public static let outOfRange = Self(rawValue: "outOfRange")
  /// An argument has a value that makes no sense; the message names it.
  public static let invalidArgument = Self(rawValue: "invalidArgument")
  /// `insert` met a key and part that the store has.
  public static let duplicateKey = Self(rawValue: "duplicateKey")
  /// A label, metadata, text or number of rows is beyond what the format holds.
  public static let limitExceeded = Self(rawValue: "limitExceeded")
  /// `reconcile` would have removed a larger share than allowed.
  public static let tooManyRemovals = Self(rawValue: "tooManyRemovals")
  /// The task was cancelled, or the app is about to be suspended.
  public static let cancelled = Self(rawValue: "cancelled")
  /// The store is being compacted already.
  public static let compactionInProgress = Self(rawValue: "compactionInProgress")
  /// An encoder gave back something else than one vector of its space for each input.
  public static let encoderFailed = Self(rawValue: "encoderFailed")
}
