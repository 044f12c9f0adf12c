// Files of a settings test.
import Foundation

/// Runs the body with a directory of its own, and removes the directory afterwards.
func withScratchDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = "/tmp/larder-settings-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// Writes a small file, and creates the directories above it.
func write(_ text: String, to path: String) throws {
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: "/\(directory)", withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
}
