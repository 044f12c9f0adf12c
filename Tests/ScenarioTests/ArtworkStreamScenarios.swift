// Images that go out while they arrive. What turns out to be no whole image cuts its clients off and is not stored.
import LarderCore
import LarderTestSupport
import Testing

extension ArtworkScenarios {
    /// A PNG image with that many bytes of data.
    static func largePNG(_ count: Int) -> Bytes {
        let size: Bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        var image = Bytes(png[..<33])
        image += size
        image += Bytes(text: "IDAT")
        image += (0..<count).map { UInt8(truncatingIfNeeded: $0 / 251 &+ $0) }
        image += [1, 2, 3, 4]
        image += png[(png.count - 12)...]
        return image
    }
}

@Suite struct ArtworkStreamScenarios {
    private let artwork = ArtworkScenarios()
    private let image = ArtworkScenarios.largePNG(700_000)
    /// What the first client has before the origin sends the rest.
    private static let begun = 100_000

    /// Sends the beginning, waits for the gate, and sends the rest.
    private static func acts(_ body: Bytes, isSized: Bool = true, length: Int? = nil, _ gate: Gate) -> [Act] {
        let (first, second) = (Bytes(body.prefix(begun)), Bytes(body.dropFirst(begun)))
        if isSized {
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(length ?? body.count)\r\n\r\n"), .sendBytes(first),
                .await(gate), .sendBytes(second),
            ] + (length == nil ? [] : [.close])
        }
        func chunk(_ bytes: Bytes) -> [Act] {
            [.send(String(bytes.count, radix: 16) + "\r\n"), .sendBytes(bytes), .send("\r\n")]
        }
        return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")] + chunk(first) + [.await(gate)]
            + chunk(second) + [.send("0\r\n\r\n")]
    }

    /// What a client got: the head, and all bytes up to the end of the connection.
    private struct Read {
        var head: WireResponse
        var rest: Bytes

        /// Whether the body has the length that the head says, or its last chunk.
        var isWhole: Bool {
            if let length = head["Content-Length"] { return Int(length) == rest.count }
            return rest.suffix(5).elementsEqual(Bytes(text: "0\r\n\r\n"))
        }
    }

    /// Reads an image, and reports when most of what the origin sends at first has come.
    private func read(
        _ larder: RunningLarder, _ path: String, fields: String = "", _ tell: @escaping @Sendable () -> Void
    ) async throws -> Read {
        try await larder.talk { client in
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Connection: close\r\n\r\n")
            let head = try client.receiveHead()
            let first = try client.take(Self.begun - 1000)
            tell()
            return Read(head: head, rest: try first + client.receiveRest())
        }
    }

    private func calls(_ larder: RunningLarder, _ word: String) async throws -> Int {
        let line = "larder_upstream_calls_total{provider=\"itunes\",class=\"\(word)\"} "
        let found = try await larder.get("/metrics").text.split(separator: "\n").first { $0.hasPrefix(line) }
        return found.flatMap { Int($0.dropFirst(line.count)) } ?? 0
    }

    /// The image of the first result, from an origin that answers as the acts say.
    private func withImage(
        _ acts: [Act], _ more: String = "",
        _ body: (RunningLarder, _ path: String, ScriptedOrigin, ManualTime) async throws -> Void
    ) async throws {
        let moods = CacheScenarios.Moods()
        moods.set(acts)
        let origin = artwork.origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(artwork.settings(origin) + "\n" + more, time: time) { larder in
            try await body(larder, try await artwork.handle(larder), origin, time)
        }
    }

    @Test(arguments: [true, false])
    func theFirstBytesReachAClientWhileTheOriginHoldsBackTheRest(isSized: Bool) async throws {
        let gate = Gate()
        try await withImage(Self.acts(image, isSized: isSized, gate)) { larder, path, origin, _ in
            let read = try await read(larder, path) { gate.open() }
            #expect(read.head.status == 200)
            #expect(read.head["Content-Type"] == "image/png")
            #expect(read.head["Content-Length"] == (isSized ? String(image.count) : nil))
            #expect(read.head["Cache-Status"]?.hasSuffix("; detail=storing") == true, "\(read.head)")
            #expect(read.isWhole)
            let hit = try await larder.get(path)
            #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit["Cache-Status"] ?? "")")
            #expect(hit.body == image)
            #expect(hit["ETag"] != nil)
            #expect(origin.requests.count == 2, "one search, one image")
            #expect(try await calls(larder, "data") == 2)
        }
    }

    @Test func twoClientsShareOneCall() async throws {
        let gate = Gate()
        try await withImage(Self.acts(image, gate)) { larder, path, origin, _ in
            let told = Lock(0)
            async let first = read(larder, path) { told.withLock { $0 += 1 } }
            try await larder.eventually("the first reads") { told.withLock { $0 } == 1 }
            async let second = read(larder, path) { told.withLock { $0 += 1 } }
            try await larder.eventually("the second reads") { told.withLock { $0 } == 2 }
            gate.open()
            for read in [try await first, try await second] { #expect(read.rest == image) }
            #expect(origin.requests.count == 2)
        }
    }

    /// How a body that began as an image goes wrong.
    enum Wrong: CaseIterable {
        case cutOff, tooLarge, incomplete, incompleteChunked
    }

    @Test(arguments: Wrong.allCases)
    func whatGoesWrongLaterCutsTheClientOffAndIsNotStored(_ wrong: Wrong) async throws {
        let gate = Gate()
        let (acts, word): ([Act], String) =
            switch wrong {
            case .cutOff: (Self.acts(Bytes(image.dropLast(20)), length: image.count, gate), "unreachable")
            case .tooLarge: (Self.acts(image, isSized: false, gate), "broken")
            case .incomplete: (Self.acts(Bytes(image.dropLast(20)), gate), "broken")
            case .incompleteChunked: (Self.acts(Bytes(image.dropLast(20)), isSized: false, gate), "broken")
            }
        let more = wrong == .tooLarge ? "artwork: { maxSize: 500KiB }" : ""
        try await withImage(acts, more) { larder, path, origin, time in
            let read = try await read(larder, path) { gate.open() }
            #expect(read.head.status == 200)
            #expect(!read.isWhole, "\(read.rest.count) bytes")
            try await larder.eventually("it is counted") { try await calls(larder, word) == 1 }
            try await larder.eventually("the failure is remembered") { try await larder.get(path).status == 502 }
            #expect(origin.requests.count == 2, "no new call")
            time.advance(by: .seconds(60))
            let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept")
        }
    }

    @Test(arguments: [0, 20])
    func anImageThatMustNotBeStoredIsCheckedToo(missing: Int) async throws {
        let gate = Gate()
        try await withImage(Self.acts(Bytes(image.dropLast(missing)), gate)) { larder, path, _, _ in
            let read = try await read(larder, path, fields: "Cache-Control: no-store\r\n") { gate.open() }
            #expect(read.isWhole == (missing == 0))
            try await larder.eventually("it is counted") {
                try await calls(larder, missing == 0 ? "data" : "broken") == (missing == 0 ? 2 : 1)
            }
            let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept")
        }
    }

    @Test(arguments: ["cache: { maxObject: 500KiB }", "artwork: { ttl: 0s }"])
    func anImageThatCannotBeStoredReachesItsClientWhole(_ more: String) async throws {
        let gate = Gate()
        for isSized in [true, false] {
            try await withImage(Self.acts(image, isSized: isSized, gate), more) { larder, path, _, _ in
                let read = try await read(larder, path) { gate.open() }
                #expect(read.isWhole, "\(read.rest.count) bytes")
            }
        }
    }

    @Test func whatIsNoImageByItsFirstBytesIsAnErrorBeforeItsEnd() async throws {
        let page = Bytes(text: "<!DOCTYPE html>" + String(repeating: "<p>no such image</p>", count: 20_000))
        let gate = Gate()
        defer { gate.open() }
        try await withImage(Self.acts(page, gate)) { larder, path, _, _ in
            let answer = try await larder.get(path)
            #expect(answer.status == 502, "\(answer)")
            #expect(answer.text.contains("not an image"), "\(answer)")
            #expect(try await calls(larder, "broken") == 1)
        }
    }

    @Test func anImageThatIsAnnouncedAsTooLargeIsAnError() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await withImage(Self.acts(image, gate), "artwork: { maxSize: 500KiB }") { larder, path, _, _ in
            let answer = try await larder.get(path)
            #expect(answer.status == 502, "\(answer)")
        }
    }

    @Test func aHeadIsAnsweredWhileTheImageArrivesAndTheImageIsStored() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await withImage(Self.acts(image, gate)) { larder, path, origin, _ in
            let head = try await larder.send("HEAD", path)
            #expect(head.status == 200 && head["Content-Length"] == String(image.count), "\(head)")
            gate.open()
            #expect(try await larder.get(path).body == image)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aRangeIsCutFromAnImageThatArrives() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await withImage(Self.acts(image, gate)) { larder, path, _, _ in
            let part = try await larder.get(path, ("Range", "bytes=1-3"))
            #expect(part.status == 206 && part.body == Bytes(image[1...3]), "\(part)")
            #expect(part["Content-Range"] == "bytes 1-3/\(image.count)")
        }
    }

    @Test func anImageThatIsPurgedWhileItArrivesIsNotStored() async throws {
        let gate = Gate()
        let token = PurgeScenarios.token
        try await withImage(Self.acts(image, gate), "admin: { token: \(token) }") { larder, path, _, _ in
            let told = Lock(0)
            async let old = read(larder, path) { told.withLock { $0 += 1 } }
            try await larder.eventually("it is under way") { told.withLock { $0 } == 1 }
            let purge = try await larder.send(
                "DELETE", "/v1/cache?all=1", fields: [("Authorization", "Bearer \(token)")])
            #expect(purge.status == 200, "\(purge)")
            gate.open()
            #expect(try await old.rest == image)
            let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept")
        }
    }
}
