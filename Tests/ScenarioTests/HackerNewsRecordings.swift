// Every recorded answer of Hacker News through the whole daemon. Each item of a list is a call of its own. The calls
// are therefore counted differently than with the recordings of the other APIs.
import LarderCore
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

/// The tests run one after the other, because they count the calls to one stand-in.
@Suite(.serialized) struct HackerNewsRecordings {
    static let all = Recording.indexed(["hackernews"])
    static let items = "hackernews/items-topstories-2019-11.json"

    private func withRecording(
        _ file: String, _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let origin = try Recording.plain.get()
        let base = origin.baseURL(only: file)
        let settings = """
            fetch: { deadline: 10min, queueTimeout: 10min }
            providers: { hackernews: { baseURL: "\(base)", searchURL: "\(base)", rate: off, quota: off } }
            """
        // The clock stands still, so that a list is still fresh when its last item has come.
        try await withLarder(settings, time: ManualTime()) { larder in try await body(larder, origin) }
    }

    /// The question at Larder's own route, and the number of calls that it takes.
    private static func question(_ recording: RecordedRequest) throws -> (target: String, calls: Int) {
        let name = recording.path.split(separator: "/").last.map { String($0.replacing(".json", with: "")) } ?? ""
        if recording.path.hasPrefix("/api/") {
            let tags = recording.query.contains("tags=") ? recording.query : "q=a"
            return ("search?\(tags)", 1)
        }
        if recording.path.hasPrefix("/v0/user/") { return ("user/\(name)", 1) }
        if recording.path.hasPrefix("/v0/item/") { return ("item/\(name)?depth=0", 1) }
        return ("\(name.replacing("stories", with: ""))?limit=500", 501)
    }

    private func requests() throws -> [RecordedRequest] {
        try Recording.plain.get().recordings.filter { $0.api == "hackernews" }
    }

    @Test(.enabled(if: !all.isEmpty))
    func everyRecordingIsHadRawAsItIsAndThenFromTheCache() async throws {
        let requests = try requests()
        #expect(requests.count == Self.all.count && requests.count >= 10)
        for recording in requests where recording.keys.isEmpty {
            try await withRecording(recording.file) { larder, origin async throws in
                let before = origin.requests(to: "/only/\(recording.file)")
                let target = "/raw/hackernews\(recording.path)?\(recording.query.replacing("{url}", with: "u"))"
                let first = try await larder.get(target)
                #expect(first.status == recording.status, "\(recording.file): \(first)")
                #expect(try first.body == readFile("\(Recording.folder)/\(recording.file)"))
                #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(first)")
                let second = try await larder.get(target)
                #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(second)")
                #expect(second.body == first.body)
                #expect(origin.requests(to: "/only/\(recording.file)") == before + 1)
            }
        }
    }

    @Test(.enabled(if: !all.isEmpty))
    func everyRecordingIsHadWholeAtItsRouteAndThenFromTheCache() async throws {
        let items = try JSON.parse(readFile("\(Recording.folder)/\(Self.items)"))
        for recording in try requests() where recording.keys.isEmpty {
            let body = try JSON.parse(readFile("\(Recording.folder)/\(recording.file)"))
            let (route, calls) = try Self.question(recording)
            try await withRecording(recording.file) { larder, origin async throws in
                let before = origin.requests(to: "/only/\(recording.file)")
                let first = try await larder.get("/v1/hackernews/\(route)")
                #expect(first.status == 200, "\(recording.file): \(first)")
                let envelope = try first.json()
                let source = try #require(envelope["sources"]?.elements.first { _ in true })
                let count = try #require(envelope["count"]?.integer)
                let dropped = source["dropped"]?.integer ?? 0
                #expect(source["error"]?.isNull == true && source["missing"] == nil, "\(recording.file)")
                let records = body["hits"]?.count ?? (body.kind == .array ? body.count : 1)
                #expect(count + dropped == records, "\(recording.file): \(count) and \(dropped)")
                let results = Array(try #require(envelope["results"]).elements)
                for result in results { try expectResult(result) }
                if recording.file.contains("2019-11") {
                    #expect(count == 500, "each of that day's posts was recorded")
                    for (id, result) in zip(body.elements, results) {
                        let number = try #require(id.integer)
                        let record = try #require(items["\(number)"])
                        #expect(result["attributes"]?["itemId"]?.integer == id.integer)
                        #expect(result["creator"]?.string == record["by"]?.string)
                        #expect(result["attributes"]?["points"]?.integer == record["score"]?.integer)
                        #expect(result["attributes"]?["comments"]?.integer == record["descendants"]?.integer)
                        #expect(result["url"]?.string == record["url"]?.string || record["url"] == nil)
                    }
                }
                let second = try await larder.get("/v1/hackernews/\(route)")
                #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(second)")
                #expect(second.body == first.body)
                #expect(origin.requests(to: "/only/\(recording.file)") == before + calls, "\(recording.file)")
            }
        }
    }

    /// Uses the file with one answer for each of five hundred items.
    @Test(.enabled(if: !all.isEmpty))
    func everyItemIsHadByItsId() async throws {
        let records = Array(try JSON.parse(readFile("\(Recording.folder)/\(Self.items)")).members)
        #expect(records.count == 500)
        try await withRecording(Self.items) { larder, origin async throws in
            let before = origin.requests(to: "/only/\(Self.items)")
            let answers = try await larder.talk { client in
                try records.map { record in
                    let request = "GET /v1/hackernews/item/\(record.name)?depth=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    try client.send(request + request)
                    return try (client.receive(), client.receive())
                }
            }
            for (record, (first, second)) in zip(records, answers) {
                #expect(first.status == 200, "\(record.name): \(first)")
                #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(record.name): \(second)")
                let results = Array(try #require(try first.json()["results"]).elements)
                #expect(results.count == 1, "\(record.name)")
                try expectResult(try #require(results.first))
                #expect(results.first?["id"]?.string?.hasSuffix(":\(record.name)") == true)
            }
            #expect(origin.requests(to: "/only/\(Self.items)") == before + 500)
        }
    }

    private func expectResult(_ result: JSONValue) throws {
        let kind = try #require(result["kind"]?.string)
        #expect(["story", "comment", "job", "poll", "user"].contains(kind))
        #expect(result["id"]?.string?.hasPrefix("hackernews:\(kind):") == true)
        #expect(result["title"]?.string?.isEmpty == false)
        #expect(result["url"]?.string?.hasPrefix("http") == true)
        let date = try #require(result["publishedAt"]?.string)
        #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(date)")
        for text in [result["title"]?.string, result["summary"]?.string].compactMap({ $0 }) {
            #expect(!text.contains("&#x") && !text.contains("<p>"), "\(text)")
        }
        for member in result.members {
            #expect(!member.value.isNull && member.value.string != "", "\(member.name) says nothing")
        }
    }
}
