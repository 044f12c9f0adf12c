// Range requests (RFC 9110 §14): the examples of the RFC, If-Range, abuse, and the multipart body.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsByteRangeTests {
    static let changed = WallTime(seconds: 784_111_777)

    func outcome(_ range: String, length: Int64 = 10_000, fields: HeaderFields = [:], etag: String? = "\"x\"")
        -> RangeOutcome
    {
        var fields = fields
        fields.add("Range", range)
        return ByteRange.evaluate(
            requestFields: fields, length: length, etag: etag.flatMap { EntityTag.parse($0) },
            lastModified: Self.changed,
            date: Self.changed + .seconds(60))
    }

    /// The examples of RFC 9110 §14.1.2 for a length of 10000, and similar ranges.
    @Test(
        arguments: [
            ("bytes=0-499", .single(0..<500)), ("bytes=500-999", .single(500..<1000)),
            ("bytes=-500", .single(9500..<10_000)),
            ("bytes=9500-", .single(9500..<10_000)), ("bytes=0-0", .single(0..<1)),
            ("bytes=9999-", .single(9999..<10_000)),
            ("bytes=0-0,-1", .several([0..<1, 9999..<10_000])), ("bytes=500-600,601-999", .single(500..<1000)),
            ("bytes=500-700,601-999", .single(500..<1000)), ("bytes=0-", .single(0..<10_000)),
            ("bytes=0-99999", .single(0..<10_000)), ("bytes=-10000", .single(0..<10_000)),
            ("bytes=-99999999999999999999999", .single(0..<10_000)), ("Bytes=0-1", .single(0..<2)),
            ("bytes= 0-1 , 5-6", .several([0..<2, 5..<7])), ("bytes=,0-1,,", .single(0..<2)),
            ("bytes=5-6,0-1", .several([5..<7, 0..<2])), ("bytes=10000-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=10000-20000,99999999999999999999-", .unsatisfiable), ("bytes=0-1,20000-", .single(0..<2)),
            ("bytes=10-99999999999999999999999", .single(10..<10_000)),
        ] as [(String, RangeOutcome)])
    func rangeIsResolved(_ text: String, _ expected: RangeOutcome) {
        #expect(outcome(text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=a-b", "bytes=5-4", "bytes=-", "bytes=1", "bytes=--1", "bytes=1-2-3",
        "bytes=0-1;2-3", "bytes=0x1-2", "lines=0-1", "bytes:0-1", "bytes 0-1", "bytes=0-1,x", "bytes=+1-2",
    ])
    func malformedOrForeignRangeGetsTheWhole(_ text: String) {
        #expect(outcome(text) == .whole)
    }

    @Test func rangeOfNothingIsUnsatisfiableOrWhole() {
        #expect(outcome("bytes=0-", length: 0) == .unsatisfiable)
        #expect(outcome("bytes=-5", length: 0) == .whole)
        #expect(outcome("bytes=-0", length: 0) == .unsatisfiable)
    }

    @Test func moreThanSixteenRangesGetTheWhole() {
        let sixteen = (0..<16).map { "\($0 * 10)-\($0 * 10 + 1)" }.joined(separator: ",")
        guard case .several(let parts) = outcome("bytes=\(sixteen)") else {
            Issue.record("sixteen ranges are allowed")
            return
        }
        #expect(parts.count == 16)
        #expect(outcome("bytes=\(sixteen),500-501") == .whole)
    }

    @Test func manyOverlappingRangesBecomeOne() {
        #expect(outcome("bytes=0-,0-,0-,0-,0-,0-") == .single(0..<10_000))
        #expect(outcome("bytes=5-9,0-4") == .single(0..<10))
    }

    @Test func rangesCountForGetAloneAndOnce() {
        let fields: HeaderFields = ["Range": "bytes=0-1"]
        func outcome(_ method: Method, _ fields: HeaderFields) -> RangeOutcome {
            ByteRange.evaluate(
                method: method, requestFields: fields, length: 10, etag: nil, lastModified: nil, date: nil)
        }
        #expect(outcome(.get, fields) == .single(0..<2))
        #expect(outcome(.head, fields) == .whole)
        #expect(outcome(.get, ["Range": "bytes=0-1", "range": "bytes=0-1"]) == .whole)
        #expect(outcome(.get, [:]) == .whole)
    }

    @Test func ifRangeNeedsAStrongMatch() {
        #expect(outcome("bytes=0-1", fields: ["If-Range": "\"x\""]) == .single(0..<2))
        #expect(outcome("bytes=0-1", fields: ["If-Range": "W/\"x\""]) == .whole)
        #expect(outcome("bytes=0-1", fields: ["If-Range": "\"x\""], etag: "W/\"x\"") == .whole)
        #expect(outcome("bytes=0-1", fields: ["If-Range": "\"y\""]) == .whole)
        #expect(outcome("bytes=0-1", fields: ["If-Range": "\"x\""], etag: nil) == .whole)
        #expect(outcome("bytes=0-1", fields: ["If-Range": "x"]) == .whole)
        #expect(outcome("bytes=99999-", fields: ["If-Range": "\"y\""]) == .whole)
    }

    @Test func ifRangeDateMustBeTheVeryDate() {
        #expect(outcome("bytes=0-1", fields: ["If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"]) == .single(0..<2))
        #expect(outcome("bytes=0-1", fields: ["If-Range": "Sun, 06 Nov 1994 08:49:38 GMT"]) == .whole)
    }

    @Test func ifRangeDateOfTheSecondOfTheAnswerIsWeak() {
        let fields: HeaderFields = ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"]
        let outcome = ByteRange.evaluate(
            requestFields: fields, length: 10, etag: nil, lastModified: Self.changed, date: Self.changed)
        #expect(outcome == .whole)
    }

    /// For any request, the parts lie inside the body, do not overlap, and are few.
    @Test func partsAreAlwaysInsideAndApart() {
        for _ in 0..<3000 {
            let length = Int64.random(in: 0...40)
            let pieces = (0..<Int.random(in: 1...18)).map { _ in
                let first = Int64.random(in: 0...45)
                return [
                    "\(first)-\(first + Int64.random(in: 0...20))", "\(first)-", "-\(first)",
                ].randomElement() ?? ""
            }
            let result = outcome("bytes=" + pieces.joined(separator: ","), length: length)
            var parts: [Range<Int64>] = []
            if case .single(let part) = result { parts = [part] }
            if case .several(let several) = result { parts = several }
            #expect(parts.count <= ByteRange.maxRanges)
            for part in parts { #expect(part.lowerBound >= 0 && part.upperBound <= length && !part.isEmpty) }
            let sorted = parts.sorted { $0.lowerBound < $1.lowerBound }
            for (one, next) in zip(sorted, sorted.dropFirst()) { #expect(one.upperBound < next.lowerBound) }
        }
    }

    @Test func contentRangeNamesInclusiveEnds() {
        #expect(ByteRange.contentRange(0..<500, length: 1234) == "bytes 0-499/1234")
        #expect(ByteRange.unsatisfiedRange(length: 1234) == "bytes */1234")
    }

    @Test func multipartBodyHoldsEachPartWithItsPlace() {
        let body = Bytes(text: "0123456789")
        let text = ByteRange.multipart(body: body, ranges: [0..<2, 8..<10], contentType: "text/plain", boundary: "B")
        let expected =
            "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n"
            + "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--B--\r\n"
        #expect(text == Bytes(text: expected))
        let outside = ByteRange.multipart(body: body, ranges: [8..<99, 50..<60], contentType: nil, boundary: "B")
        #expect(outside == Bytes(text: "--B\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--B--\r\n"))
        #expect(ByteRange.boundary(for: body).utf8.count == 39)
    }
}
