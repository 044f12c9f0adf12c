// A player seeks in a film of 1 GiB. Only missing bytes are asked for, all bytes are right, and no more of them is in
// memory than of any streamed body. Also what happens to parts at a kill, at a purge, and with another version.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PartScenarios {
    static let request = "GET /raw/api/film HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

    static func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
    }

    /// Asks for a range, takes `count` bytes of it, and leaves.
    static func look(
        _ range: String, _ count: Int, at address: String, _ fields: String = ""
    ) throws -> WireResponse {
        let client = try WireClient(address)
        try client.send("\(request)Range: bytes=\(range)\r\n\(fields)\r\n")
        var response = try client.receiveHead()
        response.body = try client.take(count)
        return response
    }

    /// Compares outside `#expect`, which would look for the differences of two long bodies.
    static func isSame(_ one: Bytes, _ other: Bytes) -> Bool { one == other }

    static func asked(_ origin: ScriptedOrigin) -> [String] {
        origin.requests.map { $0.field("Range") ?? "all" }
    }

    static func settled(_ larder: RunningLarder) async throws {
        try await larder.eventually("nothing is under way") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }

    @Test func aPlayerThatSeeksIsGivenWhatIsThereAndOnlyTheRestIsAskedFor() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let address = larder.address
            func watch(_ range: String, from first: Int64, _ count: Int, isHit: Bool = false) async throws {
                let response = try await onOwnThread { try Self.look(range, count, at: address) }
                #expect(Self.isSame(response.body, Film().bytes(first..<first + Int64(count))), "\(range)")
                let status = response["Cache-Status"] ?? ""
                #expect(status.hasPrefix("larder; hit") == isHit, "\(range): \(status)")
                try await Self.settled(larder)
            }
            // The player begins, looks for the index at the end, and leaves each time when it has enough.
            try await watch("0-", from: 0, 300_000)
            try await watch("-70000", from: Film.size - 70_000, 70_000)
            // The player seeks.
            try await watch("700000000-", from: 700_000_000, 300_000)
            try await watch("900000000-900099999", from: 900_000_000, 100_000)
            // The player goes back to earlier places.
            try await watch("700000000-700250000", from: 700_000_000, 250_001, isHit: true)
            try await watch("100-250000", from: 100, 249_901, isHit: true)
            try await watch("\(Film.size - 70_000)-", from: Film.size - 70_000, 70_000, isHit: true)
            // A range around a stored part: the missing bytes are on both sides.
            try await watch("899950000-900149999", from: 899_950_000, 200_000)
            try await watch("899950000-900149999", from: 899_950_000, 200_000, isHit: true)
            #expect(
                Self.asked(origin) == [
                    "all", "bytes=\(Film.size - 70_000)-", "bytes=700000000-\(Film.size - 70_001)",
                    "bytes=900000000-900099999",
                    "bytes=899950000-899999999", "bytes=900100000-900149999",
                ])
            #expect(try await larder.counter("larder_fetch_held_bytes") == 0)
            #expect(try await larder.counter("larder_stored_parts_total", #"provider="api",fate="stored""#) >= 5)
        }
    }

    @Test func aPlayerCostsTheMemoryOfAWindow() async throws {
        let origin = ScriptedOrigin { Film(isEndless: true).acts($0) }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let process = try LarderProcess(
            LarderLaunch(
                """
                listen: ["127.0.0.1:0"]
                cache: { path: "\(directory.path)/cache" }
                state: { path: "\(directory.path)/state" }
                \(Self.configuration(origin))
                """), in: directory)
        defer { process.end() }
        let (before, after) = try await onOwnThread { () -> (Int, Int) in
            let address = try process.listening()[0]
            _ = try Self.look("0-", 100_000, at: address)
            let before = try processMemory(process.pid, "VmHWM")
            for place in stride(from: Int64(50_000_000), to: 800_000_000, by: 50_000_000) {
                guard try Self.look("\(place)-", 4 << 20, at: address).body == Film().bytes(place..<place + 4 << 20)
                else {
                    throw WireError("wrong bytes at \(place)")
                }
            }
            return (before, try processMemory(process.pid, "VmHWM"))
        }
        print("15 seeks of 4 MiB: the daemon's peak grew from \(before >> 10) to \(after >> 10) KiB")
        if !isSanitized { #expect(after - before < 24 << 20) }
    }

    @Test func partsOutliveAKill() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(
            """
            listen: ["127.0.0.1:0"]
            cache: { path: "\(directory.path)/cache", commitWithin: 0ms }
            state: { path: "\(directory.path)/state" }
            \(Self.configuration(origin))
            """)
        let first = try LarderProcess(launch, in: directory)
        defer { first.end() }
        try await onOwnThread {
            let address = try first.listening()[0]
            _ = try Self.look("500000000-500199999", 200_000, at: address)
            _ = try Self.look("500200000-500299999", 100_000, at: address)
            // Half of this part is written when the daemon is killed.
            let client = try WireClient(address)
            try client.send("\(Self.request)Range: bytes=600000000-\r\n\r\n")
            _ = try client.receiveHead()
            _ = try client.take(1 << 20)
            first.signal(SIGKILL)
            _ = try first.waitForEnd()
        }
        let calls = origin.requests.count
        let second = try LarderProcess(launch, in: directory)
        defer { second.end() }
        try await onOwnThread {
            let address = try second.listening()[0]
            let stored = try Self.look("500000000-500299999", 300_000, at: address)
            #expect(Self.isSame(stored.body, Film().bytes(500_000_000..<500_300_000)))
            #expect(stored["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(stored)")
            #expect(origin.requests.count == calls)
            let half = try Self.look("600000000-600199999", 200_000, at: address)
            #expect(Self.isSame(half.body, Film().bytes(600_000_000..<600_200_000)))
        }
        #expect(second.complaints() == [])
    }

    @Test func aPurgeOfTheURLTakesItsParts() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        let token = "open-sesame-0123456789"
        try await withLarder("admin: { token: \(token) }\n" + Self.configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/film", ("Range", "bytes=5000000-5000099"))
            func entries() async throws -> Int {
                let list = try await larder.get("/v1/entries").json()["entries"]
                return list.map { Array($0.elements).count } ?? 0
            }
            #expect(try await entries() == 2)
            let purged = try await larder.send(
                "DELETE", "/v1/cache?url=\(origin.base)/film", fields: [("Authorization", "Bearer \(token)")])
            #expect(purged.status == 200, "\(purged)")
            #expect(try await entries() == 0)
            let again = try await larder.get("/raw/api/film", ("Range", "bytes=5000000-5000099"))
            #expect(again["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(again)")
        }
    }

    @Test func aDownloadThatBreaksIsTakenUpWhereItBroke() async throws {
        let read = Gate()
        let origin = ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=3600\r\nETag: \"one\"\r\n"
            guard request.field("Range") == nil else {
                return [
                    .send(
                        "HTTP/1.1 206 Partial Content\r\n\(fields)Content-Range: bytes 400000-999999/1000000\r\n"
                            + "Content-Length: 600000\r\n\r\n"), .sendBytes(Film().bytes(400_000..<1_000_000)),
                ]
            }
            return [
                .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 1000000\r\n\r\n"),
                .sendBytes(Film().bytes(0..<400_000)), .await(read), .close,
            ]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let request = Self.request
            let cut = try await larder.talk { client in
                try client.send("\(request)\r\n")
                _ = try client.receiveHead()
                let begun = try client.take(300_000)
                read.open()
                return try begun + client.receiveRest()
            }
            #expect(cut.count < 1_000_000)
            try await Self.settled(larder)
            let whole = try await larder.get("/raw/api/film")
            #expect(Self.isSame(whole.body, Film().bytes(0..<1_000_000)), "\(whole.status): \(whole.body.count) bytes")
            #expect(Self.asked(origin) == ["all", "bytes=400000-"])
            try await Self.settled(larder)
            #expect(try await larder.get("/raw/api/film")["Cache-Status"]?.hasPrefix("larder; hit") == true)
        }
    }

    @Test func anOriginThatSendsTheWholeForTheSecondStretchIsUnderstood() async throws {
        let origin = ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=3600\r\nETag: \"one\"\r\n"
            // This origin supports only ranges with both ends.
            guard let text = request.field("Range"), !text.hasSuffix("-") else {
                return [
                    .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 3000000\r\n\r\n"),
                    .sendBytes(Film().bytes(0..<3_000_000)),
                ]
            }
            let ends = text.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
            let place = "Content-Range: bytes \(ends[0])-\(ends[1])/3000000\r\n"
            let range = ends[0]..<ends[1] + 1
            return [
                .send("HTTP/1.1 206 Partial Content\r\n\(fields)\(place)Content-Length: \(range.count)\r\n\r\n"),
                .sendBytes(Film().bytes(range)),
            ]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/film", ("Range", "bytes=2000000-2000009"))
            let answer = try await larder.get("/raw/api/film", ("Range", "bytes=1999990-"))
            #expect(answer.status == 206)
            #expect(Self.isSame(answer.body, Film().bytes(1_999_990..<3_000_000)), "\(answer.body.count) bytes")
            #expect(Self.asked(origin).suffix(2) == ["bytes=1999990-1999999", "bytes=2000010-"])
        }
    }

    @Test func anExplanationTellsOfPartsAndOfWhatWasAskedFor() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            func explained(_ range: String) async throws -> JSONValue? {
                let response = try await larder.get("/raw/api/film", ("Range", range))
                let id = try #require(response["X-Request-Id"])
                let sources = try await larder.get("/v1/explain/\(id)").json()["sources"]
                return sources.flatMap { Array($0.elements).first }
            }
            let first = try await explained("bytes=5000000-5000099")
            #expect(first?["storing"]?["name"]?.string == "partStored")
            #expect(first?["partial"] == nil)
            let partly = try await explained("bytes=5000000-5000199")
            #expect(partly?["asked"]?.string == "bytes=5000100-5000199")
            #expect(partly?["rule"]?["name"]?.string == "partsLack")
            #expect(partly?["storing"]?["name"]?.string == "partCombined")
            let hit = try await explained("bytes=5000050-5000150")
            #expect(hit?["partial"]?.bool == true)
            #expect(hit?["outcome"]?.string == "hit")
        }
    }

    @Test func rangesThatAreAskedForAtTheSameTimeAllStay() async throws {
        let gate = Gate()
        let film = Film()
        let origin = ScriptedOrigin { [.await(gate)] + film.acts($0) }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let address = larder.address
            let places = (1...6).map { Int64($0) * 2_000_000 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for place in places {
                    group.addTask {
                        _ = try await onOwnThread { try Self.look("\(place)-\(place + 99)", 100, at: address) }
                    }
                }
                try await larder.eventually("all are asked for") { origin.requests.count == places.count }
                gate.open()
                try await group.waitForAll()
            }
            try await Self.settled(larder)
            for place in places {
                let again = try await onOwnThread { try Self.look("\(place)-\(place + 99)", 100, at: address) }
                #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(place): \(again)")
            }
        }
    }

    @Test func partsOfVariantsThatComeOneAfterTheOtherAllStay() async throws {
        let origin = ScriptedOrigin { request in
            Film(version: request.field("X-Lang") ?? "", lines: "Vary: X-Lang\r\n").acts(request)
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let address = larder.address
            func look(_ number: Int) async throws -> WireResponse {
                try await onOwnThread {
                    try Self.look("2000000-2000099", 100, at: address, "X-Lang: l\(number)\r\n")
                }
            }
            for number in 0..<8 { _ = try await look(number) }
            for number in 0..<8 {
                let again = try await look(number)
                #expect(again["ETag"] == "\"l\(number)\"")
                #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(number): \(again)")
            }
        }
    }

    @Test func aPartThatIsGoneFromTheMiddleIsNoHit() async throws {
        let origin = ScriptedOrigin { Film().acts($0) }
        defer { origin.stop() }
        let token = "open-sesame-0123456789"
        try await withLarder("admin: { token: \(token) }\n" + Self.configuration(origin)) { larder in
            for range in ["2000000-2000099", "2000100-2000399", "2000400-2000499"] {
                _ = try await larder.get("/raw/api/film", ("Range", "bytes=\(range)"))
            }
            let all = ("Range", "bytes=2000000-2000499")
            let patient = ("Cache-Control", "only-if-cached")
            #expect(try await larder.get("/raw/api/film", all, patient).status == 206)
            let admin = ("Authorization", "Bearer \(token)")
            let entries = try await larder.get("/v1/entries?limit=20", admin).json()["entries"]
            // The longest part is the middle one.
            let parts = entries?.elements.filter { $0["status"]?.integer == 206 } ?? []
            let middle = try #require(
                parts.max { ($0["bytes"]?.integer ?? 0) < ($1["bytes"]?.integer ?? 0) }?["key"]?.string)
            let purged = try await larder.send(
                "DELETE", "/v1/cache?key=\(middle)", fields: [admin])
            #expect(purged.status == 200, "\(purged)")
            #expect(try await larder.get("/raw/api/film", all, patient).status == 504)
            let whole = try await larder.get("/raw/api/film", all)
            #expect(whole.body == Film().bytes(2_000_000..<2_000_500))
        }
    }

    @Test func whoJoinsAPartIsSentAllOfItThoughTheFirstLeaves() async throws {
        let gate = Gate()
        let film = Film()
        let range: Range<Int64> = 5_000_000..<5_900_000
        let origin = ScriptedOrigin { _ in
            let acts = film.part(range)
            guard case .sendBytes(let bytes) = acts[1] else { return [.close] }
            let half = bytes.count / 2
            return [acts[0], .sendBytes(Bytes(bytes[..<half])), .await(gate), .sendBytes(Bytes(bytes[half...]))]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            let address = larder.address
            let body = try await onOwnThread { () -> Bytes in
                func begin() throws -> (WireClient, Bytes) {
                    let client = try WireClient(address)
                    try client.send("\(Self.request)Range: bytes=5000000-5899999\r\n\r\n")
                    _ = try client.receiveHead()
                    return try (client, client.take(100_000))
                }
                var first: (WireClient, Bytes)? = try begin()
                let (second, begun) = try begin()
                #expect(first?.1 == begun)
                // The first client leaves while both are being sent the first half.
                first = nil
                gate.open()
                return try begun + second.receiveRest()
            }
            #expect(Self.isSame(body, film.bytes(range)), "\(body.count) bytes")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func withRulesOfOurOwnARangeIsCutFromTheWhole() async throws {
        let film = Film(size: 3_000_000, most: 4_000_000)
        let origin = ScriptedOrigin { film.acts($0) }
        defer { origin.stop() }
        let configuration =
            "providers: { api: { kind: passthrough, semantics: ttl, ttl: 1h, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            let part = try await larder.get("/raw/api/film", ("Range", "bytes=2000000-2000099"))
            #expect(part.status == 206)
            #expect(part.body == film.bytes(2_000_000..<2_000_100))
            try await Self.settled(larder)
            let again = try await larder.get("/raw/api/film", ("Range", "bytes=1-100"))
            #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
            #expect(Self.asked(origin) == ["all"])
        }
    }
}
