// The three forms of the log, and that no caller waits for the log.
import Foundation
import Glibc
import LarderCore
import LarderIO
import LarderSettings
import Testing

@testable import LarderDaemon
@testable import LarderEngine

struct SettingsLogTests {
    private func line(_ message: String, _ values: [(name: String, value: String)] = []) -> LogLine {
        LogLine(
            time: WallTime(milliseconds: 1_795_176_000_007), level: .warning, label: "store", message: message,
            values: values)
    }

    @Test func aLineIsReadableAndStaysOneLine() {
        let text = LogRendering.text(
            line("disk\nfull", [("free", "0"), ("path", "a b=\"c\""), ("x", "\u{1B}[2J")]), colour: false)
        #expect(
            text.lossyText
                == "2026-11-20T12:00:00.007Z warning store: disk\\nfull free=0 path=\"a b=\\\"c\\\"\" x=\"\\u{1b}[2J\"\n"
        )
    }

    @Test func theJournalGetsThePriority() {
        #expect(LogRendering.journal(line("full", [("free", "")])).lossyText == "<4>store: full free=\"\"\n")
    }

    @Test func theJSONFormIsJSON() throws {
        let value = try JSON.parse(LogRendering.json(line("full\n\"", [("time", "x"), ("a", "\u{7}")])))
        #expect(value["message"]?.string == "full\n\"")
        #expect(value["level"]?.string == "warning")
        #expect(value["time"]?.string == "2026-11-20T12:00:00.007Z")
        #expect(value["values"]?["time"]?.string == "x")
    }

    @Test func noFormHoldsACommandOfC1() {
        let bad = line("m\u{9b}31m", [("v", "a\u{90}b\u{9c}"), ("raw", Bytes([0x61, 0x9B, 0x62]).lossyText)])
        for bytes in [
            LogRendering.text(bad, colour: false), LogRendering.journal(bad), LogRendering.json(bad),
        ] {
            let controls = bytes.lossyText.unicodeScalars.filter { $0.isControl && $0 != "\n" }
            #expect(controls.isEmpty, "\(bytes.lossyText)")
            #expect(bytes.strictText != nil, "a raw byte above 0x7F is one of C1 to a terminal that reads no UTF-8")
        }
    }

    @Test func aLongValueIsCut() {
        let text = LogRendering.journal(line("m", [("v", String(repeating: "é", count: 5000))])).lossyText
        #expect(text.utf8.count < LogRendering.maxValueBytes + 40)
        #expect(text.hasSuffix("…\n"))
    }

    @Test func theJournalsOwnStreamIsKnownByItsIdentity() throws {
        let identity = try #require(LogFileIdentity(STDERR_FILENO))
        let own = ["JOURNAL_STREAM": "\(identity.device):\(identity.inode)"]
        #expect(LogFormat.auto.decided(environment: own, descriptor: STDERR_FILENO) == .journal)
        #expect(LogFormat.auto.decided(environment: ["JOURNAL_STREAM": "1:1"], descriptor: STDERR_FILENO) == .text)
        #expect(LogFormat.auto.decided(environment: [:], descriptor: STDERR_FILENO) == .text)
        #expect(LogFormat.json.decided(environment: own, descriptor: STDERR_FILENO) == .json)
    }

    @Test func everyQueuedLineIsWrittenBeforeTheLogCloses() throws {
        let (reader, writer) = try Socket.pair()
        defer { Syscall.close(reader) }
        let log = try QueuedLog(format: .journal, descriptor: writer)
        let logger = Logger(label: "test", sink: log)
        for number in 0..<100 { logger.notice("line", ["number": "\(number)", "apiKey": "hidden one"]) }
        log.close()
        Syscall.close(writer)
        let text = readAll(reader).lossyText
        #expect(text.split(separator: "\n").count == 100)
        #expect(text.hasSuffix("<5>test: line number=99 apiKey=(hidden)\n"))
        #expect(log.dropped == 0)
    }

    @Test func aReaderThatTakesNothingHoldsNobodyUpAndTheLossIsTold() throws {
        let (reader, writer) = try Socket.pair()
        let log = try QueuedLog(format: .journal, descriptor: writer, capacity: 10)
        let logger = Logger(label: "", sink: log)
        let large = String(repeating: "x", count: 2000)
        // Nobody reads, and this is more than the socket and the queue hold. The loop ends only if logging does not
        // wait.
        for _ in 0..<5000 { logger.notice("line", ["x": large]) }
        #expect(log.dropped > 1000)
        // Draining lets the writer continue and end.
        Thread.detachNewThread { _ = readAll(reader) }
        log.close()
        Syscall.close(writer)
        #expect(log.dropped < 5000)
    }

    @Test func aLogAfterItsEndDropsLines() throws {
        let (reader, writer) = try Socket.pair()
        defer {
            Syscall.close(reader)
            Syscall.close(writer)
        }
        let log = try QueuedLog(format: .json, descriptor: writer)
        log.close()
        log.close()
        Logger(label: "", sink: log).notice("late")
        #expect(log.dropped == 1)
    }
}

/// Reads everything until the other end closes, then closes the descriptor.
private func readAll(_ descriptor: Int32) -> Bytes {
    var all = Bytes()
    var chunk = Bytes(repeating: 0, count: 65536)
    while true {
        switch chunk.withUnsafeMutableBytes({ Syscall.receive(descriptor, into: $0) }) {
        case .bytes(let count): all += chunk.prefix(count)
        case .wouldBlock:
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&wanted, 1, 1000)
        case .end, .failed: return all
        }
    }
}
