// Bodies that are read while they arrive. A client that joins late reads the whole body. A store that refuses in the
// middle affects no client.
import Glibc
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct LongBodyScenarios {
    private func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }\n\(more)"
    }

    /// Bytes that differ at any two places of a piece.
    private static func pattern(_ count: Int) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(count + 16)
        var number: UInt64 = 0
        while bytes.count < count {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            number += 1
        }
        return Bytes(bytes.prefix(count))
    }

    private static func chunk(_ bytes: Bytes) -> Bytes {
        Bytes(text: String(bytes.count, radix: 16) + "\r\n") + bytes + Bytes(text: "\r\n")
    }

    /// Sends the body in two parts, with or without its length, and waits for the gate between them.
    private static func acts(_ body: Bytes, _ begun: Int, isChunked: Bool, _ gate: Gate) -> [Act] {
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n"
        let (first, second) = (Bytes(body.prefix(begun)), Bytes(body.dropFirst(begun)))
        if isChunked {
            return [
                .send(head + "Transfer-Encoding: chunked\r\n\r\n"), .sendBytes(chunk(first)), .await(gate),
                .sendBytes(chunk(second)), .send("0\r\n\r\n"),
            ]
        }
        return [
            .send(head + "Content-Length: \(body.count)\r\n\r\n"), .sendBytes(first), .await(gate), .sendBytes(second),
        ]
    }

    private static let request = "GET /raw/api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    /// Sends a request, reports when the first `count` bytes of the body have arrived, and reads to the end.
    private func read(
        _ larder: RunningLarder, told: Lock<Int>, after count: Int, isChunked: Bool
    ) async throws -> WireResponse {
        try await larder.talk { client in
            try client.send(Self.request)
            var response = try client.receiveHead()
            var body = Bytes()
            var hasTold = false
            func tell() {
                guard !hasTold, body.count >= count else { return }
                hasTold = true
                told.withLock { $0 += 1 }
            }
            if response["Transfer-Encoding"]?.lowercased() == "chunked" {
                while true {
                    guard let size = Int(try client.receiveLine(), radix: 16) else { throw WireError("no chunk size") }
                    body += try client.take(size)
                    _ = try client.receiveLine()
                    if size == 0 { break }
                    tell()
                }
            } else {
                body = try client.take(count)
                tell()
                body += try client.receiveRest()
            }
            response.body = body
            return response
        }
    }

    @Test(arguments: [false, true])
    func whoAttachesLateReadsAllOfIt(_ isChunked: Bool) async throws {
        let body = Self.pattern(4 << 20)
        let gate = Gate()
        let origin = ScriptedOrigin { _ in Self.acts(body, 3 << 20, isChunked: isChunked, gate) }
        defer { origin.stop() }
        // No limit ends while the origin waits, and the end of the body waits for its commit.
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time, timers: time) { larder in
            let told = Lock(0)
            // The first client has read everything so far before the next clients come.
            async let first = read(larder, told: told, after: 3 << 20, isChunked: isChunked)
            try await larder.eventually("the first reads") { told.withLock { $0 } == 1 }
            async let second = read(larder, told: told, after: 3 << 20, isChunked: isChunked)
            async let third = read(larder, told: told, after: 3 << 20, isChunked: isChunked)
            try await larder.eventually("the late ones read from its beginning") { told.withLock { $0 } == 3 }
            gate.open()
            for response in [try await first, try await second, try await third] {
                #expect(response.status == 200)
                #expect(response["Cache-Status"]?.hasSuffix("; detail=storing") == true, "\(response)")
                #expect(response["Content-Length"] == (isChunked ? nil : String(body.count)))
                #expect(response.body == body, "\(response.body.count) bytes")
            }
            let hit = try await larder.get("/raw/api/a")
            #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit["Cache-Status"] ?? "")")
            #expect(hit["Content-Length"] == String(body.count))
            #expect(hit.body == body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: ["Cache-Control: no-store", "Content-Length: 4194304\r\nCache-Control: max-age=60"])
    func onlyAnAnswerThatIsBeingStoredSaysSo(_ fields: String) async throws {
        let body = Self.pattern(4 << 20)
        let isSized = fields.hasPrefix("Content-Length")
        let origin = ScriptedOrigin { _ in
            let rest = isSized ? "" : "Connection: close\r\n"
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\(rest)\r\n"), .sendBytes(body), .close]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin, "cache: { maxObject: 2MiB }")) { larder in
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.body == body)
            #expect(answer["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200")
            let id = try #require(answer["X-Request-Id"])
            let source = try await larder.get("/v1/explain/\(id)").json()["sources"]?.elements.map { $0 }.first
            #expect(source?["stored"]?.bool == false)
        }
    }

    @Test(arguments: [false, true])
    func whatIsTooLargeForTheStoreReachesEverybodyWholeAndIsNotKept(_ isChunked: Bool) async throws {
        let body = Self.pattern(4 << 20)
        let gate = Gate()
        let origin = ScriptedOrigin { _ in Self.acts(body, 1 << 20, isChunked: isChunked, gate) }
        defer { origin.stop() }
        try await withLarder(configuration(origin, "cache: { maxObject: 2MiB }")) { larder in
            let told = Lock(0)
            async let first = read(larder, told: told, after: 1 << 20, isChunked: isChunked)
            try await larder.eventually("the first reads") { told.withLock { $0 } == 1 }
            async let second = read(larder, told: told, after: 1 << 20, isChunked: isChunked)
            try await larder.eventually("the second reads") { told.withLock { $0 } == 2 }
            gate.open()
            for response in [try await first, try await second] {
                #expect(response.status == 200)
                #expect(response.body == body, "\(response.body.count) bytes")
            }
            let held = try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept")
            let calls = origin.requests.count
            #expect(try await larder.get("/raw/api/a").body == body)
            #expect(origin.requests.count == calls + 1)
        }
    }

    /// The plain form of this body would be larger than `cache.maxObject`. It is not made.
    @Test func aCodedBodyThatWasNotAskedForPassesAsItArrivesAndIsStoredSo() async throws {
        let coded = try ContentCoding.gzip(Bytes(repeating: 0, count: 256 << 20))
        #expect(coded.count < 1 << 18 + 1 << 17)
        let gate = Gate()
        let half = coded.count / 2
        let origin = ScriptedOrigin { _ in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Encoding: gzip\r\n"
                        + "Content-Length: \(coded.count)\r\n\r\n"), .sendBytes(Bytes(coded.prefix(half))),
                .await(gate), .sendBytes(Bytes(coded.dropFirst(half))),
            ]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin) + "\ncache: { maxObject: 1 MiB }") { larder in
            for turn in ["fetched", "stored", "again"] {
                let body = try await larder.talk { client in
                    try client.send(Self.request)
                    let head = try client.receiveHead()
                    #expect(head.status == 200 && head["Content-Encoding"] == "gzip", "\(turn): \(head)")
                    #expect(head["Content-Length"] == "\(coded.count)", "\(turn): \(head)")
                    let begun = try client.take(half)
                    // The other half has not left the origin before.
                    gate.open()
                    return try begun + client.take(coded.count - half)
                }
                let isWhole = body == coded
                #expect(isWhole, "\(turn)")
            }
            #expect(origin.requests.count == 1)
        }
    }
}
