// swift-tools-version: 6.2
// The drawing of the house: rooms are listed bottom first, and each states all it may import.
// `scripts/check-imports` holds the sources against this table, since the compiler lets transitive imports through.
import Foundation
import PackageDescription

/// One list of compiler settings for every room: Swift 6 mode, warnings are errors.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// In a release the rooms of the hot path do without checks at run time that no two accesses to one variable overlap
/// (Docs/Decisions/0029): debug builds, and so all tests, have them.
let unchecked: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// The program exports no symbols: else the linker would keep every public function, and its name.
let exports = "\(Context.packageDirectory)/Sources/larder.exports"

/// In a release each function is in a section of its own, so that the linker leaves out what nothing calls.
let sections: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))]

func room(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: imports, exclude: embedded(in: name),
        swiftSettings: strict + sections + (hotRooms.contains(name) ? unchecked : []))
}

let hotRooms: Set = [
    "LarderCore", "LarderHTTP", "LarderCache", "LarderIO", "LarderStore", "LarderFetch", "LarderServer", "LarderEngine",
    "LarderDaemon",
]

/// What `Sources/CEmbedded` embeds: the console's files, covers, the samples of providers, two tables.
func embedded(in room: String) -> [String] {
    if ["LarderConsole", "LarderOrigin"].contains(room) { return ["Files"] }
    guard room == "LarderProviders" else { return [] }
    let folder = "\(Context.packageDirectory)/Sources/\(room)"
    let providers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return ["Text/CharacterReferences.txt", "Results/NameOrder.table"]
        + providers.map { "\($0)/Samples" }.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
}

/// The commit that is built: `make build` says it, since the sources may be without their history. What is no name of a commit
/// is left out.
let commit: [CSetting] = {
    guard let text = Context.environment["LARDER_COMMIT"], !text.isEmpty,
        text.allSatisfy({ $0.isHexDigit || $0 == "." })
    else { return [] }
    return [.define("LARDER_COMMIT", to: text)]
}()

func tests(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: imports, swiftSettings: strict)
}

let package = Package(
    name: "larder",
    products: [.executable(name: "larder", targets: ["larder"])],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CSSL", pkgConfig: "libssl"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CExpat", pkgConfig: "expat"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        // Without pkg-config: what that says of hiredis has a definition of a macro in it, which SwiftPM refuses.
        .systemLibrary(name: "CHiredis"),

        .target(name: "CBuild", cSettings: commit),
        // `#embed` is an extension before C23.
        .target(name: "CEmbedded", cSettings: [.unsafeFlags(["-std=c23"])]),

        room("LarderCore", ["CCrypto", "CLinux", "CEmbedded"]),
        room("LarderHTTP", ["LarderCore", "CZlib"]),
        room("LarderCache", ["LarderCore", "LarderHTTP"]),
        room("LarderProviders", ["LarderCore", "LarderHTTP", "CExpat"]),
        room("LarderConsole", ["LarderCore"]),
        room("LarderYAML", ["LarderCore", "CYAML"]),
        room("LarderIO", ["LarderCore", "CLinux"]),
        room("LarderTLS", ["LarderCore", "CSSL"]),
        room("LarderTape", ["LarderCore", "LarderHTTP", "LarderYAML", "LarderIO"]),
        room("LarderStore", ["LarderCore", "CLinux", "CSQLite"]),
        room("LarderFetch", ["LarderCore", "LarderHTTP", "LarderIO", "CCurl", "CSSL"]),
        room("LarderShared", ["LarderCore", "LarderHTTP", "LarderCache", "LarderIO", "CHiredis"]),
        room("LarderServer", ["LarderCore", "LarderHTTP", "LarderIO", "LarderTLS"]),
        room(
            "LarderOrigin",
            ["LarderCore", "LarderHTTP", "LarderProviders", "LarderIO", "LarderTape", "LarderServer"]),
        room("LarderSettings", ["LarderCore", "LarderProviders", "LarderYAML", "LarderIO", "CYAML", "CBuild"]),
        room(
            "LarderEngine",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderProviders", "LarderIO", "LarderStore",
                "LarderFetch", "LarderShared", "LarderSettings",
            ]),
        room(
            "LarderDaemon",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderProviders", "LarderConsole", "LarderIO",
                "LarderTLS", "LarderStore",
                "LarderFetch", "LarderShared", "LarderServer", "LarderSettings", "LarderEngine",
            ]),
        room(
            "LarderCLI",
            [
                "LarderCore", "LarderHTTP", "LarderProviders", "LarderIO", "LarderTLS", "LarderTape", "LarderFetch",
                "LarderServer", "LarderSettings", "LarderDaemon", "LarderOrigin", "CBuild",
            ]),
        // With a build id a debugger finds the symbols that `make deb` packs apart.
        .executableTarget(
            name: "larder", dependencies: ["LarderCLI"], swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--build-id=sha1", "-Xlinker", "--version-script=\(exports)"]),
                .linkedLibrary("tcmalloc_minimal", .when(configuration: .release)),
            ]),

        room(
            "LarderTestSupport",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderProviders", "LarderIO", "LarderStore",
                "LarderFetch", "LarderServer", "LarderOrigin", "LarderSettings", "LarderEngine", "LarderDaemon",
                "CLinux", "CSSL",
            ]),
        .executableTarget(
            name: "LarderBenchmarks", dependencies: ["LarderCore", "LarderHTTP", "CLinux"],
            swiftSettings: strict),

        tests("LarderCoreTests", ["LarderCore", "LarderTestSupport"]),
        tests("LarderHTTPTests", ["LarderCore", "LarderHTTP", "LarderTestSupport", "CZlib"]),
        tests("LarderCacheTests", ["LarderCore", "LarderHTTP", "LarderCache", "LarderTestSupport"]),
        tests("LarderProvidersTests", ["LarderCore", "LarderHTTP", "LarderProviders", "LarderTestSupport"]),
        tests("LarderConsoleTests", ["LarderCore", "LarderConsole"]),
        tests("LarderIOTests", ["LarderCore", "LarderIO", "LarderTestSupport", "CLinux"]),
        tests("LarderTLSTests", ["LarderCore", "LarderTLS", "CSSL"]),
        tests("LarderTapeTests", ["LarderCore", "LarderHTTP", "LarderIO", "LarderTape"]),
        tests("LarderStoreTests", ["LarderCore", "LarderStore", "LarderTestSupport", "CSQLite"]),
        tests(
            "LarderFetchTests",
            [
                "LarderCore", "LarderHTTP", "LarderIO", "LarderFetch", "LarderTestSupport", "CCurl", "CLinux", "CSSL",
            ]),
        tests(
            "LarderSharedTests",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderIO", "LarderShared", "LarderTestSupport",
            ]),
        tests("LarderServerTests", ["LarderCore", "LarderHTTP", "LarderIO", "LarderServer", "LarderTestSupport"]),
        tests(
            "LarderOriginTests",
            [
                "LarderCore", "LarderHTTP", "LarderProviders", "LarderIO", "LarderTape", "LarderServer",
                "LarderOrigin", "LarderTestSupport",
            ]),
        tests(
            "LarderSettingsTests",
            ["LarderCore", "LarderProviders", "LarderYAML", "LarderSettings", "LarderTestSupport"]),
        tests(
            "LarderEngineTests",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderProviders", "LarderIO", "LarderStore",
                "LarderFetch", "LarderSettings", "LarderEngine", "LarderTestSupport",
            ]),
        tests(
            "LarderDaemonTests",
            [
                "LarderCore", "LarderHTTP", "LarderCache", "LarderProviders", "LarderIO", "LarderStore",
                "LarderFetch", "LarderServer", "LarderSettings", "LarderEngine", "LarderDaemon",
                "LarderTestSupport",
            ]),
        tests(
            "LarderCLITests",
            [
                "LarderCore", "LarderHTTP", "LarderProviders", "LarderIO", "LarderTape", "LarderOrigin",
                "LarderSettings", "LarderDaemon", "LarderCLI",
                "LarderTestSupport",
            ]),
        tests("LarderBenchmarksTests", ["LarderCore", "LarderBenchmarks"]),
        // Speaks raw bytes to a daemon: it may not know LarderHTTP, or a misreading could be on both sides.
        tests("ConformanceTests", ["LarderCore", "LarderTestSupport"]),
        tests(
            "ScenarioTests",
            [
                "LarderCore", "LarderIO", "LarderHTTP", "LarderProviders", "LarderSettings", "LarderDaemon",
                "LarderOrigin", "LarderTLS", "LarderTape", "LarderTestSupport", "CLinux",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `scripts/sanitize` builds a part of the tests: the test targets that this variable names, separated by spaces.
if let part = Context.environment["LARDER_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !part.contains($0.name) }
}
