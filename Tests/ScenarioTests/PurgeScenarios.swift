// Purges: named entries are removed at once and everywhere, the others stay, and only an authorised client may purge.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PurgeScenarios {
    static let token = "open-sesame-0123456789"

    private func withStock(
        _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/api/") || request.target.hasPrefix("/search")
                ? [.send(CacheScenarios.song)] : [.send(ok("other", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let configuration =
            BasicScenarios.itunes(origin, "  api: { kind: passthrough, baseURL: \"\(origin.base)\" }")
            + "\nadmin: { token: \(Self.token) }"
        let place = TemporaryDirectory()
        let listen = [#""127.0.0.1:0""#, "\"unix:\(place.path)/s\""]
        try await withLarder(configuration, listen: listen) { larder in
            for target in Self.stock {
                for _ in 0..<2 { #expect(try await larder.get(target).status == 200) }
            }
            try await body(larder, origin)
        }
    }

    static let jack = "/v1/itunes/search?q=jack+johnson"
    static let moon = "/v1/itunes/search?q=M%C3%BCnchen"
    static let raw = "/raw/itunes/search?term=jack+johnson"
    static let merged = "/v1/search?q=jack+johnson&source=itunes"
    static let other = "/raw/api/thing"
    static let stock = [jack, moon, raw, merged, other]

    private func purge(_ larder: RunningLarder, _ query: String) async throws -> WireResponse {
        try await larder.send("DELETE", "/v1/cache?\(query)", fields: [("Authorization", "Bearer \(Self.token)")])
    }

    /// The targets of the stock that the cache still answers, fresh or stale.
    private func held(_ larder: RunningLarder) async throws -> [String] {
        var held: [String] = []
        for target in Self.stock {
            let answer = try await larder.get(target, ("Cache-Control", "only-if-cached"))
            if answer.status == 200 { held.append(target) }
        }
        return held
    }

    @Test func memoryAloneIsEmptiedAndTheStoreAnswers() async throws {
        try await withStock { larder, origin async throws in
            let calls = origin.requests.count
            #expect(try await larder.counter("larder_memory_entries") > 0)
            let answer = try await purge(larder, "layer=memory")
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["purged"]?.integer ?? 0 > 0, "\(answer)")
            #expect(try answer.json()["layer"]?.string == "memory")
            #expect(try await larder.counter("larder_memory_entries") == 0)
            #expect(try await held(larder) == Self.stock)
            #expect(origin.requests.count == calls)
            for query in ["layer=memory&provider=itunes", "layer=store", "layer=memory&soft=1", "layer="] {
                try BadInputScenarios.expectProblem(try await purge(larder, query), 400, query)
            }
            let unasked = try await larder.send("DELETE", "/v1/cache?layer=memory")
            #expect(unasked.status == 403 || unasked.status == 401, "\(unasked)")
        }
    }

    @Test(arguments: [
        "term=jack+johnson", "term=jack%20johnson", "term=JACK+Johnson", "term=johnson", "term=jack&provider=itunes",
    ])
    func aTermTakesEveryFormOfItsEntries(_ query: String) async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, query)
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["purged"]?.integer == 2, "a raw row and a normalised one: \(answer)")
            #expect(try await held(larder) == [Self.moon, Self.other])
        }
    }

    @Test func aTermIsFoundByItsLettersAndNotByTheirEncoding() async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, "term=m%C3%BCnchen")
            #expect(try answer.json()["purged"]?.integer == 2, "\(answer)")
            #expect(try await held(larder) == [Self.jack, Self.raw, Self.merged, Self.other])
            let none = try await purge(larder, "term=jack&provider=api")
            #expect(try none.json()["purged"]?.integer == 0, "\(none)")
        }
    }

    @Test(arguments: [
        "BASE/search?term=jack+johnson", "/raw/itunes/search?term=jack+johnson",
        "HERE/raw/itunes/search?term=jack+johnson", "/raw/itunes/./search?term=jack+johnson",
        "HERE/raw/itunes/%2E/search?term=jack+johnson", "BASE/./search?term=jack+johnson",
    ])
    func aURLTakesItsEntryAndWhatWasMadeOfIt(_ spelling: String) async throws {
        try await withStock { larder, origin async throws in
            let url = spelling.replacing("BASE", with: origin.base).replacing("HERE", with: "http://\(larder.address)")
            let answer = try await purge(larder, "url=\(PercentCoding.encode(url))")
            #expect(try answer.json()["purged"]?.integer == 2, "raw and normalised: \(answer)")
            #expect(try answer.json()["reason"] == nil)
            #expect(try await held(larder) == [Self.moon, Self.other])
        }
    }

    @Test func aURLOfAProviderOfOnesOwnIsFoundToo() async throws {
        try await withStock { larder, origin async throws in
            let answer = try await purge(larder, "url=\(PercentCoding.encode("/raw/api/thing"))")
            #expect(try answer.json()["purged"]?.integer == 1, "\(answer)")
            #expect(try await held(larder) == [Self.jack, Self.moon, Self.raw, Self.merged])
        }
    }

    @Test(arguments: [
        ("url=%2Fraw%2Fapi%2Fnothing", "Nothing is stored of api for that URL."),
        ("url=https%3A%2F%2Felsewhere.example%2Fa", "This URL is not below the base URL of any provider"),
        (
            "url=http%3A%2F%2Flocalhost%2Fraw%2Fitune%2Fa",
            "There is no provider \"itune\"; did you mean \"itunes\"? No stored request holds that URL."
        ),
        ("term=zebra", "No stored request holds \"zebra\"."), ("provider=newsapi", "Nothing of newsapi is stored."),
        ("key=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "No entry has that digest."),
    ])
    func nothingPurgedSaysWhy(_ query: String, _ reason: String) async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, query)
            #expect(try answer.json()["purged"]?.integer == 0, "\(answer)")
            #expect(try answer.json()["reason"]?.string?.hasPrefix(reason) == true, "\(answer)")
            #expect(try await held(larder) == Self.stock)
        }
    }

    @Test func aURLPurgedTwiceTakesNoOtherThatBeginsWithIt() async throws {
        try await withStock { larder, _ async throws in
            let longer = Self.raw + "+and+friends"
            #expect(try await larder.get(longer).status == 200)
            let query = "url=\(PercentCoding.encode(Self.raw))"
            #expect(try await purge(larder, query).json()["purged"]?.integer == 2)
            for _ in 0..<2 {
                let again = try await purge(larder, query)
                #expect(try again.json()["purged"]?.integer == 0, "\(again)")
                #expect(try again.json()["reason"]?.string == "Nothing is stored of itunes for that URL.")
            }
            #expect(try await larder.get(longer, ("Cache-Control", "only-if-cached")).status == 200)
            #expect(try await held(larder) == [Self.moon, Self.other])
        }
    }

    @Test(arguments: ["url=%2Fv1%2Fsearch", "url=%2Fraw%2Fbing%2Fx", "url=ftp%3A%2F%2Fa%2Fb", "url=words"])
    func whatIsNoURLIsRefused(_ query: String) async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, query)
            try BadInputScenarios.expectProblem(answer, 400, query)
            #expect(try await held(larder) == Self.stock)
        }
    }

    @Test func aURLOfAnUnknownProviderIsToldTheNearestName() async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, "url=%2Fraw%2Fitune%2Fsearch")
            #expect(answer.status == 400, "\(answer)")
            let problem = try answer.json()
            #expect(problem["detail"]?.string == "There is no provider \"itune\"; did you mean \"itunes\"?")
            #expect(problem["parameter"]?.string == "provider")
        }
    }

    @Test func aProviderTakesAllOfItsOwn() async throws {
        try await withStock { larder, _ async throws in
            #expect(try await purge(larder, "provider=itunes").json()["purged"]?.integer == 4)
            #expect(try await held(larder) == [Self.other])
            #expect(try await purge(larder, "provider=api").json()["purged"]?.integer == 1)
            #expect(try await held(larder).isEmpty)
        }
    }

    @Test func allIsAllAndTheNextRequestFetches() async throws {
        try await withStock { larder, origin in
            let calls = origin.requests.count
            #expect(try await purge(larder, "all=1").json()["purged"]?.integer == 5)
            #expect(try await held(larder).isEmpty)
            let again = try await larder.get(Self.jack)
            #expect(again["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(again)")
            #expect(origin.requests.count == calls + 1)
        }
    }

    @Test func aSoftPurgeKeepsWhatCoversForAnOutage() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = BasicScenarios.itunes(origin) + "\nadmin: { token: \(Self.token) }"
        try await withLarder(configuration, time: time) { larder in
            for _ in 0..<2 { _ = try await larder.get(Self.jack) }
            let answer = try await purge(larder, "all=1&soft=1")
            #expect(try answer.json()["soft"]?.bool == true)
            #expect(try answer.json()["purged"]?.integer == 2, "\(answer)")
            moods.set(ok("oops", status: "500 Oops"))
            time.advance(by: .seconds(10))
            let stale = try await larder.get(Self.jack)
            #expect(stale.status == 200, "\(stale)")
            #expect(stale["Cache-Status"] == "larder; hit; ttl=-10", "\(stale)")
            try await larder.eventually("it is refreshed") { origin.requests.count == 2 }
        }
    }

    @Test(arguments: [
        ("", "missingParameter"), ("all=0", "missingParameter"), ("all=1&provider=itunes", "missingParameter"),
        ("all=maybe", "invalidParameter"), ("term=", "invalidParameter"), ("provider=bing", "invalidParameter"),
        ("key=%21", "invalidParameter"), ("everything=1", "unknownParameter"), ("term=%FF", "malformedQuery"),
        ("all=1&all=1", "repeatedParameter"), ("term=a&url=b", "missingParameter"),
    ])
    func whatIsNotSaidClearlyPurgesNothing(_ query: String, _ code: String) async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, query)
            try BadInputScenarios.expectProblem(answer, 400, query)
            #expect(try answer.json()["code"]?.string == code, "\(answer)")
            #expect(try await held(larder) == Self.stock)
        }
    }

    @Test func overTCPTheTokenIsNeededAndOverTheSocketTheUserIsEnough() async throws {
        try await withStock { larder, _ async throws in
            let purge = "/v1/cache?all=1"
            for authorization in [
                nil, "Bearer", "Bearer ", "Bearer wrong", "Basic \(Self.token)", Self.token,
                "Bearer \(Self.token)x", "Bearer \(Self.token.dropLast())",
            ] {
                let fields = authorization.map { [("Authorization", $0)] } ?? []
                let answer = try await larder.send("DELETE", purge, fields: fields)
                try BadInputScenarios.expectProblem(answer, 401, authorization ?? "nothing")
                #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
                #expect(!answer.text.contains(Self.token))
            }
            #expect(try await held(larder) == Self.stock)
            let socket = try await larder.send("DELETE", purge, to: larder.addresses[1])
            #expect(socket.status == 200, "\(socket)")
            #expect(try await held(larder).isEmpty)
            #expect(
                try await larder.send("DELETE", purge, fields: [("Authorization", "bearer \(Self.token)")]).status
                    == 200)
        }
    }

    @Test func withoutATokenNothingIsChangedOverTCP() async throws {
        try await withLarder { larder in
            for (method, target) in [("DELETE", "/v1/cache?all=1"), ("POST", "/v1/providers/itunes/resume")] {
                let answer = try await larder.send(method, target, fields: [("Authorization", "Bearer ")])
                try BadInputScenarios.expectProblem(answer, 403, target)
            }
        }
    }
}
