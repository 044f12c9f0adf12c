// Reloads, and texts that nobody writes on purpose.
import Foundation
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

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

    @Test func aConfigurationThatIsNoRegularFileIsRefusedAtOnce() throws {
        try withScratchDirectory { folder in
            let pipe = "\(folder)/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let socket = "\(folder)/socket"
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socket.utf8)) }
            let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            #expect(isBound)
            let link = "\(folder)/link"
            #expect(symlink(pipe, link) == 0)
            for (path, kind) in [
                (pipe, "a pipe"), (link, "a pipe"), (socket, "a socket"), (folder, "a directory"),
                ("/dev/zero", "a device"), ("/dev/null", "a device"),
            ] {
                // If the loader did not refuse them, it would wait for a pipe and read a device without end.
                #expect(throws: SettingsError.self, "\(path)") {
                    try SettingsLoader().load(file: path, environment: plainEnvironment)
                }
                do throws(SettingsError) {
                    _ = try SettingsLoader().load(file: path, environment: plainEnvironment)
                } catch {
                    #expect(error.issues.first?.message.hasPrefix("\(path) is \(kind);") == true, "\(error)")
                }
            }
            try write("log: { level: error }\n", to: "\(folder)/whole.yaml")
            #expect(symlink("\(folder)/whole.yaml", "\(folder)/linked.yaml") == 0)
            let linked = try SettingsLoader().load(file: "\(folder)/linked.yaml", environment: plainEnvironment)
            #expect(linked.log.level == .error)
        }
    }

    @Test func aConfigurationHasALimitOfSize() throws {
        try withScratchDirectory { folder in
            try write(String(repeating: "# much\n", count: 200_000), to: "\(folder)/large.yaml")
            do throws(SettingsError) {
                _ = try SettingsLoader().load(file: "\(folder)/large.yaml", environment: plainEnvironment)
                Issue.record("it was read")
            } catch {
                #expect(error.issues.first?.message == "\(folder)/large.yaml is larger than 1 MiB")
            }
        }
    }

    @Test func aByteOrderMarkIsNoPartOfTheText() throws {
        #expect(try load("\u{FEFF}log: { level: error }\n").log.level == .error)
        #expect(try load("\u{FEFF}").log.level == .info)
        #expect(findings("\u{FEFF}cache: { size: 1 }\n").first?.hasPrefix("larder.yaml:1:10:") == true)
    }

    @Test func aWiderEncodingIsNamedInTheRefusal() {
        let text = "log: { level: error }\n"
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let other = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        for bytes in [[0xFF, 0xFE] + wide, [0xFE, 0xFF] + other, wide, other] {
            do throws(SettingsError) {
                _ = try SettingsLoader().load(text: bytes, named: "larder.yaml", environment: plainEnvironment)
                Issue.record("it was read")
            } catch {
                #expect(error.issues.first?.message == "the file is in UTF-16 or UTF-32; save it as UTF-8")
            }
        }
    }

    /// A generator with its own seed, to make a failure repeatable.
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
                #expect(!settings.listen.isEmpty && settings.cache.lowWater < settings.cache.highWater)
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
