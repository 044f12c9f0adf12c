// `/v1/requests`: requests that were answered lately or are under way, with and without authority, and no credentials.
import LarderCore
import LarderDaemon
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct RequestScenarios {
    private static let token = "open-sesame-0123456789"
    private static let search = "/v1/itunes/search?q=jack+johnson"
    private static let passed = "/raw/api/thing?api_key=s3cret-of-a-client&s3cret"
    private static let authority = ("Authorization", "Bearer \(token)")

    private func withStand(_ body: (RunningLarder) async throws -> Void) async throws {
        let origin = ScriptedOrigin { request in
            guard request.target.hasPrefix("/thing") else { return [.send(CacheScenarios.song)] }
            return [.send(ok("thing", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        let settings = BasicScenarios.itunes(origin, "  api: { kind: passthrough, baseURL: \"\(origin.base)\" }")
        let place = TemporaryDirectory()
        try await withLarder(
            settings + "\nadmin: { token: \(Self.token) }", listen: [#""127.0.0.1:0""#, "\"unix:\(place.path)/s\""],
            body)
    }

    private func list(
        _ larder: RunningLarder, _ query: String = "", _ fields: (String, String)..., at address: String? = nil
    ) async throws -> [JSONValue] {
        let answer = try await larder.send("GET", "/v1/requests?\(query)", fields: fields, to: address)
        #expect(answer.status == 200, "\(answer)")
        #expect(!answer.text.contains("s3cret"), "\(answer)")
        #expect(answer["Cache-Control"] == "no-store")
        return try answer.json()["requests"]?.elements.map { $0 } ?? []
    }

    private func told(
        _ larder: RunningLarder, _ query: String = "", _ field: (String, String)? = nil, at address: String? = nil
    ) async throws -> [String] {
        if let field { return targets(try await list(larder, query, field, at: address)) }
        return targets(try await list(larder, query, at: address))
    }

    private func targets(_ requests: [JSONValue]) -> [String] { requests.compactMap { $0["target"]?.string } }

    @Test func aMissAndItsHitsAreToldTheNewestFirst() async throws {
        try await withStand { larder async throws in
            for _ in 0..<3 { #expect(try await larder.get(Self.search).status == 200) }
            let requests = try await list(larder)
            #expect(
                requests.map { $0["outcome"]?.string } == ["hit", "hit", "miss"], "\(requests.map(\.raw.lossyText))")
            #expect(requests.map { $0["tier"]?.string } == ["memory", "memory", nil])
            #expect(Set(targets(requests)) == ["/v1/itunes/search?q=…"])
            for request in requests {
                #expect(request["provider"]?.string == "itunes" && request["route"]?.string == "itunes")
                #expect(request["status"]?.integer == 200 && request["method"]?.string == "GET")
                #expect(request["sentence"]?.string?.isEmpty == false && request["rule"]?.string != nil)
                #expect(request["bytes"]?.integer == requests[0]["bytes"]?.integer)
            }
            #expect(requests[2]["client"]?.string == "127.0.0.1" && requests[2]["milliseconds"] != nil)
        }
    }

    @Test func whatIsToldHasTheIdOfTheAnswer() async throws {
        try await withStand { larder async throws in
            let miss = try await larder.get(Self.search)
            let hit = try await larder.get(Self.search)
            #expect(
                try await list(larder).map { $0["id"]?.string } == [hit["X-Request-Id"], miss["X-Request-Id"]])
        }
    }

    @Test func anExplanationTellsTimeAndClientToo() async throws {
        try await withStand { larder async throws in
            let id = try #require(try await larder.get(Self.search)["X-Request-Id"])
            let told = try await larder.get("/v1/explain/\(id)").json()
            #expect(told["client"]?.string == "127.0.0.1" && told["milliseconds"] != nil, "\(told.raw.lossyText)")
        }
    }

    @Test func withAuthorityTheWordsOfASearchAreToldToo() async throws {
        try await withStand { larder async throws in
            for _ in 0..<2 { _ = try await larder.get(Self.search) }
            #expect(try await told(larder, "", Self.authority) == [Self.search, Self.search])
            #expect(try await told(larder, "", at: larder.addresses[1]) == [Self.search, Self.search])
        }
    }

    @Test func aKeyInThePassedQueryIsToldNobody() async throws {
        try await withStand { larder async throws in
            for _ in 0..<2 { #expect(try await larder.get(Self.passed).status == 200) }
            let hidden = Array(repeating: "/raw/api/thing?api_key=…&…", count: 2)
            #expect(try await told(larder) == hidden)
            #expect(try await told(larder, "", Self.authority) == hidden)
        }
    }

    @Test func hitsOfAnEarlierRunAreToldByTheirEntry() async throws {
        let origin = ScriptedOrigin(answering: ok("thing", fields: "Cache-Control: max-age=600\r\n"))
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let settings = """
            cache: { memorySize: 0, minFree: 0 }
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            """
        for _ in 0..<2 {
            try await withLarder(settings, directory: directory) { larder async throws in
                try await larder.eventually("a loop answers from the database") {
                    _ = try await larder.get(Self.passed)
                    let hits = try await list(larder, "outcome=hit").filter { $0["tier"]?.string == "database" }
                    for hit in hits {
                        #expect(hit["provider"]?.string == "api", "\(hit.raw.lossyText)")
                        #expect(hit["target"]?.string?.hasSuffix("/thing?api_key=…&…") == true, "\(hit.raw.lossyText)")
                    }
                    return !hits.isEmpty
                }
            }
        }
    }

    @Test func aFilterLeavesOutTheRest() async throws {
        try await withStand { larder async throws in
            _ = try await larder.get(Self.search)
            _ = try await larder.get(Self.search)
            _ = try await larder.get(Self.passed)
            _ = try await larder.get("/v1/nothing")
            #expect(try await list(larder, "provider=api").count == 1)
            #expect(try await list(larder, "outcome=hit").count == 1)
            #expect(try await told(larder, "status=4xx") == ["/v1/nothing"])
            #expect(try await told(larder, "path=/raw/").count == 1)
            #expect(try await list(larder, "limit=2").count == 2)
            #expect(try await list(larder, "path=jack").isEmpty)
            #expect(try await list(larder, "path=jack", Self.authority).count == 2)
        }
    }

    @Test(arguments: ["limit=0", "limit=1001", "status=900", "outcome=x", "slow=x", "colour=red"])
    func aWrongParameterIsRefusedByName(_ query: String) async throws {
        try await withStand { larder async throws in
            let answer = try await larder.get("/v1/requests?\(query)")
            #expect(answer.status == 400, "\(answer)")
            #expect(try answer.json()["parameter"]?.string == String(query.prefix { $0 != "=" }), "\(answer)")
        }
    }

    @Test func whoOnlyLooksIsNotTold() async throws {
        try await withStand { larder async throws in
            for target in ["/v1/status", "/metrics", "/healthz", "/", "/v1/requests"] {
                _ = try await larder.get(target)
            }
            #expect(try await list(larder).isEmpty)
        }
    }

    // MARK: As they happen

    private func listen(_ larder: RunningLarder, _ query: String = "") async throws -> EventStream {
        let address = larder.address
        return try await onOwnThread { try EventStream(WireClient(address), "/v1/requests/events?\(query)") }
    }

    /// Reads on until `count` requests were reported. Returns all of them.
    private func next(_ stream: inout EventStream, _ count: Int) async throws -> [JSONValue] {
        let before = stream
        let (after, events) = try await onOwnThread {
            var stream = before
            var events: [Bytes] = []
            var told = 0
            while told < count, let event = try stream.next() {
                events.append(event.data)
                told += (try JSON.parse(event.data)["requests"]?.elements.map { $0 } ?? []).count
            }
            return (stream, events)
        }
        stream = after
        return try events.flatMap { try JSON.parse($0)["requests"]?.elements.map { $0 } ?? [] }
    }

    @Test func requestsAreToldAsTheyHappen() async throws {
        try await withStand { larder async throws in
            _ = try await larder.get(Self.passed)
            var stream = try await listen(larder, "last=5")
            #expect(stream.head["Content-Type"] == "text/event-stream")
            let earlier = targets(try await next(&stream, 1))
            #expect(earlier == ["/raw/api/thing?api_key=…&…"])
            let miss = try await larder.get(Self.search)
            let hit = try await larder.get(Self.search)
            let told = try await next(&stream, 2)
            #expect(told.map { $0["id"]?.string } == [miss["X-Request-Id"], hit["X-Request-Id"]])
            #expect(told.map { $0["outcome"]?.string } == ["miss", "hit"])
        }
    }

    @Test func aFilteredStreamTellsOnlyWhatIsWanted() async throws {
        try await withStand { larder async throws in
            var stream = try await listen(larder, "outcome=hit")
            for _ in 0..<2 { _ = try await larder.get(Self.search) }
            _ = try await larder.get(Self.passed)
            _ = try await larder.get(Self.passed)
            #expect(try await next(&stream, 2).map { $0["outcome"]?.string } == ["hit", "hit"])
        }
    }

    @Test func moreHitsThanAreReadAtOnceAreCounted() async throws {
        try await withStand { larder async throws in
            _ = try await larder.get(Self.search)
            let address = larder.address
            let stream = try await listen(larder)
            let count = 3000
            try await onOwnThread {
                let client = try WireClient(address)
                let one = "GET \(Self.search) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                for _ in 0..<count / 100 {
                    try client.send(String(repeating: one, count: 100))
                    for _ in 0..<100 { _ = try client.receive() }
                }
            }
            let (told, dropped) = try await onOwnThread {
                var stream = stream
                var told = 0
                var dropped = 0
                while told + dropped < count, let event = try stream.next() {
                    let value = try JSON.parse(event.data)
                    told += (value["requests"]?.elements.map { $0 } ?? []).count
                    dropped = value["dropped"]?.integer ?? 0
                }
                return (told, dropped)
            }
            #expect(told + dropped == count && dropped > 0, "\(told) told, \(dropped) dropped")
        }
    }

    @Test func theStreamEndsWithTheDaemon() async throws {
        let ended = Lock<EventStream?>(nil)
        try await withStand { larder async throws in
            var stream = try await listen(larder)
            _ = try await larder.get(Self.search)
            _ = try await next(&stream, 1)
            ended.withLock { [stream] in $0 = stream }
        }
        let stream = try #require(ended.withLock { $0 })
        let rest = try await onOwnThread {
            var stream = stream
            _ = try stream.rest()
            return stream.hasEnded
        }
        #expect(rest)
    }

    @Test func onlySoManyStreamsLookAtOnceAndOneThatLeavesMakesRoom() async throws {
        try await withLarder("") { larder in
            var streams: [EventStream] = []
            // The last four of 32 places are for the owner of the Unix socket.
            for _ in 0..<28 {
                streams.append(try await listen(larder))
                #expect(streams.last?.head.status == 200)
            }
            let refused = try await larder.get("/v1/requests/events")
            try BadInputScenarios.expectProblem(refused, 503, "the 29th stream")
            #expect(try await larder.get("/metrics").text.contains("larder_request_streams_refused_total 1"))
            #expect(try await larder.get("/v1/requests").status == 200)
            streams.removeLast()
            try await larder.eventually("the place is free") {
                try await listen(larder).head.status == 200
            }
        }
    }

    @Test func aStreamTakesAPlaceAmongThoseThatArePermitted() async throws {
        try await withLarder("server: { maxEventStreams: 1 }") { larder in
            let first = try await listen(larder)
            #expect(first.head.status == 200)
            let second = try await larder.get("/v1/requests/events")
            #expect(second.status == 503, "\(second)")
        }
    }
}
