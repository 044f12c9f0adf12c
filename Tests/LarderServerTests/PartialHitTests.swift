// Partial and 304 responses on the wire: framing, order among pipelined responses, and large parts sent to a slow
// reader.
import LarderCore
import LarderHTTP
import LarderServer
import LarderTestSupport
import Testing

/// One ready response for every target.
final class OneReady: ReadySource {
    let response: ReadyResponse

    convenience init(_ body: Bytes, now: WallTime) { self.init(body, nil, body.count, now) }
    convenience init(file: StubFile, now: WallTime) { self.init([], file, file.length, now) }

    private init(_ body: Bytes, _ file: StubFile?, _ length: Int, _ now: WallTime) {
        let fields = "X-Thing: kept\r\nETag: \"t\"\r\n"
        let line = "HTTP/1.1 200 OK\r\n"
        response = ReadyResponse(
            head: Bytes(text: line + fields + "Content-Length: \(length)\r\n"), body: body, file: file, bornAt: now,
            freshUntil: now + .seconds(60), hits: CounterCell(),
            conditions: ReadyConditions(
                notModified: Bytes(text: "HTTP/1.1 304 Not Modified\r\nETag: \"t\"\r\n"), tag: Bytes(text: "\"t\""),
                isTagWeak: false, lastModified: nil, lastModifiedText: [],
                partialFields: line.utf8.count..<(line + fields).utf8.count))
    }

    func ready(_ query: ReadyQuery) -> ReadyResponse? { response }
}

@Suite struct PartialHitTests {
    @Test(arguments: [false, true])
    func pipelinedFormsKeepTheirOrderAndTheirFraming(inFile: Bool) async throws {
        let clock = ManualTime()
        let body = Bytes((0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let now = clock.wall()
        let ready = inFile ? OneReady(file: try StubFile(body), now: now) : OneReady(body, now: now)
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            let kinds = [
                "", "If-None-Match: \"t\"\r\n", "Range: bytes=10-19\r\n", "Range: bytes=5000-19999\r\n",
                "Range: bytes=-1\r\n", "Range: bytes=0-2\r\nIf-Range: \"other\"\r\n",
            ]
            let order = (0..<300).map { kinds[$0 * 7 % kinds.count] }
            client.send(order.map { "GET /a HTTP/1.1\r\nHost: localhost\r\n\($0)\r\n" }.joined())
            for fields in order {
                let response = try client.response()
                #expect(response.fields.all("X-Request-Id").count == 1)
                #expect(response.fields.all("ETag") == ["\"t\""])
                let range: Range<Int>? =
                    switch fields {
                    case kinds[2]: 10..<20
                    case kinds[3]: 5000..<20_000
                    case kinds[4]: 19_999..<20_000
                    default: nil
                    }
                if fields == kinds[1] {
                    #expect(response.status == 304 && response.length == nil)
                } else if let range {
                    #expect(response.status == 206 && response.body == Bytes(body[range]))
                    #expect(response.fields.all("Content-Length") == ["\(range.count)"])
                    let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/20000"
                    #expect(response.fields.all("Content-Range") == [place])
                    #expect(response.fields.all("X-Thing") == ["kept"])
                } else {
                    #expect(response.status == 200 && response.body == body)
                }
            }
        }
    }

    @Test func aSlowReaderOfLargePartsGetsEveryByteOfThem() async throws {
        let clock = ManualTime()
        let body = Bytes((0..<(12 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        try await withServer(ready: OneReady(body, now: clock.wall()), clock: clock) { test in
            let client = try RawClient(test.address)
            let ranges = [1..<9_000_000, 5_000_000..<(12 << 20) - 1, 0..<10_000]
            client.send(
                ranges.map {
                    "GET /a HTTP/1.1\r\nHost: localhost\r\nRange: bytes=\($0.lowerBound)-\($0.upperBound - 1)\r\n\r\n"
                }.joined())
            for range in ranges { #expect(try client.response().body == Bytes(body[range])) }
        }
    }

    @Test func theRecordOfAHitTellsItsForm() async throws {
        let clock = ManualTime()
        try await withServer(ready: OneReady([1, 2, 3], now: clock.wall()), clock: clock) { test in
            let client = try RawClient(test.address)
            for (fields, status) in [("If-None-Match: *\r\n", 304), ("Range: bytes=1-1\r\n", 206), ("", 200)] {
                let response = try client.get("/a", fields: fields)
                let id = try #require(response.fields.first("X-Request-Id").flatMap { RequestID($0) })
                let hit = try #require(await test.server.hit(id))
                #expect(Int(hit.status) == status && response.status == status)
            }
        }
    }

    @Test(
        arguments: [
            ("GET", "", "status=200 bytes=5"), ("HEAD", "", "status=200 bytes=0"),
            ("GET", "Range: bytes=1-3\r\n", "status=206 bytes=3"),
            ("GET", "If-None-Match: *\r\n", "status=304 bytes=0"),
        ])
    func theAccessLogTellsWhatOfAHitWasSent(_ method: String, _ fields: String, _ shown: String) async throws {
        let clock = ManualTime()
        try await withServer(
            ready: OneReady(Bytes(text: "alpha"), now: clock.wall()), settings: ServerSettings(accessLog: .all),
            clock: clock
        ) {
            test in
            let client = try RawClient(test.address)
            client.send("\(method) /a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            _ = try client.response(toHead: method == "HEAD")
            let line = try #require(test.log.all.first { $0.hasPrefix("access answered") })
            #expect(line.contains(shown), "\(line)")
            #expect(line.contains("id="), "\(line)")
        }
    }
}
