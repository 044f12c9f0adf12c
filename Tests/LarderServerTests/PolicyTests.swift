import LarderCore
import LarderHTTP
import LarderIO
import Testing

@testable import LarderServer

@Suite struct HostPolicyTests {
    static let policy = HostPolicy(names: ["Pantry.example", "nas"])

    @Test(arguments: [
        "localhost", "LOCALHOST:8787", "localhost.", "a.localhost", "a.b.localhost:1", "127.0.0.1", "127.0.0.1:8787",
        "127.255.0.9", "[::1]", "[::1]:8787", "pantry.example", "PANTRY.example:9", "nas:80",
    ])
    func acceptsWhatStrangersCannotPointHere(host: String) {
        #expect(Self.policy.allows(host))
    }

    @Test(arguments: [
        "", ":80", "evil.example", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example", "0x7f.1",
        "127.1",
        "2130706433", "[::1", "[::1]x", "[evil]", "[]", "::1", "localhost:", "localhost:80a", "localhost:8080808",
        "user@localhost", "localhost/", "pantry.example.evil", "x.pantry.example", "local host", ".localhost:x",
        "127.0.0.1:-1",
    ])
    func refusesEveryOtherName(host: String) {
        #expect(Self.policy.allows(host) == (host == "localhost:"))
    }

    /// Browsers send no Sec-Fetch fields to these hosts, although they lead to this machine.
    @Test(arguments: [
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]:8787", "[::FFFF:127.0.0.1]", "[::]", "[::]:8787", "0.0.0.0",
        "0.0.0.0:80",
        "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "0177.0.0.1", "127.0.0.01", "0x7f000001", "192.168.1.5:80",
        "[2001:db8::1]:65535", "[fe80::1]", "10.0.0.1", "128.0.0.1", "126.255.255.255",
    ])
    func refusesOtherLiteralsOfThisMachine(host: String) {
        #expect(!Self.policy.allows(host))
    }

    @Test func aDeclaredLiteralIsAcceptedHoweverABrowserWritesIt() {
        let policy = HostPolicy(names: [
            "0.0.0.0", "192.168.1.5", "[::ffff:127.0.0.1]", "[2001:DB8:0::5]", "2130706433",
        ])
        let accepted = [
            "0.0.0.0:8787", "192.168.1.5", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]:80", "[2001:db8::5]:8787",
            "2130706433",
        ]
        for host in accepted { #expect(policy.allows(host), "\(host)") }
        for host in ["[::]", "192.168.1.6", "[2001:db8::6]", "[::ffff:127.0.0.2]"] {
            #expect(!policy.allows(host), "\(host)")
        }
    }

    @Test func theConnectionsOwnAddressIsKnownByItsCanonicalText() throws {
        func isLocal(_ host: String, _ address: String) throws -> Bool {
            let literal = HostPolicy.literal(of: try Address(address))
            return Bytes(text: host).withUnsafeBufferPointer { HostPolicy.isLocal($0, literal) }
        }
        for host in ["192.168.1.5", "192.168.1.5:1", "192.168.1.5:65535", "192.168.1.5:"] {
            #expect(try isLocal(host, "192.168.1.5:8787"), "\(host)")
            // An IPv4 connection to a dual-stack socket.
            #expect(try isLocal(host, "[::ffff:192.168.1.5]:8787"), "\(host)")
        }
        for host in [
            "", "192.168.1.50", "192.168.1.5x", "192.168.1.5:80x", "192.168.1.5:123456", "[::ffff:192.168.1.5]",
        ] {
            #expect(try !isLocal(host, "192.168.1.5:8787"), "\(host)")
        }
        #expect(try isLocal("[2001:db8::5]:80", "[2001:0DB8::0:5]:8787"))
        #expect(try !isLocal("[2001:db8:0::5]:80", "[2001:db8::5]:8787"))
        #expect(try !isLocal("", "unix:/run/larder.sock"))
    }
}

@Suite struct CrossSitePolicyTests {
    struct Case: Sendable, CustomStringConvertible {
        var origin = ""
        var site = ""
        var mode = ""
        var dest = ""
        var isGet = true
        var target = "/"
        var allowed: Bool
        var description: String { "\(origin) \(site) \(mode) \(dest) \(isGet) \(target)" }
    }

    static let cases: [Case] = [
        Case(allowed: true),
        Case(site: "same-origin", allowed: true),
        Case(site: "none", mode: "navigate", dest: "document", allowed: true),
        Case(site: "cross-site", allowed: false),
        Case(site: "cross-site", mode: "no-cors", dest: "image", target: "/landing", allowed: false),
        Case(site: "cross-site", mode: "navigate", dest: "document", allowed: false),
        Case(site: "cross-site", mode: "navigate", dest: "document", target: "/landing?code=1", allowed: true),
        Case(site: "cross-site", mode: "navigate", dest: "iframe", target: "/landing", allowed: false),
        Case(site: "cross-site", mode: "navigate", dest: "document", isGet: false, target: "/landing", allowed: false),
        Case(site: "cross-site", mode: "navigate", dest: "document", target: "/landing/more", allowed: false),
        Case(site: "same-site", allowed: false),
        Case(site: "same-site", mode: "no-cors", dest: "image", target: "/landing", allowed: false),
        Case(site: "same-site", mode: "navigate", dest: "document", allowed: false),
        Case(site: "same-site", mode: "navigate", dest: "document", target: "/landing?code=1", allowed: true),
        Case(origin: "http://localhost:8787", site: "same-site", allowed: false),
        Case(origin: "http://localhost:8787", allowed: true),
        Case(origin: "HTTP://LOCALHOST:8787", allowed: true),
        Case(origin: "https://localhost:8787", allowed: true),
        Case(origin: "http://localhost", allowed: false),
        Case(origin: "http://localhost:3000", allowed: false),
        Case(origin: "null", allowed: false),
        Case(origin: "https://evil.example", site: "same-origin", allowed: false),
        Case(
            origin: "https://evil.example", site: "cross-site", mode: "navigate", dest: "document", target: "/landing",
            allowed: false),
    ]

    @Test(arguments: cases)
    func decides(one: Case) {
        let policy = CrossSitePolicy(landingPaths: ["/landing"])
        let texts = ["localhost:8787", one.origin, one.site, one.mode, one.dest, one.target].map { Bytes(text: $0) }
        let allowed = texts[0].withUnsafeBufferPointer { host in
            texts[1].withUnsafeBufferPointer { origin in
                texts[2].withUnsafeBufferPointer { site in
                    texts[3].withUnsafeBufferPointer { mode in
                        texts[4].withUnsafeBufferPointer { dest in
                            texts[5].withUnsafeBufferPointer { target in
                                policy.allows(
                                    RequestOrigin(
                                        host: host, origin: origin, fetchSite: site, fetchMode: mode, fetchDest: dest,
                                        isGet: one.isGet, target: target))
                            }
                        }
                    }
                }
            }
        }
        #expect(allowed == one.allowed)
    }
}

@Suite struct RouterTests {
    static let router: Router<Int> = {
        var router = Router<Int>()
        router.add(.get, pattern: "/", name: "home", 0)
        router.add(.get, pattern: "/v1/dnd/monsters", name: "monsters", 1)
        router.add(.get, pattern: "/v1/dnd/monsters/{index}", name: "monster", 2)
        router.add(.get, pattern: "/v1/dnd/monsters/first", name: "first", 3)
        router.add(.get, .post, pattern: "/raw/{provider}/{path...}", name: "raw", 4)
        router.add(.delete, pattern: "/v1/cache", name: "purge", 5)
        return router
    }()

    @Test(arguments: [
        ("GET", "/", 0), ("GET", "/v1/dnd/monsters", 1), ("GET", "/v1/dnd/monsters/aboleth", 2),
        ("GET", "/v1/dnd/monsters/first", 3), ("HEAD", "/v1/dnd/monsters", 1), ("POST", "/raw/itunes/", 4),
        ("DELETE", "/v1/cache", 5), ("GET", "/v1/dnd/%6Donsters", 1),
    ])
    func findsTheMostLiteralRoute(method: String, path: String, value: Int) throws {
        #expect(try Self.router.match(Method(method), path: path).value == value)
    }

    @Test func capturesDecodedSegmentsAndAnEncodedRest() throws {
        let monster = try Self.router.match(.get, path: "/v1/dnd/monsters/a%2Fb%20%C3%A9")
        #expect(monster.captures == ["index": "a/b é"])
        #expect(monster.name.text == "monster")
        let raw = try Self.router.match(.get, path: "/raw/itunes/a%2Fb//c")
        #expect(raw.captures == ["provider": "itunes"])
        #expect(raw.rest == "a%2Fb//c")
    }

    @Test(arguments: [
        ("GET", "/nowhere", 404), ("GET", "/v1/dnd/monsters/", 404), ("GET", "/v1/dnd/monsters/a/b", 404),
        ("GET", "/raw/itunes", 404), ("GET", "*", 404), ("GET", "/v1/cache", 405), ("PUT", "/v1/dnd/monsters", 405),
        ("GET", "/%FF", 400), ("GET", "/%", 400), ("GET", "/%00", 400),
    ])
    func saysWhyThereIsNone(method: String, path: String, status: Int) {
        let error = #expect(throws: ClientFacingError.self) { try Self.router.match(Method(method), path: path) }
        #expect(error?.status == status)
    }

    @Test func namesTheMethodsAPathKnows() {
        let error = #expect(throws: ClientFacingError.self) { try Self.router.match(.put, path: "/raw/a/b") }
        #expect(error?.fields.first("Allow") == "GET, HEAD, POST")
    }
}

@Suite struct ProblemEncoderTests {
    @Test func writesEveryMemberThatIsThere() throws {
        let error = ClientFacingError(
            status: 429, code: "limited", detail: "Too many \"calls\".", parameter: "q", allowed: ["a", "b"],
            provider: "itunes", failure: .limited, retryable: true, retryAfter: 30)
        let response = ProblemEncoder.response(for: error, requestID: RequestID(loop: 1, sequence: 255))
        guard case .bytes(let body) = response.body else {
            Issue.record("no body")
            return
        }
        #expect(response.status == 429)
        #expect(response.fields.first("Content-Type") == "application/problem+json")
        #expect(response.fields.first("Retry-After") == "30")
        #expect(
            body.lossyText
                == #"{"type":"/problems/limited","title":"Too Many Requests","status":429,"#
                + #""detail":"Too many \"calls\".","#
                + #""code":"limited","parameter":"q","allowed":["a","b"],"provider":"itunes","class":"limited","#
                + #""retryable":true,"retryAfter":30,"requestId":"1-ff"}"#)
    }

    @Test func leavesOutWhatIsNot() {
        let response = ProblemEncoder.response(
            for: ClientFacingError(status: 404, code: "x", detail: "y"), requestID: RequestID(loop: 0, sequence: 1))
        #expect(response.fields.first("Retry-After") == nil)
        #expect(
            response.body
                == .bytes(
                    Bytes(
                        text:
                            #"{"type":"/problems/x","title":"Not Found","status":404,"#
                            + #""detail":"y","code":"x","requestId":"0-1"}"#
                    )))
    }
}

@Suite struct DateCacheTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_210_096, "Thu, 29 Feb 2024 12:34:56 GMT"),
        ] as [(Int64, String)])
    func rendersThePreferredFormat(seconds: Int64, text: String) {
        var cache = DateCache()
        #expect(cache.text(at: WallTime(seconds: seconds)) == text)
        #expect(cache.text(at: WallTime(seconds: seconds)) == text)
    }
}

@Suite struct PendingWritesTests {
    static func ready(_ body: Bytes) -> ReadyResponse {
        ReadyResponse(
            head: [], body: body, bornAt: WallTime(seconds: 0), freshUntil: WallTime(seconds: 1), hits: CounterCell())
    }

    /// However the pieces are cut and however little each write takes, each byte is sent once and in order.
    @Test(arguments: 0..<50)
    func everyByteLeavesOnceAndInOrder(seed: UInt64) {
        var generator = Course(state: seed)
        var pending = PendingWrites()
        var expected = Bytes()
        var written = Bytes()
        for _ in 0..<200 {
            if Bool.random(using: &generator) {
                let body = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                let start = body.isEmpty ? 0 : Int.random(in: 0...body.count, using: &generator)
                if Bool.random(using: &generator) {
                    pending.append(body, from: start)
                } else {
                    pending.append(bodyOf: Self.ready(body), from: start)
                }
                expected.append(contentsOf: body[start...])
            } else {
                let most = Int.random(in: 1...64, using: &generator)
                let offered = pending.withNext(pieces: Int.random(in: 1...5, using: &generator), bytes: most) {
                    pieces in
                    #expect(pieces.allSatisfy { !$0.isEmpty })
                    return Bytes(pieces.map { Bytes($0) }.joined())
                }
                #expect(offered.count <= most && (offered.isEmpty == pending.isEmpty))
                let taken = offered.isEmpty ? 0 : Int.random(in: 0...offered.count, using: &generator)
                written.append(contentsOf: offered[..<taken])
                pending.wrote(taken)
            }
            #expect(pending.count == expected.count - written.count)
        }
        while !pending.isEmpty {
            let offered = pending.withNext { Bytes($0.map { Bytes($0) }.joined()) }
            written.append(contentsOf: offered)
            pending.wrote(offered.count)
        }
        #expect(written == expected)
    }

    @Test func aWrittenBodyIsLetGo() {
        var pending = PendingWrites()
        weak var body: ReadyResponse?
        do {
            let ready = Self.ready([1, 2, 3])
            body = ready
            pending.append(bodyOf: ready, from: 0)
            pending.append([4], from: 0)
        }
        #expect(body != nil)
        pending.wrote(3)
        #expect(body == nil)
        #expect(pending.count == 1)
    }

    @Test func whatIsKeptWithABodyGoesWithItsLastByte() {
        final class Kept: Sendable {}
        var pending = PendingWrites()
        weak var kept: Kept?
        do {
            let hold = Kept()
            kept = hold
            pending.append([1, 2, 3], keeping: hold)
            pending.append([4])
        }
        pending.wrote(2)
        #expect(kept != nil)
        pending.wrote(1)
        #expect(kept == nil && pending.count == 1)
    }

    @Test func aQueueThatIsNeverEmptyHoldsNoPlacesOfWhatIsWritten() {
        var pending = PendingWrites()
        pending.append([0])
        for round in 1...10_000 {
            pending.append([UInt8(truncatingIfNeeded: round)])
            pending.wrote(1)
        }
        #expect(pending.count == 1)
        #expect(pending.places < 100)
        let last = pending.withNext { Bytes($0.map { Bytes($0) }.joined()) }
        #expect(last == [UInt8(truncatingIfNeeded: 10_000)])
    }
}

/// A generator with a fixed sequence.
struct Course: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
