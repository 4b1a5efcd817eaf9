// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "swift-embedding-store",
  platforms: [
    .macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
  ],
  products: [
    .library(name: "EmbeddingStores", targets: ["EmbeddingStores"]),
    .library(name: "EmbeddingIndexing", targets: ["EmbeddingIndexing"]),
    .library(name: "EmbeddingTextSearch", targets: ["EmbeddingTextSearch"]),
    .library(name: "EmbeddingClusters", targets: ["EmbeddingClusters"]),
    .library(name: "EmbeddingExchange", targets: ["EmbeddingExchange"]),
    .library(name: "EmbeddingPostgres", targets: ["EmbeddingPostgres"]),
  ],
  targets: [
    // Public
    .target(name: "EmbeddingStores", dependencies: ["EmbeddingFiles", "EmbeddingKernels"]),
    .target(name: "EmbeddingIndexing", dependencies: ["EmbeddingStores", "CZlib"]),
    .target(name: "EmbeddingTextSearch", dependencies: ["EmbeddingStores", "CSQLite"]),
    .target(name: "EmbeddingClusters", dependencies: ["EmbeddingStores"]),
    .target(name: "EmbeddingExchange", dependencies: ["EmbeddingStores", "EmbeddingFiles"]),
    .target(
      name: "EmbeddingPostgres",
      dependencies: ["EmbeddingStores", "EmbeddingTextSearch", "CPostgres"]),

    // Implementation
    .target(
      name: "EmbeddingFiles",
      dependencies: [
        "CEmbeddingFiles", "CEmbeddingMemory",
        .target(name: "CLZ4", condition: .when(platforms: [.linux])),
      ]),
    .target(
      name: "EmbeddingKernels",
      dependencies: [
        "CEmbeddingKernels", "CEmbeddingMemory",
        .target(name: "CEmbeddingBLAS", condition: .when(platforms: [.linux])),
      ]),
    .target(name: "CEmbeddingFiles"),
    .target(name: "CEmbeddingMemory"),
    .target(
      name: "CEmbeddingKernels",
      cSettings: [.define("ACCELERATE_NEW_LAPACK")],
      linkerSettings: [
        .linkedLibrary("m", .when(platforms: [.linux])),
        .linkedFramework(
          "Accelerate", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
      ]),
    .systemLibrary(
      name: "CEmbeddingBLAS", pkgConfig: "openblas",
      providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

    // Tests and benchmarks
    .target(name: "ThreadSanitizerSupport", path: "Tests/ThreadSanitizerSupport"),
    .target(
      name: "EmbeddingTestSupport",
      dependencies: ["ThreadSanitizerSupport", "EmbeddingStores", "EmbeddingFiles"],
      path: "Tests/TestSupport"),
    .executableTarget(
      name: "store-worker",
      dependencies: [
        "EmbeddingExchange", "EmbeddingIndexing", "EmbeddingTextSearch", "EmbeddingStores",
        "EmbeddingTestSupport",
      ],
      path: "Tests/store-worker"),
    .testTarget(
      name: "EmbeddingKernelsTests",
      dependencies: ["EmbeddingKernels", "CEmbeddingKernels", "EmbeddingTestSupport"]),
    .testTarget(
      name: "EmbeddingFilesTests", dependencies: ["EmbeddingFiles", "EmbeddingTestSupport"]),
    .testTarget(
      name: "EmbeddingStoresTests",
      dependencies: [
        "EmbeddingStores", "EmbeddingFiles", "EmbeddingKernels", "EmbeddingTestSupport",
        "store-worker",
      ]),
    .testTarget(
      name: "EmbeddingIndexingTests",
      dependencies: [
        "EmbeddingIndexing", "EmbeddingStores", "EmbeddingFiles", "EmbeddingTestSupport",
      ],
      exclude: ["Tokenizer/Reference"]),
    .testTarget(
      name: "EmbeddingTextSearchTests",
      dependencies: ["EmbeddingTextSearch", "EmbeddingStores", "EmbeddingTestSupport"]),
    .testTarget(
      name: "EmbeddingClustersTests",
      dependencies: ["EmbeddingClusters", "EmbeddingStores", "EmbeddingTestSupport"]),
    .testTarget(
      name: "EmbeddingExchangeTests",
      dependencies: [
        "EmbeddingExchange", "EmbeddingStores", "EmbeddingFiles", "EmbeddingTestSupport",
      ],
      exclude: ["NumPy/Reference"]),
    .testTarget(
      name: "EmbeddingPostgresTests",
      dependencies: [
        "EmbeddingPostgres", "EmbeddingStores", "EmbeddingTextSearch", "EmbeddingTestSupport",
      ]),
    .target(
      name: "EmbeddingCampaigns",
      dependencies: [
        "EmbeddingExchange", "EmbeddingIndexing", "EmbeddingTextSearch", "EmbeddingStores",
        "EmbeddingFiles", "EmbeddingKernels", "EmbeddingTestSupport", "store-worker",
      ],
      path: "Tests/Campaigns"),
    .executableTarget(
      name: "torture", dependencies: ["EmbeddingCampaigns"], path: "Tests/torture"),
    .testTarget(
      name: "CampaignTests", dependencies: ["EmbeddingCampaigns", "EmbeddingTestSupport"]),
    .target(
      name: "EmbeddingFuzzing",
      dependencies: [
        "EmbeddingExchange", "EmbeddingStores", "EmbeddingFiles", "EmbeddingKernels",
        "EmbeddingTestSupport",
      ],
      path: "Tests/Fuzzing", exclude: ["Corpus", "run.sh"]),
    .executableTarget(name: "fuzz", dependencies: ["EmbeddingFuzzing"], path: "Tests/fuzz"),
    .testTarget(name: "FuzzTests", dependencies: ["EmbeddingFuzzing"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "EmbeddingStores", "EmbeddingIndexing", "EmbeddingTextSearch", "EmbeddingClusters",
        "EmbeddingExchange", "EmbeddingPostgres",
      ]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "EmbeddingClusters", "EmbeddingExchange", "EmbeddingIndexing", "EmbeddingTextSearch",
        "EmbeddingPostgres", "EmbeddingStores", "EmbeddingKernels", "CSQLite",
      ],
      path: "Benchmarks/bench"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)

for target in package.targets {
  switch target.type {
  case .system:
    continue
  default:
    break
  }
  if target.name.hasPrefix("CEmbedding") || target.name == "ThreadSanitizerSupport" {
    target.cSettings = (target.cSettings ?? []) + [.treatAllWarnings(as: .error)]
    continue
  }
  var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
  let strict = [
    "EmbeddingStores", "EmbeddingIndexing", "EmbeddingClusters", "EmbeddingTextSearch",
    "EmbeddingExchange",
    "EmbeddingPostgres",
  ]
  if strict.contains(target.name) {
    settings.append(.strictMemorySafety())
  }
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
