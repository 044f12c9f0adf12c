import LarderCore
import LarderTestSupport
import Testing

@testable import LarderHTTP

@Suite struct ProtocolUpgradeTests {
    static let asked: HeaderFields = ["Connection": "keep-alive, Upgrade", "Upgrade": "websocket"]

    @Test func websocketIsPermittedAlways() {
        #expect(ProtocolUpgrade(Self.asked)?.protocols == ["websocket"])
    }

    @Test func anotherProtocolNeedsPermission() {
        let fields: HeaderFields = ["Connection": "upgrade", "Upgrade": "h2c, SPDY/3.1, tcp"]
        #expect(ProtocolUpgrade(fields) == nil)
        #expect(ProtocolUpgrade(fields, others: ["spdy/3.1"])?.protocols == ["SPDY/3.1"])
        #expect(ProtocolUpgrade(fields, others: ["tcp"])?.protocols == ["tcp"])
    }

    static let refused: [(HeaderFields, Bool)] = [
        (["Upgrade": "websocket"], false),
        (["Connection": "Upgrade"], false),
        (["Connection": "Upgrade", "Upgrade": "websocket", "Content-Length": "2"], false),
        (["Connection": "Upgrade", "Upgrade": "websocket", "Transfer-Encoding": "chunked"], false),
        (["Connection": "Upgrade", "Upgrade": "websocket"], true),
    ]

    @Test(arguments: refused) func itIsNoChangeOfProtocol(_ fields: HeaderFields, _ isVersion10: Bool) {
        #expect(ProtocolUpgrade(fields, isVersion10: isVersion10) == nil)
    }

    private func outcome(_ text: String, piece: Int = .max) throws -> UpgradeAnswer.Outcome {
        var answer = UpgradeAnswer(to: try #require(ProtocolUpgrade(Self.asked)))
        var rest = Bytes(text: text)[...]
        var last = UpgradeAnswer.Outcome.incomplete
        while !rest.isEmpty, last == .incomplete {
            let next = Bytes(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            last = next.withUnsafeBytes { answer.take($0) }
        }
        return last
    }

    static let switched =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nX: 1\r\n\r\n"

    @Test(arguments: [1, 7, 1000]) func whatFollowsTheHeadIsOfTheNewProtocol(_ piece: Int) throws {
        guard case .switched("WebSocket", let fields, _) = try outcome(Self.switched, piece: piece) else {
            Issue.record("not switched")
            return
        }
        #expect(fields == ["X": "1"])
        guard case .switched(_, _, let rest) = try outcome(Self.switched + "\u{1}\u{2}") else {
            Issue.record("not switched")
            return
        }
        #expect(rest == [1, 2])
    }

    @Test func interimResponsesArePassedOver() throws {
        guard case .switched = try outcome("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Self.switched) else {
            Issue.record("not switched")
            return
        }
    }

    @Test func aRefusalHasItsStatus() throws {
        guard case .refused(403, let fields) = try outcome("HTTP/1.1 403 No\r\nRetry-After: 3\r\n\r\nbody") else {
            Issue.record("not refused")
            return
        }
        #expect(fields.first(.retryAfter) == "3")
    }

    @Test func bytesAboveASCIIStayAsTheyAre() throws {
        let head = Self.switched.replacing("X: 1", with: "X: ü")
        guard case .switched(_, let fields, _) = try outcome(head) else {
            Issue.record("not switched")
            return
        }
        #expect(fields.first("X") == HeaderField.text(Array("ü".utf8)))
    }

    @Test func interimResponsesWithoutEndAreRefused() throws {
        let outcome = try outcome(String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 5000), piece: 1000)
        guard case .malformed = outcome else {
            Issue.record("taken: \(outcome)")
            return
        }
    }

    static let malformed = [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 101 x\r\nno colon\r\n\r\n",
        "HTTP/1.1 101 x\r\n folded: 1\r\n\r\n", "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "HTTP/2 101 x\r\n\r\n",
        String(repeating: "a", count: 70_000),
    ]

    @Test(arguments: malformed) func aLyingAnswerIsMalformed(_ text: String) throws {
        guard case .malformed = try outcome(text) else {
            Issue.record("taken: \(text.prefix(40))")
            return
        }
    }
}
