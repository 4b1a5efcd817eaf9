public import EmbeddingStores
public import Foundation

/// The tokenizer of CLIP's text encoders: byte-pair encoding with the vocabulary file that is
/// distributed with the models.
///
///     tokenizer.encode("A photo of a dog").ids
///     // [49406, 320, 1125, 539, 320, 1929, 49407, 0, 0, ...], 77 of them
///
/// The ids equal those of the reference (OpenAI's `clip.tokenize`, with `ftfy` installed as it
/// asks), whose steps are: repair the text, replace HTML character references, collapse white
/// space, lower the case, split into words, and join each word's bytes by the vocabulary's merges.
/// Text of any script and emoji can be encoded; a byte that takes part in no merge is a token by
/// itself. As in the reference, `<|startoftext|>` and `<|endoftext|>` in a text are those tokens.
///
/// There is one known difference: the reference also repairs text that was decoded with the wrong
/// encoding ("schÃ¶n" for "schön"), and this tokenizer takes such text as it is. Beyond it, scalars
/// that are newer than one side's version of Unicode may differ: upper-case letters in case,
/// composed letters in composition, and others in how words are split.
///
/// A tokenizer is immutable: any number of threads may use it at once. Loading reads the files
/// once and takes some tenths of a second, so keep the tokenizer for as long as it is needed.
public struct CLIPTokenizer: Sendable {
  /// The number of ids that a text is encoded into, and the model's encoder takes: 77 for CLIP.
  public let contextLength: Int

  let vocabulary: Vocabulary

  /// Reads `bpe_simple_vocab_16e6.txt`, or the same compressed by gzip, as it is distributed.
  ///
  /// - Parameters:
  ///   - url: Where the file is.
  ///   - contextLength: The number of ids for one text, 2 to 65,536.
  /// - Throws: `StoreError` with `.notFound`, `.permissionDenied` or `.inputOutput` when the file
  ///   cannot be read, with `.invalidVocabulary` when it is damaged, truncated or of another
  ///   tokenizer, and with `.invalidArgument` for another context length or a URL that is no file.
  public init(vocabularyAt url: URL, contextLength: Int = 77) throws(StoreError) {
    self.contextLength = try Self.checked(contextLength)
    vocabulary = try Vocabulary(numberingMergesOf: MergeList(readFrom: url, expectsAll: true))
  }

  /// Reads `vocab.json` and `merges.txt`, the form in which Hugging Face distributes vocabularies.
  ///
  /// Vocabularies of other sizes than CLIP's are read as well, if they have CLIP's structure: all
  /// bytes, all bytes at the end of a word (`</w>`), and the two tokens `<|startoftext|>` and
  /// `<|endoftext|>`. Of a longer `merges.txt` the first 48,894 merges are used, as there.
  ///
  /// - Parameters:
  ///   - url: Where the tokens and their ids are, a JSON object.
  ///   - mergesURL: Where the merges are.
  ///   - contextLength: The number of ids for one text, 2 to 65,536.
  /// - Throws: As `init(vocabularyAt:contextLength:)`. Two files that do not belong together are
  ///   `.invalidVocabulary`.
  public init(
    vocabularyAt url: URL, mergesAt mergesURL: URL, contextLength: Int = 77
  ) throws(StoreError) {
    self.contextLength = try Self.checked(contextLength)
    vocabulary = try Vocabulary(
      ids: TokenIDs(readFrom: url), merges: MergeList(readFrom: mergesURL, expectsAll: false))
  }

  /// The token that every encoded text begins with: 49406 in CLIP's vocabulary.
  public var startID: Int32 { vocabulary.startID }

  /// The token that every encoded text ends with, before the padding: 49407 in CLIP's vocabulary.
  public var endID: Int32 { vocabulary.endID }

  /// How many tokens there are: 49,408 in CLIP's vocabulary.
  public var vocabularySize: Int { vocabulary.count }

  private static func checked(_ contextLength: Int) throws(StoreError) -> Int {
    guard (2...65_536).contains(contextLength) else {
      throw StoreError(
        .invalidArgument,
        "A context length of \(contextLength) makes no sense: pass what the model's text encoder "
          + "takes (77 for CLIP), 2 to 65,536.")
    }
    return contextLength
  }
}
