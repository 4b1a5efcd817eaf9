/// Every campaign, in the order in which they run.
package let allCampaigns: [any Campaign] = [
  CrashCampaign(),
  NestedCrashCampaign(),
  WritersCampaign(),
  OracleCampaign(),
  BoundsCampaign(),
  CodesCampaign(),
  DamageCampaign(),
  FaultsCampaign(),
  FullDiskCampaign(),
  SparseCampaign(),
  KillCampaign(),
  SwitchCampaign(),
  SoakCampaign(),
  LocksCampaign(),
  ReadersCampaign(),
  SabotageCampaign(),
]
