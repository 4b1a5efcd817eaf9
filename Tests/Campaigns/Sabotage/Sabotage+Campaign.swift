import EmbeddingFiles

#if SABOTAGE
  extension Sabotage {
    /// The campaign that is to notice that the guard is off.
    var campaign: any Campaign {
      switch self {
      case .journalChecksum, .commitEntry: CrashCampaign()
      case .lossCheck, .manifestChecksum, .mainFileChecksum: CrashCampaign()
      case .latch, .doubt: CrashCampaign()
      case .writerLock: WritersCampaign()
      }
    }
  }
#endif
