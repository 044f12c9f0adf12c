// The stand-in over the recorded responses: each is found by its own request, and below `/only/` by any request.
import Glibc
import LarderCore
import LarderOrigin
import LarderProviders
import Testing

/// The recordings' folder, if there is one: `LARDER_RECORDINGS`, or `../shared/recordings` beside the package.
let recordingsFolder: String? = {
    let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let beside = "/" + package.split(separator: "/").dropLast().joined(separator: "/") + "/shared/recordings"
    let folder = getenv("LARDER_RECORDINGS").map { String(cString: $0) } ?? beside
    return access("\(folder)/index.json", R_OK) == 0 ? folder : nil
}()

@Suite struct RecordingFolderTests {
    @Test(.enabled(if: recordingsFolder != nil))
    func everyRecordingAnswersItsOwnRequestAndEverythingBelowOnly() async throws {
        let folder = try #require(recordingsFolder)
        try await withOrigin(.recordings(folder: folder)) { server in
            let index = try JSON.parse(read("\(folder)/index.json"))
            var found = 0
            for entry in index.elements {
                guard let api = entry["api"]?.string, ["itunes", "newsapi", "dnd5e"].contains(api),
                    let file = entry["file"]?.string, let path = entry["path"]?.string, !file.contains("details")
                else { continue }
                let body = try read("\(folder)/\(file)")
                let status = entry["status"]?.integer ?? 200
                let query = entry["query"]?.string ?? ""
                let key: HeaderFields = ["X-Api-Key": "k"]
                let only = try PlainClient.get(server, "/only/\(file)/some/path?term=other", fields: key)
                #expect(only.status == status && only.body == body, "\(file)")
                let own = try PlainClient.get(server, "/\(api)\(path)?\(query)", fields: key)
                #expect(own.status == status, "\(file)")
                // If several recordings answer the same request, the response is one of them.
                if own.body == body { found += 1 }
            }
            #expect(found >= 44)
        }
    }

    @Test(.enabled(if: recordingsFolder != nil))
    func requestsAsLarderWritesThemFindTheirRecording() async throws {
        let folder = try #require(recordingsFolder)
        try await withOrigin(.recordings(folder: folder)) { server in
            func count(_ target: String, _ list: String = "results") throws -> Int? {
                let answer = try PlainClient.get(server, target, fields: ["X-Api-Key": "k"])
                return try JSON.parse(answer.body)[list]?.count
            }
            #expect(try count("/itunes/search?term=jack%20johnson") == 50)
            #expect(try count("/itunes/search?limit=200&term=Radiohead") == 200)
            #expect(try count("/itunes/search?media=music&term=jack%20johnson") == 50)
            #expect(try count("/itunes/search?term=nobody%20knows") == 0)
            #expect(try count("/itunes/lookup?id=396405320") == 1)
            #expect(try count("/newsapi/v2/top-headlines?category=business&country=us", "articles") == 64)
            #expect(try count("/newsapi/v2/top-headlines?country=us", "articles") == 27)
            #expect(try count("/newsapi/v2/sources", "sources") == 129)
            #expect(try count("/newsapi/v2/everything?q=unheard", "articles") == 0)
            #expect(try count("/dnd5e/api/2014/monsters?lang=en") == 334)
            let record = try PlainClient.get(server, "/dnd5e/api/2014/monsters/aboleth?lang=en")
            #expect(try JSON.parse(record.body)["name"]?.string == "Aboleth")
            let first = try JSON.parse(read("\(folder)/dnd5e/spells-details.json")).members.map(\.name).dropFirst()
                .first
            let spell = try PlainClient.get(server, "/dnd5e/api/2014/spells/\(try #require(first))?lang=en")
            #expect(try JSON.parse(spell.body)["index"]?.string == first)
            #expect(try PlainClient.get(server, "/dnd5e/api/2014/spells/none").status == 404)
            #expect(try PlainClient.get(server, "/only/none.json/x").status == 404)
            let kept = try PlainClient.get(server, "/only/itunes/search-podcast-beyondjazz-2011-01.json/search?term=x")
            #expect(kept.fields.first("Cache-Control") == "max-age=0, no-cache")
            #expect(kept.fields.first("Content-Type") == "text/javascript; charset=utf-8")
        }
    }

    @Test(.enabled(if: recordingsFolder != nil))
    func picturesOfAnswersLeadToRecordedPictures() async throws {
        let folder = try #require(recordingsFolder)
        try await withOrigin(.recordings(folder: folder), rewrites: true) { server in
            let answer = try PlainClient.get(server, "/itunes/search?term=radiohead&limit=200")
            let urls = try #require(try JSON.parse(answer.body)["results"]).elements
                .compactMap { $0["artworkUrl100"]?.string }
            #expect(urls.count == 200)
            #expect(urls.allSatisfy { $0.hasPrefix("http://127.0.0.1:\(server.port)/artwork/") })
            let picture = try PlainClient.get(server, String(try #require(urls.first).dropFirst(server.root.count)))
            #expect(picture.status == 200)
            #expect(picture.fields.first("Content-Type")?.hasPrefix("image/") == true)
            #expect(try PlainClient.get(server, "/artwork/only-magic-bytes.jpg").body.count == 622)
            #expect(try PlainClient.get(server, "/only/dnd5e/monster-aboleth.json/api/images/a.png").status == 200)
        }
    }

    @Test(.enabled(if: recordingsFolder != nil))
    func aRecordingThatIsChosenAnswersEverythingUntilAnotherIs() async throws {
        let folder = try #require(recordingsFolder)
        try await withOrigin(.recordings(folder: folder)) { server in
            let same = server.recordings.filter { $0.query == "media=musicVideo&term=Sabotage" }
            #expect(same.count == 3)
            for recording in same {
                server.choose(recording.file)
                let answer = try PlainClient.get(server, "/itunes/search?term=anything")
                #expect(try answer.body == read("\(folder)/\(recording.file)"))
            }
            let details = try #require(server.recordings.first { $0.file == "dnd5e/spells-details.json" })
            #expect(details.path == "/api/2014/spells" && details.keys.count == 160)
            server.choose(details.file)
            let spell = try PlainClient.get(server, "/dnd5e/api/2014/spells/\(details.keys[7])?lang=en")
            #expect(try JSON.parse(spell.body)["index"]?.string == details.keys[7])
            server.choose(nil)
            let empty = try PlainClient.get(server, "/itunes/search?term=nobody%20knows")
            #expect(try JSON.parse(empty.body)["results"]?.count == 0)
        }
    }

    @Test func aFolderThatIsNoneIsSaidSo() {
        #expect(throws: OriginError.self) { try OriginServer(source: .recordings(folder: "/nowhere")) }
    }

    private func read(_ path: String) throws -> Bytes {
        let file = try #require(fopen(path, "rbe"))
        defer { fclose(file) }
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
        }
    }
}
