import LarderCore
import LarderFetch
import LarderTestSupport
import Testing

@Suite struct RedirectTests {
    private static func moved(_ location: String, _ status: String = "302 Found") -> [Act] {
        [.send("HTTP/1.1 \(status)\r\nLocation: \(location)\r\nContent-Length: 3\r\n\r\nbye")]
    }

    private static let all: @Sendable (String) -> AddressPolicy? = { _ in .configured }

    @Test(arguments: [301, 302, 303, 307, 308])
    func anAllowedRedirectIsFollowed(status: Int) async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/a/b?x=1" ? Self.moved("../c d?y=2#f", "\(status) Moved") : [.send(ok("there"))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(
                order(origin.base + "/a/b?x=1", maxRedirects: 1, permits: Self.all))
            #expect(response.body.lossyText == "there")
            #expect(response.url == origin.base + "/c%20d?y=2")
            #expect(origin.requests.map(\.target) == ["/a/b?x=1", "/c%20d?y=2"])
            #expect(origin.requests.map(\.connection) == [0, 0])
            #expect(rig.count(FetchCounters.redirects) == 1)
        }
    }

    /// Budgets count calls by this figure. The URL that answered cannot give it, because the URL has the fetcher's own
    /// spelling.
    @Test func theAnswerTellsHowManyRedirectsCameBeforeIt() async throws {
        let origin = ScriptedOrigin { request in
            switch request.target {
            case "/a": Self.moved("/b")
            case "/b": Self.moved("/c")
            default: [.send(ok("there"))]
            }
        }
        defer { origin.stop() }
        try await withRig { rig in
            let followed = try await rig.fetcher.fetch(order(origin.base + "/a", maxRedirects: 3, permits: Self.all))
            #expect(followed.redirects == 2)
            let spelled = origin.base.replacing("http://", with: "HTTP://") + "/c"
            let direct = try await rig.fetcher.fetch(order(spelled, maxRedirects: 3, permits: Self.all))
            #expect(direct.url != spelled)
            #expect(direct.redirects == 0)
        }
    }

    /// A budget counts these calls as well.
    @Test func aFailureTellsHowManyRedirectsCameBeforeIt() async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/a" ? Self.moved("/b") : [.send("HTTP/1.1 nonsense\r\n\r\n")]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/a", maxRedirects: 3, permits: Self.all))
            #expect(error?.redirects == 1 && error?.isUnsent == false)
            let direct = await rig.failure(order(origin.base + "/c", maxRedirects: 3, permits: Self.all))
            #expect(direct?.redirects == 0)
        }
    }

    @Test(arguments: [300, 304, 305, 306])
    func whatIsNoRedirectIsAnAnswer(status: Int) async throws {
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/", maxRedirects: 3, permits: Self.all))
            #expect(response.status == status)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func withoutLeaveToFollowARedirectIsTheAnswer() async throws {
        let origin = ScriptedOrigin { _ in Self.moved("/b") }
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/", permits: Self.all))
            #expect(response.status == 302)
            #expect(response.body.lossyText == "bye")
        }
    }

    @Test func aTargetThatIsNotPermittedIsForbiddenAndNotCalled() async throws {
        let other = ScriptedOrigin(answering: ok("x"))
        let origin = ScriptedOrigin { _ in Self.moved(other.base + "/b?token=secret") }
        defer {
            origin.stop()
            other.stop()
        }
        try await withRig { rig in
            let asked = Lock<[String]>([])
            let error = await rig.failure(
                order(origin.base + "/", maxRedirects: 3) { url in
                    asked.withLock { $0.append(url) }
                    return nil
                })
            #expect(error?.stage == .forbidden)
            #expect(error?.description.contains("secret") == false)
            #expect(asked.withLock { $0 } == [other.base + "/b?token=secret"])
            #expect(other.connections == 0)
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "http://user:word@127.0.0.1/", "http://", "http://[::1/", "//",
        "http://127.0.0.1:0x50/",
    ])
    func aTargetThatIsNoURLOfOursIsForbidden(location: String) async throws {
        let origin = ScriptedOrigin { _ in Self.moved(location) }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/", maxRedirects: 3, permits: Self.all))
            #expect(error?.stage == .forbidden)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aCircleAndAChainThatIsTooLongAreBroken() async throws {
        let origin = ScriptedOrigin { request in
            switch request.target {
            case "/a": Self.moved("/b")
            case "/b": Self.moved("/a")
            default: Self.moved("\(request.target)1")
            }
        }
        defer { origin.stop() }
        try await withRig { rig in
            let circle = await rig.failure(order(origin.base + "/a", maxRedirects: 9, permits: Self.all))
            #expect(circle?.stage == .malformed && circle?.message.contains("circle") == true)
            #expect(origin.requests.count == 2)
            let chain = await rig.failure(order(origin.base + "/1", maxRedirects: 3, permits: Self.all))
            #expect(chain?.stage == .malformed && chain?.message.contains("more than 3 times") == true)
            #expect(origin.requests.count == 2 + 4)
        }
    }

    @Test func secretsStayWithTheirOrigin() async throws {
        let other = ScriptedOrigin { request in
            request.target == "/back" ? [.send(ok("other"))] : Self.moved("/back")
        }
        let origin = ScriptedOrigin { request in
            request.target == "/1" ? Self.moved("/2") : Self.moved(other.base + "/3")
        }
        defer {
            origin.stop()
            other.stop()
        }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(
                order(
                    origin.base + "/1", fields: ["Accept": "a/b", "Cookie": "c=1"],
                    secretFields: ["X-Api-Key": "secret", "Authorization": "Bearer secret"], maxRedirects: 5,
                    permits: Self.all))
            #expect(response.body.lossyText == "other")
            #expect(origin.requests.map { $0.field("X-Api-Key") } == ["secret", "secret"])
            #expect(origin.requests.map { $0.field("Authorization") } == ["Bearer secret", "Bearer secret"])
            #expect(other.requests.count == 2)
            for request in other.requests {
                #expect(request.field("Accept") == "a/b")
                #expect(request.field("Cookie") == nil)
                #expect(!request.head.contains("secret"))
            }
        }
    }

    @Test func seeOtherTurnsAPostIntoAGetAndOthersAreHandedBack() async throws {
        let origin = ScriptedOrigin { request in
            switch request.target {
            case "/303": Self.moved("/there", "303 See Other")
            case "/307": Self.moved("/there", "307 Temporary")
            default: [.send(ok("there"))]
            }
        }
        defer { origin.stop() }
        try await withRig { rig in
            func post(_ path: String) async throws -> UpstreamResponse {
                try await rig.fetcher.fetch(
                    order(
                        origin.base + path, method: .post, fields: ["Content-Type": "a/b"], body: [1], maxRedirects: 2,
                        permits: Self.all))
            }
            let seeOther = try await post("/303")
            #expect(seeOther.body.lossyText == "there")
            let repeated = try await post("/307")
            #expect(repeated.status == 307)
            #expect(origin.requests.map { $0.head.prefix(4) } == ["POST", "GET ", "POST"])
            #expect(origin.requests[1].body.isEmpty)
            #expect(origin.requests[1].field("Content-Type") == nil)
        }
    }

    @Test func severalPlacesAtOnceAreBroken() async throws {
        let origin = ScriptedOrigin { _ in Self.moved("/a\r\nLocation: /b") }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/", maxRedirects: 3, permits: Self.all))
            #expect(error?.stage == .malformed)
        }
    }
}
