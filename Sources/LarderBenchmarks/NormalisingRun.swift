// Measures what a search costs beyond its call. An answer with 200 iTunes results, generated here in the API's shape,
// is fetched, normalised, stored and answered. This is compared with a direct fetch of the same bytes.
import LarderCore

struct NormalisingRun {
    static let results = 200
    let stand: Stand

    /// The milliseconds that Larder adds; medians of the rounds.
    func measure() throws(Failure) -> Sample {
        let page = stand.newFile("results.json")
        try Files.write(Self.page, to: page)
        let origin = try Server.origin(on: stand, page: page)
        defer { origin.process.stop() }
        var setup = LarderSetup()
        setup.hasOwnListener = true
        setup.hasITunes = true
        let larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port)
        defer { larder.process.stop() }
        let path = "/v1/itunes/search?limit=\(Self.results)&q="
        let reply = try ProbeClient(port: larder.ownPort).get(path + "first", port: larder.ownPort)
        guard reply.status == 200, let answer = try? JSON.parse(reply.body), answer["count"]?.integer == 200 else {
            throw .failed("normalising", "status \(reply.status), \(reply.body.prefix(300).map { $0 }.lossyText)")
        }
        var added = Sample()
        for round in 0..<stand.arguments.rounds {
            let text = try stand.pinned(
                [
                    "misses", "\(larder.ownPort)", "\(origin.port)", "\(path)round\(round)word", "/search?direct=",
                    "\(max(stand.arguments.seconds * 20, 20))",
                ], seconds: stand.arguments.seconds + 60)
            guard let found = MissRound(line: text) else { throw .failed("normalising", "no result") }
            added.add(Double(found.through - found.direct) / 1e6)
            note("normalising \(Self.results) results adds \(Figures.fixed(added.values[round], 2)) ms")
        }
        return added
    }

    /// The body of the generated answer.
    static var page: Bytes {
        var writer = JSONWriter()
        writer.object { page in
            page.member("resultCount", results)
            page.name("results")
            page.array { list in
                for number in 0..<results { list.object { song(number, &$0) } }
            }
        }
        return writer.bytes
    }

    private static func song(_ number: Int, _ song: inout JSONWriter) {
        let texts = [
            ("wrapperType", "track"), ("kind", "song"), ("artistName", "The Benchmarks"),
            ("collectionName", "Measured Songs, Vol. \(number / 12)"), ("trackName", "Song Number \(number) (Live)"),
            ("collectionCensoredName", "Measured Songs, Vol. \(number / 12)"),
            ("trackCensoredName", "Song Number \(number) (Live)"),
            ("artistViewUrl", "https://music.apple.com/us/artist/the-benchmarks/1?uo=4"),
            ("collectionViewUrl", "https://music.apple.com/us/album/measured/\(5000 + number)?i=\(9000 + number)&uo=4"),
            ("trackViewUrl", "https://music.apple.com/us/album/measured/\(5000 + number)?i=\(9000 + number)&uo=4"),
            ("previewUrl", "https://audio-ssl.itunes.apple.com/preview/\(number)/a.m4a"),
            ("artworkUrl30", "https://is1-ssl.mzstatic.com/image/thumb/Music/\(number)/source/30x30bb.jpg"),
            ("artworkUrl60", "https://is1-ssl.mzstatic.com/image/thumb/Music/\(number)/source/60x60bb.jpg"),
            ("artworkUrl100", "https://is1-ssl.mzstatic.com/image/thumb/Music/\(number)/source/100x100bb.jpg"),
            ("releaseDate", "20\(10 + number % 15)-03-01T12:00:00Z"), ("collectionExplicitness", "notExplicit"),
            ("trackExplicitness", "notExplicit"), ("country", "USA"), ("currency", "USD"),
            ("primaryGenreName", "Rock"),
        ]
        for (name, text) in texts { song.member(name, text) }
        let numbers = [
            ("artistId", 1), ("collectionId", 5000 + number), ("trackId", 9000 + number), ("discCount", 1),
            ("discNumber", 1), ("trackCount", 12), ("trackNumber", number % 12 + 1),
            ("trackTimeMillis", 180_000 + number),
        ]
        for (name, value) in numbers { song.member(name, value) }
        song.member("isStreamable", true)
    }
}
