/// Every campaign, in the order in which they run.
package let allCampaigns: [any Campaign] = [
  KillCampaign(),
  SwitchCampaign(),
]
