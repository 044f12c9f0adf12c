import Foundation
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon

/// A home that gives every path a default, and nothing else of this machine's environment.
let plainEnvironment = ["HOME": "/home/somebody"]

/// Settings from a text, as a file "larder.yaml" would give them.
func load(
    _ text: String, environment: [String: String] = plainEnvironment, flags: [(path: String, value: String)] = []
) throws(SettingsError) -> Settings {
    try SettingsLoader()
        .load(text: Bytes(text: text), named: "larder.yaml", environment: environment, flags: flags)
}

/// The findings about a text, one a line; empty where it is right.
func findings(
    _ text: String, environment: [String: String] = plainEnvironment, flags: [(path: String, value: String)] = []
) -> [String] {
    do throws(SettingsError) {
        _ = try load(text, environment: environment, flags: flags)
        return []
    } catch {
        return error.issues.map(\.description)
    }
}

/// A directory of its own for one test, gone afterwards.
func withScratchDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = "/tmp/larder-settings-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// Writes a small file, and the directories above it.
func write(_ text: String, to path: String) throws {
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: "/\(directory)", withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
}
