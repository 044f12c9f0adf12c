// Replies of the engine, cut at any place, and bytes that are not a reply.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite struct ReplyTests {
    func read(_ text: String, pieces: Int = .max, limit: Int = 1 << 20) throws -> [Reply] {
        let reader = try #require(ReplyReader(limit: limit))
        var replies: [Reply] = []
        var rest = Bytes(text: text)[...]
        while !rest.isEmpty {
            let piece = Bytes(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            replies += try piece.withUnsafeBytes { try reader.take($0) }
        }
        return replies
    }

    static let all =
        "+OK\r\n:42\r\n$-1\r\n$5\r\na\r\nb!\r\n*3\r\n$1\r\nx\r\n$-1\r\n*1\r\n:1\r\n-OOM no room\r\n$0\r\n\r\n*0\r\n"
    static let values: [Reply] = [
        .status("OK"), .integer(42), .none, .bytes(Bytes(text: "a\r\nb!")),
        .array([.bytes(Bytes(text: "x")), .none, .array([.integer(1)])]), .error("OOM no room"), .bytes([]), .array([]),
    ]

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func repliesAreTheSameHoweverTheyComeInPieces(_ pieces: Int) throws {
        #expect(try read(Self.all, pieces: pieces) == Self.values)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "$-5\r\n", "*-2\r\n", ":abc\r\n", "!x\r\n", "*2000000000\r\n",
        "$99999999999999999999\r\n",
    ])
    func whatIsNoReplyIsGarbage(_ text: String) {
        #expect(throws: SharedFailure.garbage) { try read(text) }
    }

    @Test func aReplyLongerThanTheLimitIsGarbageBeforeItIsWhole() {
        let text = "$1000000\r\n" + String(repeating: "a", count: 5000)
        #expect(throws: SharedFailure.garbage) { try read(text, pieces: 1000, limit: 4000) }
    }

    @Test func anArrayLongerThanTheLimitIsGarbageThoughEachElementIsShort() {
        let text = "*100\r\n" + String(repeating: "$1000\r\n" + String(repeating: "a", count: 1000) + "\r\n", count: 50)
        #expect(throws: SharedFailure.garbage) { try read(text, pieces: 1000, limit: 4000) }
    }

    @Test func manyRepliesOfWhichEachIsShorterThanTheLimitAreReplies() throws {
        let text = String(repeating: "*2\r\n$1000\r\n" + String(repeating: "a", count: 1000) + "\r\n:1\r\n", count: 50)
        #expect(try read(text, pieces: 900, limit: 4000).count == 50)
    }

    @Test func theEngineGrantsNoMoreThanWasAskedForAndNoEndlessWait() throws {
        var share = QuotaShare()
        let ask = share.ask(
            host: "h", name: "l", waiting: 3, limits: [CallRate(calls: 160, per: .seconds(60))], own: [0],
            now: MonotonicTime(nanoseconds: 0))
        let reply = Reply.array([.bytes(Bytes(text: "e")), .integer(.max), .integer(.max), .integer(1), .integer(3)])
        let read = try #require(QuotaScript.reply(reply, to: ask))
        #expect(read.granted == 3 && read.wait == .seconds(60))
    }

    @Test(arguments: [
        ("OOM command not allowed", SharedFailure.outOfMemory), ("READONLY You can't", .readOnly),
        ("LOADING Redis is loading", .loading), ("MOVED 3999 127.0.0.1:6381", .moved),
        ("NOAUTH Authentication required.", .noAuth), ("WRONGPASS invalid", .noAuth),
        ("WRONGTYPE Operation against", .wrongType), ("NOPERM this user", .noPermission), ("ERR unknown", .refused),
    ])
    func everyErrorHasItsClass(_ text: String, _ failure: SharedFailure) {
        #expect(SharedFailure(reply: text) == failure)
    }

    @Test func wordsOfACommandStayWhole() {
        let command = Command("SET", Bytes(text: "a b\r\n%s"), [], [0, 0xFF])
        let expected = Bytes(text: "*4\r\n$3\r\nSET\r\n$7\r\na b\r\n%s\r\n$0\r\n\r\n$2\r\n") + [0, 0xFF, 0x0D, 0x0A]
        #expect(Command.format([command]) == expected)
    }

    @Test func noNameSaysWhatWasAskedAndScopesDiffer() {
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [KeyParameter("q", "secret words")])
        let names = SharedNames(prefix: "larder")
        let one = names.value(key.digest, scope: Digest(of: [1]))
        #expect(one != names.value(key.digest, scope: Digest(of: [2])))
        #expect(!String(decoding: one, as: UTF8.self).contains("secret"))
    }
}
