/// Every campaign, in the order in which they run.
package let allCampaigns: [any Campaign] = [
  CrashCampaign(),
  NestedCrashCampaign(),
  WritersCampaign(),
  SabotageCampaign(),
  FaultsCampaign(),
  FullDiskCampaign(),
  SparseCampaign(),
  OracleCampaign(),
]
