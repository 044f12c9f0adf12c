// Reloads, and texts that nobody would write on purpose.
import LarderCore
import Testing

@testable import LarderDaemon

struct SettingsRobustnessTests {
    @Test func aReloadTellsWhatChangesAndWhatWaits() throws {
        let before = try load("cache: { maxSize: 1 GiB }\nlisten: 127.0.0.1:1\nadmin: { token: 0123456789abcdef }\n")
        let after = try load("listen: 127.0.0.1:2\nadmin: { token: fedcba9876543210 }\n")
        #expect(
            after.changes(since: before) == [
                SettingsChange(path: "listen", before: "127.0.0.1:1", after: "127.0.0.1:2", needsRestart: true),
                SettingsChange(path: "cache.maxSize", before: "1 GiB", after: "2 GiB", needsRestart: false),
            ])
        #expect(after.changes(since: after).isEmpty)
        let more = try load("providers: { forge: { kind: passthrough, baseURL: \"http://a\" } }\n")
        #expect(try load("").changes(since: more).contains { $0.path == "providers.forge.baseURL" && $0.after == nil })
    }

    /// A generator of its own seed, so that a failure can be had again.
    private struct Sequence64: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) ^ (state << 31)
        }
    }

    @Test(arguments: 0..<8)
    func damagedFilesAreReadOrRefusedWithAPlace(_ seed: UInt64) {
        let marks = ExampleConfiguration.yaml().split(separator: "\n")
            .map { line -> String in
                let text = line.drop { $0 == " " }
                return text.hasPrefix("#") && !text.hasPrefix("# ") && text.count > 1
                    ? String(line.prefix(line.count - text.count) + text.dropFirst()) : String(line)
            }
            .filter { !$0.contains("/etc/larder/") }
        let whole = Bytes(text: marks.joined(separator: "\n"))
        var random = Sequence64(state: seed)
        let pieces = Bytes(text: ":-#[]{}&*!|>'\"%@`,? \n\t\\0x~é")
        for _ in 0..<200 {
            var text = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &random)
                case 1: text[place] = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                case 2: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...40, using: &random)))
                default: text.insert(contentsOf: text.prefix(place).suffix(30), at: place)
                }
            }
            do throws(SettingsError) {
                let settings = try SettingsLoader()
                    .load(text: text, named: "larder.yaml", environment: plainEnvironment)
                #expect(!settings.listen.isEmpty && settings.cacheLowWater < settings.cacheHighWater)
            } catch {
                #expect(!error.issues.isEmpty)
                #expect(error.issues.allSatisfy { !$0.message.isEmpty })
                for issue in error.issues {
                    if case .file(_, let line, let column) = issue.origin { #expect(line >= 1 && column >= 1) }
                }
            }
        }
    }
}
