// The first test through every room: a scripted origin, the daemon, a client, and what both ends must have seen.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct BasicScenarios {
    /// An iTunes answer with one song.
    static let song = """


        {"resultCount":1, "results":[{"wrapperType":"track", "kind":"song", "artistId":909253, "collectionId":1,
        "trackId":120954025, "artistName":"Jack Johnson", "collectionName":"Sing-a-Longs", "trackName":"Upside Down",
        "trackViewUrl":"https://music.apple.com/us/album/upside-down/1", "trackPrice":1.29, "currency":"USD",
        "artworkUrl100":"https://is1-ssl.mzstatic.com/image/thumb/a/b/source/100x100bb.jpg",
        "releaseDate":"2005-01-01T12:00:00Z", "primaryGenreName":"Rock"}]}

        """

    static func itunes(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        """
        providers:
          itunes:
            baseURL: "\(origin.base)"
            rate: off
            quota: off
        \(more)
        """
    }

    @Test func theSecondSearchIsAHitAndCostsNoCall() async throws {
        let origin = ScriptedOrigin(
            answering: ok(Self.song, fields: "Content-Type: text/javascript; charset=utf-8\r\n"))
        defer { origin.stop() }
        try await withLarder(Self.itunes(origin)) { larder in
            let first = try await larder.get("/v1/search?q=jack+johnson&source=itunes")
            #expect(first.status == 200, "\(first)")
            #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored")
            #expect(first["Age"] == "0")
            let envelope = try first.json()
            #expect(envelope["state"]?.string == "results")
            #expect(envelope["count"]?.integer == 1)
            let second = try await larder.get("/v1/search?q=jack+johnson&source=itunes")
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(second)")
            #expect(second.body == first.body)
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="itunes""#) == 1)
        }
    }

    @Test func theFolderOfAUnixSocketIsMade() async throws {
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/run/larder/larder.sock"
        try await withLarder(listen: ["\"\(socket)\""], directory: directory) { larder in
            #expect(larder.address == socket)
            let answer = try await larder.get("/readyz")
            #expect(answer.status == 200)
        }
    }
}
