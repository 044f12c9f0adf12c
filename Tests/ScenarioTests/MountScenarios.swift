// One provider by several ways: below `/raw`, which shares Larder's own origin, and at the root of the provider's own
// listeners. References and cookies fit each client's own way, whichever client asked first.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct MountScenarios {
    private func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        """
        providers:
          api: { kind: passthrough, baseURL: "\(origin.base)/v1"\(more) }
          other: { kind: passthrough, baseURL: "\(origin.base)" }
        """
    }

    private static let listen = [
        #""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#,
        #"{ address: "127.0.0.1:0", provider: other }"#,
    ]

    // MARK: Places

    @Test func aRedirectLeadsThroughTheCacheByTheWayItWasAskedFor() async throws {
        let base = Lock("")
        let origin = ScriptedOrigin { request in
            switch request.target {
            case "/v1/moved":
                [.send(ok("", status: "301 M", fields: "Location: /v1/new\r\nCache-Control: max-age=60\r\n"))]
            case "/v1/far": [.send(ok("", status: "302 F", fields: "Location: \(base.withLock { $0 })/v1/new?a=b\r\n"))]
            case "/v1/away": [.send(ok("", status: "302 F", fields: "Location: https://other.example/x\r\n"))]
            case "/v1/up": [.send(ok("", status: "303 S", fields: "Location: /login\r\n"))]
            default: [.send(ok("here", fields: "Cache-Control: max-age=60\r\n"))]
            }
        }
        defer { origin.stop() }
        base.withLock { $0 = origin.base }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            let bound = larder.addresses[1]
            for _ in 0..<3 {
                #expect(try await larder.get("/raw/api/moved")["Location"] == "/raw/api/new")
                #expect(try await larder.get("/moved", at: bound)["Location"] == "/new")
                // Another provider has the same URL, with a shorter base.
                #expect(try await larder.get("/raw/other/v1/moved")["Location"] == "/raw/other/v1/new")
                #expect(try await larder.get("/v1/moved", at: larder.addresses[2])["Location"] == "/v1/new")
            }
            #expect(try await larder.get("/raw/api/far")["Location"] == "/raw/api/new?a=b")
            #expect(try await larder.get("/far", at: bound)["Location"] == "/new?a=b")
            #expect(try await larder.send("POST", "/raw/api/far")["Location"] == "/raw/api/new?a=b")
            #expect(try await larder.get("/raw/api/away")["Location"] == "https://other.example/x")
            for (target, address) in [("/raw/api/up", larder.address), ("/up", bound)] {
                let answer = try await larder.get(target, at: address)
                #expect(answer["Location"] == "\(origin.base)/login", "no path from here leads there")
            }
            #expect(try await larder.get("/raw/api/new").text == "here")
        }
    }

    /// A browser would follow it and search as if the user had asked.
    @Test func aRedirectToAnotherPlaceOfThisDaemonIsNotPassedOn() async throws {
        let origin = ScriptedOrigin { request in
            let place = request.target.hasSuffix("own") ? "/raw/api/x" : "/?q=x"
            return [
                .send(
                    ok(
                        "", status: "302 Found",
                        fields: "Location: http://localhost\(place)\r\nCache-Control: no-store\r\n"))
            ]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for method in ["GET", "POST"] {
                let console = try await larder.send(method, "/raw/api/a")
                #expect(console.status == 302 && console["Location"] == nil, "\(console)")
                // The same mount may name itself in full.
                #expect(try await larder.send(method, "/raw/api/own")["Location"] == "http://localhost/raw/api/x")
                #expect(try await larder.send(method, "/raw/other/v1/own")["Location"] == nil)
            }
        }
    }

    @Test func memoryKeepsWhatEachWayNeeds() async throws {
        let links = "</v1/a?page=2>; rel=next, <https://cdn.example/s>; rel=preload"
        let origin = ScriptedOrigin(
            answering: ok(
                "page", fields: "Cache-Control: max-age=600\r\nContent-Location: /v1/a.en\r\nLink: \(links)\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for turn in 1...4 {
                for (target, address, root) in [
                    ("/raw/api/a", larder.address, "/raw/api"), ("/a", larder.addresses[1], ""),
                ] {
                    let answer = try await larder.get(target, at: address)
                    #expect(answer["Content-Location"] == "\(root)/a.en", "turn \(turn): \(answer)")
                    #expect(
                        answer["Link"] == "<\(root)/a?page=2>; rel=next, <https://cdn.example/s>; rel=preload",
                        "turn \(turn): \(answer)")
                }
            }
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="api""#) >= 4)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aSegmentOfOneDotIsTheSamePlace() async throws {
        let origin = ScriptedOrigin(answering: ok("page", fields: "Cache-Control: max-age=600\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for path in ["/a/b", "/./a/b", "/a/./b", "/a/%2e/b"] {
                let raw = try await larder.get("/raw/api\(path)")
                #expect(raw.text == "page", "\(path): \(raw)")
                #expect(try await larder.get(path, at: larder.addresses[1]).text == "page", "\(path)")
            }
            #expect(origin.requests.map(\.target) == ["/v1/a/b"])
            #expect(try await larder.get("/raw/itunes/./../search").status == 400)
        }
    }

    // MARK: Cookies

    @Test func aCookieOfOneProviderDoesNotReachAnother() async throws {
        let origin = ScriptedOrigin { request in
            let set = "Set-Cookie: id=1; Path=/; Domain=x.example; Secure\r\nSet-Cookie: __Host-a=b; Path=/; Secure\r\n"
            return [
                .send(ok("for \(request.field("Cookie") ?? "nobody")", fields: "Cache-Control: no-store\r\n\(set)"))
            ]
        }
        defer { origin.stop() }
        let log = ("Cookie", "id=1")
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            let raw = try await larder.get("/raw/api/a", log)
            #expect(raw["Set-Cookie"] == "id=1; Secure; Path=/raw/api/", "\(raw)")
            #expect(raw.text == "for nobody", "the settings do not say that its cookies go there")
            #expect(try await larder.send("POST", "/raw/api/a", fields: [log], body: "x").text == "for nobody")
            let bound = try await larder.get("/a", log, at: larder.addresses[1])
            #expect(bound.text == "for id=1", "curl is no browser")
            #expect(
                bound.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
                    == ["id=1; Path=/; Secure", "__Host-a=b; Path=/; Secure"], "\(bound)")
        }
        try await withLarder(configuration(origin, ", forwardCookies: true"), listen: Self.listen) { larder in
            let own = try await larder.get("/raw/api/a", log)
            #expect(own.text == "for id=1", "\(own)")
            let other = try await larder.get("/raw/other/a", log)
            #expect(other.text == "for nobody", "it is the other's setting: \(other)")
        }
    }

    @Test func aCookieThatDoesNotGoUpstreamMakesNoRequestPersonal() async throws {
        let origin = ScriptedOrigin(answering: ok("page", fields: "Cache-Control: max-age=600\r\n"))
        defer { origin.stop() }
        for more in ["", ", semantics: ttl"] {
            try await withLarder(configuration(origin, more), listen: Self.listen) { larder in
                let before = origin.requests.count
                for who in ["anna", "bert", "cleo"] {
                    let answer = try await larder.get("/raw/api/a", ("Cookie", who))
                    #expect(answer.text == "page", "\(answer)")
                }
                #expect(origin.requests.count == before + 1, "\(more)")
            }
        }
    }

    @Test func aBrowsersCookiesNeedAPageOfTheBoundListener() async throws {
        let origin = ScriptedOrigin { request in
            [.send(ok("for \(request.field("Cookie") ?? "nobody")", fields: "Cache-Control: no-store\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for (fields, who) in [
                ([("User-Agent", "curl/8.14.1")], "for other-port=1"), ([("User-Agent", "Mozilla/5.0")], "for nobody"),
                ([("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")], "for nobody"),
                ([("Sec-Fetch-Site", "same-origin"), ("User-Agent", "Mozilla/5.0")], "for other-port=1"),
            ] {
                let answer = try await larder.send(
                    "GET", "/a", fields: fields + [("Cookie", "other-port=1")], to: larder.addresses[1])
                #expect(answer.text == who, "\(fields): \(answer)")
            }
        }
    }

    // MARK: Fields of the whole origin, interim answers

    private static let ofOrigin = [
        "Alt-Svc", "Reporting-Endpoints", "Service-Worker-Allowed", "Accept-CH", "Origin-Agent-Cluster",
        "Speculation-Rules", "Activate-Storage-Access",
    ]
    private static let ofHost = [
        "Clear-Site-Data", "Strict-Transport-Security", "NEL", "Report-To", "Public-Key-Pins", "Set-Cookie2",
    ]

    /// All listeners share the host with each other and with every other service of the machine.
    @Test func whatActsOnAWholeOriginGoesInNoHeadOfASharedOneAndWhatActsOnTheHostInNone() async throws {
        let fields = (Self.ofOrigin + Self.ofHost).map { "\($0): x\r\n" }.joined()
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </v1/s.css>; rel=preload\r\n\(fields)\r\n"
        let origin = ScriptedOrigin { request in
            let control = request.target.contains("kept") ? "max-age=600" : "no-store"
            return [.send(interim + ok("page", fields: "Cache-Control: \(control)\r\n\(fields)"))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for path in ["/kept", "/never"] {
                for turn in 1...3 {
                    for (target, address, isShared) in [
                        ("/raw/api\(path)", larder.address, true), (path, larder.addresses[1], false),
                    ] {
                        let heads = try await heads(larder, target, address)
                        for head in heads {
                            for name in Self.ofOrigin {
                                #expect((head[name] == nil) == isShared, "\(name), \(target), \(turn): \(head)")
                            }
                            for name in Self.ofHost { #expect(head[name] == nil, "\(name), \(target): \(head)") }
                        }
                        if path == "/never" {
                            let link = "<\(isShared ? "/raw/api" : "")/s.css>; rel=preload"
                            #expect(heads.map { $0["Link"] } == [link, nil], "\(heads)")
                        }
                    }
                }
            }
        }
    }

    @Test func whatLetsOtherPagesReadGoesInNoHeadOfASharedOrigin() async throws {
        let fields =
            "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: true\r\nTiming-Allow-Origin: *\r\n"
        let origin = ScriptedOrigin(answering: ok("page", fields: "Cache-Control: max-age=600\r\n\(fields)"))
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for turn in 1...3 {
                let below = try await larder.send("GET", "/raw/api/a")
                let bound = try await larder.send("GET", "/a", to: larder.addresses[1])
                for name in ["Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"] {
                    #expect(below[name] == nil && bound[name] != nil, "\(name), \(turn): \(below) \(bound)")
                }
                #expect(below["Timing-Allow-Origin"] == nil && bound["Timing-Allow-Origin"] == nil)
                #expect(bound["Vary"] == "Origin", "a browser's own cache keeps it from others: \(bound)")
                // A request that says that it comes from another site's page gets none of it.
                for field in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
                    let foreign = try await larder.send("GET", "/a", fields: [field], to: larder.addresses[1])
                    #expect(foreign.status == 403 && foreign["Access-Control-Allow-Origin"] == nil, "\(foreign)")
                }
            }
        }
    }

    @Test func interimHeadsAreFilteredAsFinalOnesAre() async throws {
        let interim = """
            HTTP/1.1 103 Early Hints\r
            Connection: X-Hop, close\r
            X-Hop: 1\r
            Keep-Alive: timeout=5\r
            Proxy-Connection: keep-alive\r
            Set-Cookie: a=b; Path=/\r
            Access-Control-Allow-Origin: *\r
            Access-Control-Allow-Credentials: true\r
            X-Request-Id: of-the-upstream\r
            X-Kept: 1\r
            \r

            """
        let origin = ScriptedOrigin(answering: interim + ok("page", fields: "Cache-Control: no-store\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin), listen: Self.listen) { larder in
            for (target, address) in [("/raw/api/a", larder.address), ("/a", larder.addresses[1])] {
                let heads = try await heads(larder, target, address)
                #expect(heads.map(\.status) == [103, 200])
                #expect(heads.first?.fields.map(\.name) == ["X-Kept"], "\(heads)")
            }
        }
    }

    /// All heads up to and including the final one.
    private func heads(_ larder: RunningLarder, _ target: String, _ address: String) async throws -> [WireResponse] {
        try await larder.talk(to: address) { client in
            try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            var heads: [WireResponse] = []
            repeat { heads.append(try client.receiveHead()) } while heads.last?.status ?? 200 < 200
            return heads
        }
    }
}
