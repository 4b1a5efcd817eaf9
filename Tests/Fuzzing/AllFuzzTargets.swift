/// Every target, in the order in which they run.
package let allFuzzTargets: [any FuzzTarget] = [
  OpenTarget(), CheckedOpenTarget(), DetailsTarget(), OperationsTarget(), CodesTarget(),
  ArraysTarget(), ArchivesTarget(), LegacyTarget(),
]
