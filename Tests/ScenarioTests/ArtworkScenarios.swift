// Artwork by signed handle: the right bytes, fetched once, from permitted hosts only, and only whole images.
import LarderCore
import LarderDaemon
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct ArtworkScenarios {
    /// A PNG image of one pixel.
    static let png: Bytes = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1F, 0x15, 0xC4, 0x89, 0x00, 0x00, 0x00,
        0x0D, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x10, 0x50, 0x30, 0xF8, 0x0F, 0x00, 0x02, 0x04, 0x01, 0x60,
        0x8D, 0xBC, 0xBB, 0x71, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    private static func image(_ bytes: Bytes, type: String = "image/png") -> [Act] {
        [
            .send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n\r\n"),
            .sendBytes(bytes),
        ]
    }

    /// One origin that is both the API and its image host. The images answer as the test says.
    func origin(_ moods: CacheScenarios.Moods) -> ScriptedOrigin {
        let own = Lock("")
        let origin = ScriptedOrigin { request in
            if request.target.hasPrefix("/search") {
                let base = own.withLock { $0 }
                let song = BasicScenarios.song.replacing(
                    "https://is1-ssl.mzstatic.com/image/thumb/a/b/source/100x100bb.jpg",
                    with: "\(base)/image/100x100bb.png")
                return [.send(ok(song))]
            }
            return moods.current.withLock { $0 }
        }
        own.withLock { $0 = origin.base }
        return origin
    }

    func settings(_ origin: ScriptedOrigin) -> String {
        BasicScenarios.itunes(origin, "    imageHosts: [\"\(origin.base)\"]")
    }

    func handle(_ larder: RunningLarder) async throws -> String {
        let answer = try await larder.get("/v1/itunes/search?q=jack").json()
        let result = try #require(answer["results"]?.elements.first { _ in true })
        return try #require(result["artwork"]?["small"]?.string)
    }

    @Test func aPictureThatWasUnderWayDoesNotComeBackAfterAPurge() async throws {
        let gate = Gate()
        let moods = CacheScenarios.Moods()
        moods.set([.await(gate)] + Self.image(Self.png))
        let origin = origin(moods)
        defer { origin.stop() }
        let token = PurgeScenarios.token
        try await withLarder(settings(origin) + "\nadmin: { token: \(token) }") { larder in
            let path = try await handle(larder)
            async let old = larder.get(path)
            try await larder.eventually("it is under way") { origin.requests.count == 2 }
            let purge = try await larder.send(
                "DELETE", "/v1/cache?all=1", fields: [("Authorization", "Bearer \(token)")])
            #expect(purge.status == 200, "\(purge)")
            gate.open()
            #expect(try await old.body == Self.png, "who asked before gets it")
            let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept")
        }
    }

    @Test func anImageComesOnceWithTypeLengthValidatorsAndRanges() async throws {
        let moods = CacheScenarios.Moods()
        moods.set(Self.image(Self.png, type: "text/plain"))
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(settings(origin)) { larder in
            let path = try await handle(larder)
            let first = try await larder.get(path)
            #expect(first.status == 200, "\(first)")
            #expect(first.body == Self.png)
            #expect(first["Content-Type"] == "image/png", "the type is that of the bytes")
            #expect(first["X-Content-Type-Options"] == "nosniff")
            let tag = try #require(first["ETag"])
            #expect(try await larder.get(path, ("If-None-Match", tag)).status == 304)
            let part = try await larder.get(path, ("Range", "bytes=1-3"))
            #expect(part.status == 206)
            #expect(part.body == Bytes(Self.png[1...3]))
            #expect(part["Content-Range"] == "bytes 1-3/\(Self.png.count)")
            #expect(try await larder.get(path, ("Range", "bytes=9999-")).status == 416)
            let head = try await larder.send("HEAD", path)
            #expect(head["Content-Length"] == String(Self.png.count))
            #expect(origin.requests.count == 2, "one search, one image")
        }
    }

    @Test func nothingButAWholeImageIsStored() async throws {
        let moods = CacheScenarios.Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(settings(origin), time: time) { larder in
            let path = try await handle(larder)
            let bad: [[Act]] = [
                Self.image(Bytes(text: "<html>no such image</html>"), type: "image/png"),
                Self.image(Bytes(Self.png.dropLast(20))),
                Self.image(Bytes(Self.png.prefix(8))),
                [.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.png.count)\r\n\r\nshort"), .close],
            ]
            for acts in bad {
                moods.set(acts)
                // A beginning that came long before the rest has gone out, and is cut off.
                let answer = try? await larder.get(path)
                #expect(answer?.status ?? 502 == 502)
                let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
                #expect(held.status == 504, "it was kept")
                time.advance(by: .seconds(60))
            }
            moods.set(Self.image(Self.png))
            #expect(try await larder.get(path).status == 200)
        }
    }

    @Test func aMissingImageIsRememberedForAShortTime() async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        let origin = origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(settings(origin) + "\nartwork: { missingTTL: 5min }", time: time) { larder in
            let path = try await handle(larder)
            for _ in 0..<3 {
                let answer = try await larder.get(path)
                #expect(answer.status == 404, "\(answer)")
                #expect(try answer.json()["code"]?.string == "noData")
            }
            #expect(origin.requests.count == 2)
            moods.set(Self.image(Self.png))
            time.advance(by: .seconds(400))
            #expect(try await larder.get(path).status == 200)
        }
    }

    @Test func onlyHandlesOfOurOwnAreOpened() async throws {
        let moods = CacheScenarios.Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(settings(origin)) { larder in
            let path = try await handle(larder)
            for wrong in [
                path + "A", String(path.dropLast(2)), "/v1/artwork/AAAA",
                ArtworkSigner(key: Bytes(repeating: 7, count: 32)).path(
                    provider: "itunes", url: "\(origin.base)/x.png"),
            ] {
                #expect(try await larder.get(wrong).status == 404)
            }
        }
    }

    @Test func anImageOfAnotherHostOrAPrivateAddressIsRefused() async throws {
        let moods = CacheScenarios.Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        let other = ScriptedOrigin(answering: ok("never"))
        defer { other.stop() }
        // First the list does not name the image's host. Then it names any public host, which excludes loopback.
        try await withLarder(BasicScenarios.itunes(other, "    imageHosts: [\"*.mzstatic.com\"]")) { larder in
            let signer = larder.daemon.artworkSigner
            let foreign = try await larder.get(signer.path(provider: "itunes", url: "\(origin.base)/a.png"))
            #expect(foreign.status == 403, "\(foreign)")
        }
        try await withLarder(BasicScenarios.itunes(other, "    imageHosts: [\"*\"]")) { larder in
            let signer = larder.daemon.artworkSigner
            for url in ["http://127.0.0.1:\(origin.port)/a.png", "https://localhost/a.png", "https://[::1]/a.png"] {
                let answer = try await larder.get(signer.path(provider: "itunes", url: url))
                #expect(answer.status == 403 || answer.status == 502, "\(url): \(answer)")
            }
        }
        #expect(origin.requests.isEmpty)
        #expect(other.requests.isEmpty)
    }

    @Test func aRedirectToAPrivateAddressIsNotFollowed() async throws {
        let hidden = ScriptedOrigin { _ in Self.image(Self.png) }
        defer { hidden.stop() }
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 302 Found\r\nLocation: \(hidden.base)/a.png\r\nContent-Length: 0\r\n\r\n")
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(settings(origin)) { larder in
            let answer = try await larder.get(try await handle(larder))
            #expect(answer.status == 502, "\(answer)")
            #expect(hidden.requests.isEmpty)
        }
    }

    /// The first hop is upgraded to https. A redirect must name its scheme and port itself.
    @Test(arguments: ["http://192.0.2.1/a.png", "https://192.0.2.1:8443/a.png", "https://192.0.2.1:80/a.png"])
    func aRedirectToPlainHTTPOrToAnotherPortIsNotFollowed(target: String) async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin, "    imageHosts: [\"*\"]")) { larder in
            let answer = try await larder.get(try await handle(larder))
            #expect(answer.status == 502, "\(answer)")
            #expect(answer.body.lossyText.contains("which is not allowed"), "\(answer)")
        }
    }
}
