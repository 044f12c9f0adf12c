// Parts of a film that changes: no answer mixes the bytes of two versions, and no older version follows a newer one.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PartVersionScenarios {
    private typealias Common = PartScenarios

    /// The film is too large to be stored whole.
    private static func configuration(_ origin: ScriptedOrigin) -> String {
        "cache: { maxObject: 256KiB }\n" + PartScenarios.configuration(origin)
    }

    private static func look(
        _ range: String, _ count: Int, _ larder: RunningLarder, _ fields: String = ""
    ) async throws -> WireResponse {
        let address = larder.address
        return try await onOwnThread { try PartScenarios.look(range, count, at: address, fields) }
    }

    private static func isHit(_ response: WireResponse) -> Bool {
        response["Cache-Status"]?.hasPrefix("larder; hit") ?? false
    }

    @Test func anotherVersionThatIsSentWholeTakesThePlaceOfStoredParts() async throws {
        let film = Lock(Film(size: 4_000_000))
        let origin = ScriptedOrigin { request in film.withLock { $0 }.acts(request) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.look("2000000-2000099", 100, larder)
            let second = Film(version: "two", size: 5_000_000, most: 6_000_000)
            film.withLock { $0 = second }
            // The origin answers If-Range with the whole new version, which is too large to be stored whole.
            let response = try await Self.look("2000000-2000199", 200, larder)
            #expect(response["ETag"] == "\"two\"")
            #expect(response["Content-Range"] == "bytes 2000000-2000199/5000000")
            #expect(response.body == second.bytes(2_000_000..<2_000_200))
            try await Common.settled(larder)
            let later = try await Self.look("2000000-2000099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
            #expect(later.body == second.bytes(2_000_000..<2_000_100))
        }
    }

    @Test func anAnswerEndsWhereTheFilmChangesBetweenTwoStretches() async throws {
        let film = Lock(Film(size: 4_000_000))
        let origin = ScriptedOrigin { request in
            // The missing bytes after the stored part are fetched when reached. They are of another version then.
            if request.field("Range")?.hasPrefix("bytes=2100000-") == true {
                film.withLock { $0 = Film(version: "two", size: 4_000_000) }
            }
            return film.withLock { $0 }.acts(request)
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.look("2000000-2099999", 100_000, larder)
            let request = Common.request
            let first = try await larder.talk { client in
                try client.send("\(request)Range: bytes=1999000-2199999\r\n\r\n")
                return try (client.receiveHead(), client.receiveRest())
            }
            #expect(first.0["ETag"] == "\"one\"")
            // The stored bytes came, and nothing of the other version.
            #expect(first.1.count >= 101_000 && first.1.count < 201_000, "\(first.1.count) bytes")
            #expect(Film().bytes(1_999_000..<2_200_000).starts(with: first.1))
            try await Common.settled(larder)
            let later = try await Self.look("2000000-2000099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
            #expect(later.body == Film(version: "two").bytes(2_000_000..<2_000_100))
        }
    }

    @Test func partsAreNoAnswerWhileAllOfANewerVersionComes() async throws {
        let film = Lock(Film(size: 4_000_000, most: 5_000_000))
        let origin = ScriptedOrigin { request in film.withLock { $0 }.acts(request) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.look("2000000-2000099", 100, larder)
            // The first bytes come, fewer than may be stored. The rest does not come.
            let second = Film(version: "two", size: 5_000_000, most: 100_000)
            film.withLock { $0 = second }
            let request = Common.request
            let address = larder.address
            let player = try await onOwnThread {
                let player = try WireClient(address)
                try player.send("\(request)Range: bytes=0-\r\nCache-Control: no-cache\r\n\r\n")
                let head = try player.receiveHead()
                #expect(head["ETag"] == "\"two\"")
                return player
            }
            film.withLock { $0 = Film(version: "two", size: 5_000_000, most: 6_000_000) }
            let later = try await Self.look("2000000-2000099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
            #expect(later.body == second.bytes(2_000_000..<2_000_100))
            withExtendedLifetime(player) {}
        }
    }

    @Test func afterAChangeTheRangeItselfIsAskedForAndNotAllBeforeIt() async throws {
        let film = Lock(Film())
        let origin = ScriptedOrigin { request in film.withLock { $0 }.acts(request) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.look("700000000-700000099", 100, larder)
            film.withLock { $0 = Film(version: "two") }
            let later = try await Self.look("700000000-700000199", 200, larder)
            #expect(later.body == Film(version: "two").bytes(700_000_000..<700_000_200))
            #expect(
                PartScenarios.asked(origin) == [
                    "bytes=700000000-700000099", "bytes=700000100-700000199", "bytes=700000000-700000199",
                ])
        }
    }

    @Test func aPlayerThatLeavesEarlyDoesNotShortenWhatIsStored() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            for count in [300_000, 1000] {
                _ = try await Self.look("0-", count, larder)
                try await Common.settled(larder)
            }
            let later = try await Self.look("0-299999", 300_000, larder)
            #expect(Self.isHit(later), "\(later["Cache-Status"] ?? "")")
            #expect(later.body == Film().bytes(0..<300_000))
        }
    }

    @Test func aSmallWholeIsNoAnswerAfterAPartOfALargerVersion() async throws {
        let film = Lock(Film(size: 100_000))
        let origin = ScriptedOrigin { request in film.withLock { $0 }.acts(request) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/film").body == Film().bytes(0..<100_000))
            let second = Film(version: "two", size: 5_000_000)
            film.withLock { $0 = second }
            let part = try await Self.look("50000-50099", 100, larder, "Cache-Control: no-cache\r\n")
            #expect(part["ETag"] == "\"two\"")
            #expect(part.body == second.bytes(50_000..<50_100))
            try await Common.settled(larder)
            let later = try await Self.look("50000-50099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
        }
    }

    /// Receives an answer and opens the gate at its head. From then on it is older than any answer with a later head.
    private static func receive(_ client: WireClient, _ begun: Gate) throws -> (WireResponse, Bytes) {
        let head = try client.receiveHead()
        begun.open()
        return try (head, client.receiveRest())
    }

    /// An origin whose first answer continues when the gate opens.
    private static func slowFirst(_ gate: Gate, _ first: [Act], _ others: Film) -> ScriptedOrigin {
        let isFirst = Lock(true)
        return ScriptedOrigin { request in
            let isHeld = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isHeld, case .sendBytes(let bytes) = first[1] else { return others.acts(request) }
            let half = bytes.count / 2
            return [first[0], .sendBytes(Bytes(bytes[..<half])), .await(gate), .sendBytes(Bytes(bytes[half...]))]
        }
    }

    @Test(arguments: [true, false])
    func anOlderAnswerThatEndsLaterDoesNotTakeThePlaceOfANewerPart(_ isWhole: Bool) async throws {
        let gate = Gate()
        let old = Film(size: 200_000)
        let second = Film(version: "two", size: 3_000_000)
        let origin = Self.slowFirst(gate, isWhole ? old.whole : old.part(100_000..<200_000), second)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let (request, begun) = (Common.request, Gate())
            async let older = larder.talk { client in
                try client.send(request + (isWhole ? "\r\n" : "Range: bytes=-100000\r\n\r\n"))
                return try Self.receive(client, begun)
            }
            try await larder.eventually("the older answer is coming") { begun.opens(within: .zero) }
            // `no-cache` makes this a different request, so it does not join.
            let newer = try await Self.look("2000000-2000099", 100, larder, "Cache-Control: no-cache\r\n")
            #expect(newer["ETag"] == "\"two\"")
            try await larder.eventually("the newer part is stored") {
                try await larder.counter("larder_stored_parts_total", #"provider="api",fate="stored""#) == 1
            }
            gate.open()
            #expect(try await older.1 == old.bytes(isWhole ? 0..<200_000 : 100_000..<200_000))
            try await Common.settled(larder)
            let later = try await Self.look("2000000-2000099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
            #expect(Self.isHit(later), "\(later)")
        }
    }

    @Test func anOlderPartIsNotStoredBehindANewerOneThatMayNotBe() async throws {
        let gate = Gate()
        let old = Film(size: 3_000_000)
        let second = Film(version: "two", size: 3_000_000, control: "no-store")
        let origin = Self.slowFirst(gate, old.part(2_000_000..<2_100_000), second)
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let (request, begun) = (Common.request, Gate())
            async let older = larder.talk { client in
                try client.send("\(request)Range: bytes=2000000-2099999\r\n\r\n")
                return try Self.receive(client, begun)
            }
            try await larder.eventually("the older part is coming") { begun.opens(within: .zero) }
            let newer = try await Self.look("2500000-2500099", 100, larder)
            #expect(newer["ETag"] == "\"two\"")
            gate.open()
            #expect(try await older.1 == old.bytes(2_000_000..<2_100_000))
            try await Common.settled(larder)
            let later = try await Self.look("2000000-2000099", 100, larder)
            #expect(later["ETag"] == "\"two\"", "\(later)")
        }
    }

    @Test func aWholeThatIsComingIsStoredThoughAPartOfItWasAskedForMeanwhile() async throws {
        let gate = Gate()
        let film = Film(size: 3_000_000, most: 4_000_000)
        let origin = Self.slowFirst(gate, film.whole, film)
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            let (request, begun) = (Common.request, Gate())
            async let whole = larder.talk { client in
                try client.send("\(request)\r\n")
                return try Self.receive(client, begun)
            }
            try await larder.eventually("the whole is coming") { begun.opens(within: .zero) }
            _ = try await Self.look("2000000-2000099", 100, larder)
            try await larder.eventually("the part is stored") {
                try await larder.counter("larder_stored_parts_total", #"provider="api",fate="stored""#) == 1
            }
            gate.open()
            #expect(try await whole.1 == film.bytes(0..<3_000_000))
            try await Common.settled(larder)
            #expect(Self.isHit(try await larder.get("/raw/api/film")))
        }
    }

    @Test func aRequestForTheWholeOfALargeFilmLeavesItsParts() async throws {
        let film = Film(size: 600_000, most: 700_000)
        let origin = ScriptedOrigin { film.acts($0) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.look("-1000", 1000, larder)
            #expect(try await larder.get("/raw/api/film").body == film.bytes(0..<600_000))
            try await Common.settled(larder)
            let later = try await Self.look("-1000", 1000, larder)
            #expect(Self.isHit(later), "\(later)")
        }
    }

    @Test func severalRangesOfAFilmThatIsNotStoredAreAnswered() async throws {
        let film = Film(size: 600_000, most: 700_000)
        let origin = ScriptedOrigin { request in
            // The origin sends the whole film, as many origins do for several ranges.
            request.field("Range")?.contains(",") ?? true ? film.whole : film.acts(request)
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let response = try await larder.get("/raw/api/film", ("Range", "bytes=10-19, 300000-300009"))
            let parts = [10..<20, 300_000..<300_010] as [Range<Int64>]
            let isWhole = response.status == 200 && response.body == film.bytes(0..<600_000)
            let isMultipart =
                response.status == 206
                && parts.allSatisfy { response.body.firstRange(of: film.bytes($0)) != nil }
            #expect(isWhole || isMultipart, "\(response.status): \(response.body.count) bytes")
        }
    }
}
