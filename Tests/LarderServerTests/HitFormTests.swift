// The memory path decides conditions and ranges by the same rules as the slow path. The tests ask both with many
// values.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@testable import LarderServer

@Suite struct HitFormTests {
    static let now = WallTime(seconds: 1_700_000_000)
    static let body = Bytes((0..<100).map { UInt8($0) })

    /// The validators of a stored response.
    struct Stored {
        var etag: String?
        var lastModified: String?

        var tag: EntityTag? { etag.flatMap { EntityTag.parse($0) } }
        var date: WallTime? { lastModified.flatMap { HTTPDate.parse($0, now: HitFormTests.now) } }

        var ready: ReadyResponse {
            let text = Bytes(text: lastModified ?? "")
            return ReadyResponse(
                head: [], body: HitFormTests.body, bornAt: HitFormTests.now, freshUntil: .distantFuture,
                hits: CounterCell(),
                conditions: ReadyConditions(
                    notModified: [1], tag: tag.map { Bytes(text: EntityTag(opaque: $0.opaque).description) } ?? [],
                    isTagWeak: tag?.isWeak ?? false, lastModified: date?.seconds,
                    lastModifiedText: date == nil ? [] : text, partialFields: 0..<0))
        }
    }

    /// The response of the slow path.
    static func expected(_ fields: HeaderFields, _ method: LarderCore.Method, _ stored: Stored) -> HitForm {
        switch Conditional.evaluate(
            method: method, requestFields: fields, status: 200, etag: stored.tag, lastModified: stored.date, now: now,
            role: .cache)
        {
        case .notModified: return .notModified
        case .preconditionFailed: return .undecided
        case .proceed: break
        }
        switch ByteRange.evaluate(
            method: method, requestFields: fields, length: Int64(body.count), etag: stored.tag,
            lastModified: stored.date, date: now)
        {
        case .whole: return .whole
        case .single(let range): return .part(start: Int(range.lowerBound), end: Int(range.upperBound))
        case .several, .unsatisfiable: return .undecided
        }
    }

    static func chosen(_ fields: HeaderFields, _ method: LarderCore.Method, _ stored: Stored) -> HitForm {
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let bytes = Bytes(text: "\(method.name) / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
        return bytes.withUnsafeBufferPointer { bytes in
            var head = RequestHead()
            let result = RequestParser().parse(bytes, into: &head)
            guard result == .complete, head.flags.isDisjoint(with: .slow) else { return .undecided }
            guard !head.flags.isDisjoint(with: .selective) else { return .whole }
            return HitForm.chosen(by: head, bytes, for: stored.ready, now: now)
        }
    }

    static let stored = [
        Stored(etag: "\"abc\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"),
        Stored(etag: "W/\"abc\"", lastModified: nil), Stored(etag: nil, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"),
        Stored(etag: nil, lastModified: nil), Stored(etag: "abc", lastModified: "yesterday"),
        Stored(etag: "\"a,b\"", lastModified: "Sunday, 06-Nov-94 08:49:37 GMT"),
        Stored(etag: "\"\"", lastModified: nil),
    ]
    static let noneMatch: [String?] = [
        nil, "*", "\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",W/\"abc\" ,", "\"x\"", "abc", "\"abc", "\"a,b\"",
        "\"a, \"abc\"", ", ,\"abc\"", "w/\"abc\"", "\"abc\" x", "\"abc\"\"x\"", "*, \"x\"", "\"\"", "", "\"x\" , *",
        "\"a b\", \"abc\"", "W/ \"abc\"", "\"x\";\"abc\"",
    ]
    static let modifiedSince: [String?] = [
        nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:38 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "yesterday", "", "0",
        "Fri, 31 Dec 9999 23:59:59 GMT", "sun, 06 nov 1994 08:49:37 gmt",
    ]
    static let ranges: [String?] = [
        nil, "bytes=0-0", "bytes=10-19", "bytes=90-", "bytes=-10", "bytes=0-", "bytes=0-99", "bytes=0-1000",
        "bytes=99-99", "bytes=100-", "bytes=5-4", "bytes=-0", "bytes=-1000", "bytes=-", "bytes=", "bytes", "Bytes=1-2",
        "bytes=1-2,4-5", "bytes=1-2,", "bytes= 1-2", "bytes =1-2", "bytes=1 -2", "bytes=1-2 ", "items=1-2",
        "bytes=1-99999999999999999999", "bytes=99999999999999999999-", "bytes=000000000000000000000001-2", "bytes=+1-2",
        "bytes=1--2", "bytes=0x1-2", "bytes=-99999999999999999999", "bytes=1-2;x", "byte=1-2", "bytes:1-2",
    ]
    static let ifRanges: [String?] = [
        nil, "\"abc\"", "W/\"abc\"", "\"x\"", "Sun, 06 Nov 1994 08:49:37 GMT", "abc", "\"abc\", \"x\"", "", "*",
    ]

    private func compare(_ values: [(String, String?)], decides: inout Int) {
        var fields = HeaderFields()
        for (name, value) in values { if let value { fields.add(name, value) } }
        for stored in Self.stored {
            for method in [LarderCore.Method.get, .head] {
                let got = Self.chosen(fields, method, stored)
                if got == .undecided { continue }
                decides += 1
                #expect(got == Self.expected(fields, method, stored), "\(method) \(Array(fields)) of \(stored)")
            }
        }
    }

    @Test func conditionsAreDecidedAsOnTheSlowWay() {
        var decides = 0
        for noneMatch in Self.noneMatch {
            for since in Self.modifiedSince {
                compare([("If-None-Match", noneMatch), ("If-Modified-Since", since)], decides: &decides)
            }
        }
        #expect(decides > 1500, "most of them never reach the slow way")
    }

    @Test func rangesAreDecidedAsOnTheSlowWay() {
        var decides = 0
        for range in Self.ranges {
            for ifRange in Self.ifRanges {
                for noneMatch in [nil, "\"abc\"", "\"x\""] {
                    compare(
                        [("If-None-Match", noneMatch), ("Range", range), ("If-Range", ifRange)], decides: &decides)
                }
            }
        }
        #expect(decides > 4000, "most of them never reach the slow way")
    }

    @Test func ordinaryConditionsAndRangesNeedNoSlowWay() {
        let stored = Self.stored[0]
        for (name, value, form) in [
            ("If-None-Match", "\"abc\"", HitForm.notModified), ("If-None-Match", "*", .notModified),
            ("If-None-Match", "\"x\", W/\"abc\"", .notModified), ("If-None-Match", "\"x\"", .whole),
            ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", .notModified),
            ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:38 GMT", .notModified),
            ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT", .whole),
            ("Range", "bytes=10-19", .part(start: 10, end: 20)), ("Range", "bytes=90-", .part(start: 90, end: 100)),
            ("Range", "bytes=-10", .part(start: 90, end: 100)), ("Range", "bytes=0-", .part(start: 0, end: 100)),
        ] {
            #expect(Self.chosen([name: value], .get, stored) == form, "\(name): \(value)")
        }
        #expect(Self.chosen(["Range": "bytes=1-2", "If-Range": "\"abc\""], .get, stored) == .part(start: 1, end: 3))
        #expect(Self.chosen(["Range": "bytes=1-2", "If-Range": "\"x\""], .get, stored) == .whole)
    }

    @Test func responseWithoutConditionsLeavesThemToTheSlowWay() {
        let bytes = Bytes(text: "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n")
        let form = bytes.withUnsafeBufferPointer { bytes in
            var head = RequestHead()
            _ = RequestParser().parse(bytes, into: &head)
            return HitForm.chosen(
                by: head, bytes,
                for: ReadyResponse(
                    head: [], body: [1], bornAt: Self.now, freshUntil: .distantFuture, hits: CounterCell()),
                now: Self.now)
        }
        #expect(form == .undecided)
    }
}

@Suite struct HitRingTests {
    static func record(_ sequence: UInt64) -> HitRecord {
        HitRecord(
            sequence: sequence, answeredAt: WallTime(seconds: Int64(sequence)), entry: ReadyResponse.unnamed, age: 1,
            ttl: 2, status: 200, method: .get)
    }

    @Test func aRecordIsFoundUntilLaterOnesTakeItsPlace() {
        let ring = HitRing()
        #expect(ring.find(1) == nil)
        // The numbers in between belong to requests that took the slow path.
        for number in 1...UInt64(10_000) { ring.add(Self.record(number * 3)) }
        let last = (1...UInt64(10_000)).filter { ring.find($0 * 3) != nil }
        #expect(last == Array((10_000 - 4096 + 1)...10_000))
        #expect(ring.find(30_000) == Self.record(30_000))
        #expect(ring.find(29_999) == nil)
        #expect(ring.find(30_001) == nil)
        #expect(MemoryLayout<HitRecord>.stride == 64, "one line of the processor's cache")
    }

    @Test func theServerTellsWhatMemoryAnswered() async throws {
        let clock = ManualTime()
        try await withServer(loops: 2, ready: MemoryHitTests.ready(clock), clock: clock) { test in
            let client = try RawClient(test.address)
            for (method, target) in [("GET", "/a"), ("HEAD", "/a"), ("GET", "/other")] {
                client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let response = try client.response(toHead: method == "HEAD")
                let id = try #require(response.fields.first("X-Request-Id").flatMap { RequestID($0) })
                let hit = await test.server.hit(id)
                #expect((hit != nil) == (target == "/a"))
                guard let hit else { continue }
                #expect(hit.sequence == id.sequence && hit.status == 200 && hit.age == 7 && hit.ttl == 60)
                #expect(hit.answeredAt == clock.wall() && hit.entry == ReadyResponse.unnamed)
                #expect(hit.method == (method == "GET" ? .get : .head))
                #expect(await test.server.hit(RequestID(loop: id.loop ^ 1, sequence: id.sequence)) == nil)
            }
            #expect(await test.server.hit(RequestID(loop: 9, sequence: 1)) == nil)
        }
    }
}
