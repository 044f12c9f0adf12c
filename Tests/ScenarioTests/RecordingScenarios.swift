// Every recorded answer of the real APIs through the whole daemon: sockets, libcurl, SQLite. Each answer is classified
// correctly, none of its records is lost silently, and the second request is answered from the cache.
import LarderCore
import LarderDaemon
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct RecordingScenarios {
    @Test(arguments: Recording.single)
    func theTypedRouteGivesTheWholeRecordingAndThenAHit(_ recording: Recording) async throws {
        let origin = try Recording.rewriting.get()
        try await withLarder(recording.configuration(origin)) { larder in
            let first = try await larder.get(recording.typedTarget)
            guard recording.status == 200 else {
                return try expectProblem(first, recording)
            }
            #expect(first.status == 200, "\(first)")
            #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(first)")
            try expectWhole(try first.json(), recording)
            try await expectPictures(try first.json(), larder, origin)

            let second = try await larder.get(recording.typedTarget)
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(second)")
            #expect(second.body == first.body)
            #expect(origin.requests(to: "/only/\(recording.file)") - pictures(origin, recording) == 1)
        }
    }

    @Test(arguments: Recording.single)
    func theRawRouteGivesTheRecordingsOwnBytesAndThenAHit(_ recording: Recording) async throws {
        let origin = try Recording.plain.get()
        try await withLarder(recording.configuration(origin)) { larder in
            let first = try await larder.get(recording.rawTarget)
            #expect(first.status == recording.status, "\(first)")
            #expect(try first.body == recording.bytes)
            #expect(first["Content-Type"]?.contains("charset=utf-8") == true, "\(first)")
            guard recording.status == 200 else { return }
            #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(first)")
            let second = try await larder.get(recording.rawTarget)
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(second)")
            #expect(second.body == first.body)
            let calls = origin.requests(to: "/only/\(recording.file)")
            #expect(calls == 1)

            // If the typed route can express the whole question, it asks the same question and needs no call.
            let typed = try await larder.get(recording.typedTarget)
            #expect(typed.status == 200, "\(typed)")
            let saysMore = ["sort=", "media=podcast&entity", "media=ebook"].contains { recording.query.contains($0) }
            if !saysMore {
                #expect(origin.requests(to: "/only/\(recording.file)") == 1, "\(typed)")
            }
        }
    }

    /// Asks one daemon for every record of the files that hold one body for each index.
    @Test(arguments: Recording.many)
    func everyRecordIsHadByItsIndex(_ recording: Recording) async throws {
        let origin = try Recording.rewriting.get()
        let collection = try #require(recording.path.split(separator: "/").dropFirst(2).first)
        let records = Array(try JSON.parse(recording.bytes).members)
        #expect(records.count > 100)
        let settings = """
            providers: { dnd5e: { baseURL: "\(origin.baseURL(for: "dnd5e"))", rate: off, quota: off } }
            """
        try await withLarder(settings) { larder in
            let names = records.map(\.name)
            let address = larder.address
            let answers = try await onOwnThread {
                let client = try WireClient(address)
                return try names.map { name in
                    // Two requests are sent at once. The second is answered after the first, from the cache.
                    let request = "GET /v1/dnd/\(collection)/\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    try client.send(request + request)
                    return try (client.receive(), client.receive())
                }
            }
            for (record, (first, second)) in zip(records, answers) {
                #expect(first.status == 200, "\(record.name): \(first)")
                #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(record.name): \(second)")
                #expect(second.body == first.body, "\(record.name)")
                let envelope = try first.json()
                try expectEnvelope(envelope, records: 1)
                let result = try #require(envelope["results"]?.elements.first { _ in true })
                try expectResult(result, "dnd5e")
                #expect(result["id"]?.string?.hasSuffix(":\(record.name)") == true)
                #expect(result["title"]?.string == record.value["name"]?.string)
                #expect(result["price"]?["currency"]?.string == record.value["cost"]?["unit"]?.string)
                #expect(result["price"]?["amount"]?.numberText == record.value["cost"]?["quantity"]?.numberText)
                #expect((result["artwork"] != nil) == hasPicture(record.value), "\(record.name)")
            }
            for (record, (answer, _)) in zip(records, answers).filter({ hasPicture($0.0.value) }).prefix(3) {
                try await expectPictures(try answer.json(), larder, origin)
                #expect(origin.requests(to: "/dnd5e\(record.value["image"]?.string ?? "?")") == 1)
            }
        }
    }

    /// The default budgets of the providers apply here: twenty calls a minute for iTunes, a hundred a day for NewsAPI.
    @Test(.enabled(if: !Recording.all.isEmpty))
    func withBudgetsEveryRecordingIsStillHadAndNoCallIsWasted() async throws {
        let origin = try OriginServer(source: .recordings(folder: Recording.folder))
        try origin.start()
        defer { origin.stop() }
        let time = ManualTime()
        let settings = """
            providers:
              itunes: { baseURL: "\(origin.baseURL(for: "itunes"))" }
              newsapi: { baseURL: "\(origin.baseURL(for: "newsapi"))", key: some-key }
              dnd5e: { baseURL: "\(origin.baseURL(for: "dnd5e"))" }
            """
        try await withLarder(settings, time: time) { larder in
            let questions = Recording.single.filter { $0.status == 200 }
            var waits = 0
            for recording in questions {
                var answer = try await larder.get(recording.typedTarget)
                if answer.status == 429 {
                    waits += 1
                    #expect(recording.api == "itunes")
                    #expect(try answer.json()["class"]?.string == "limited")
                    let pause = try #require(answer["Retry-After"].flatMap { Int($0) }, "\(answer)")
                    #expect((1...60).contains(pause))
                    time.advance(by: .seconds(pause))
                    answer = try await larder.get(recording.typedTarget)
                }
                #expect(answer.status == 200, "\(recording.file): \(answer)")
                let again = try await larder.get(recording.typedTarget)
                #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(recording.file): \(again)")
            }
            let distinct = Set(questions.filter { $0.api == "itunes" }.map(\.typedTarget)).count
            #expect(distinct > 20)
            #expect(waits == (distinct - 1) / 20, "a wait after every twentieth call, hits being free")
            #expect(origin.requests(to: "/itunes") == distinct)
        }
    }
}

// MARK: What must hold

extension RecordingScenarios {
    /// Expects Larder's own problem document for a recorded error.
    private func expectProblem(_ response: WireResponse, _ recording: Recording) throws {
        #expect(response["Content-Type"] == "application/problem+json", "\(response)")
        let problem = try response.json()
        #expect(problem["provider"]?.string == recording.api)
        switch recording.status {
        case 400:
            #expect((400..<500).contains(response.status), "\(response)")
            #expect(problem["class"]?.string == "invalidRequest")
            #expect(problem["retryable"]?.bool == false)
        case 401:
            #expect(response.status == 502, "\(response)")
            #expect(problem["class"]?.string == "refused")
            #expect(problem["retryable"]?.bool == false)
        case 429:
            #expect(response.status == 429, "\(response)")
            #expect(problem["class"]?.string == "limited")
            #expect(problem["retryable"]?.bool == true)
            #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0, "\(response)")
        default:
            Issue.record("no rule for \(recording.status)")
        }
    }

    /// Expects that the counts agree, and that records without a result are counted as dropped.
    private func expectEnvelope(_ envelope: JSONValue, records: Int) throws {
        let sources = Array(try #require(envelope["sources"]).elements)
        let source = try #require(sources.first)
        let count = try #require(envelope["count"]?.integer)
        #expect(sources.count == 1)
        #expect(envelope["results"]?.count == count)
        #expect(source["count"]?.integer == count)
        #expect(count + (source["dropped"]?.integer ?? 0) == records)
        #expect(envelope["state"]?.string == (count == 0 ? "noResults" : "results"))
        #expect(source["state"]?.string == envelope["state"]?.string)
        #expect(source["error"]?.isNull == true)
        #expect(source["stale"]?.bool == false)
    }

    /// Expects what every result of every source has.
    private func expectResult(_ result: JSONValue, _ provider: String) throws {
        let kind = try #require(result["kind"]?.string)
        #expect(result["id"]?.string?.hasPrefix("\(provider):\(kind):") == true)
        #expect(result["provider"]?.string == provider)
        #expect(result["title"]?.string?.isEmpty == false)
        if let date = result["publishedAt"] {
            let text = try #require(date.string)
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(text)")
        }
        for member in result.members {
            #expect(!member.value.isNull && member.value.string != "", "\(member.name) says nothing")
        }
    }

    private func expectWhole(_ envelope: JSONValue, _ recording: Recording) throws {
        let records = try recording.records
        try expectEnvelope(envelope, records: records.count)
        // Only withdrawn articles and repeated articles of a list give no result.
        var seen: Set<String> = []
        let kept = records.filter { record in
            // Articles have titles. Sources of articles have names.
            guard record["title"] != nil, recording.api == "newsapi", let url = record["url"]?.string else {
                return true
            }
            return record["title"]?.string != "[Removed]" && seen.insert(url).inserted
        }
        let results = Array(try #require(envelope["results"]).elements)
        try #require(results.count == kept.count)
        for (record, result) in zip(kept, results) {
            try expectResult(result, recording.api)
            switch recording.api {
            case "itunes": expectStore(result, record)
            case "newsapi": expectNews(result, record)
            default: #expect(result["title"]?.string == record["name"]?.string)
            }
        }
    }

    private func expectStore(_ result: JSONValue, _ record: JSONValue) {
        let names = ["artistName", "collectionName", "trackName"].compactMap { record[$0]?.string }
        let title = result["title"]?.string ?? ""
        #expect(names.contains { collapsed($0) == title }, "\(title) is none of \(names)")
        let amount = ["trackPrice", "price", "collectionPrice"].lazy.compactMap { record[$0]?.double }.first
        if let amount, amount >= 0, record["wrapperType"]?.string != "artist" {
            if result["price"] != nil || record["trackPrice"] != nil || record["price"] != nil {
                #expect(result["price"]?["amount"]?.double == amount, "\(title)")
                #expect(result["price"]?["currency"]?.string == record["currency"]?.string, "\(title)")
            }
        } else {
            #expect(result["price"] == nil, "\(title)")
        }
        expectDate(result, record["releaseDate"])
        #expect((result["artwork"] != nil) == record.members.contains { $0.name.hasPrefix("artworkUrl") }, "\(title)")
    }

    private func expectNews(_ result: JSONValue, _ record: JSONValue) {
        #expect(result["url"]?.string == record["url"]?.string)
        guard result["kind"]?.string == "article" else {
            #expect(result["attributes"]?["sourceId"]?.string == record["id"]?.string)
            return
        }
        expectDate(result, record["publishedAt"])
        let image = record["urlToImage"]?.string ?? ""
        #expect((result["artwork"] != nil) == !image.isEmpty, "\(image)")
    }

    /// Expects the same day. All but the oldest records name the instant in UTC.
    private func expectDate(_ result: JSONValue, _ date: JSONValue?) {
        guard let text = date?.string else {
            #expect(result["publishedAt"] == nil)
            return
        }
        #expect(result["publishedAt"]?.string?.prefix(10) == text.prefix(10), "\(text)")
    }

    /// Every handle must lead to the stand-in's own host. The small pictures of the first few results must load.
    private func expectPictures(_ envelope: JSONValue, _ larder: RunningLarder, _ origin: OriginServer) async throws {
        let pictures = Array(try #require(envelope["results"]).elements).compactMap { $0["artwork"] }
        for picture in pictures {
            for size in ["small", "large"] {
                let path = try #require(picture[size]?.string)
                let handle = try #require(path.hasPrefix("/v1/artwork/") ? path.dropFirst(12) : nil)
                let opened = try #require(larder.daemon.artworkSigner.open(handle))
                #expect(opened.url.hasPrefix(origin.root + "/"), "\(opened.url)")
            }
        }
        for picture in pictures.prefix(3) {
            let path = try #require(picture["small"]?.string)
            let answer = try await larder.get(path)
            #expect(answer.status == 200, "\(answer)")
            #expect(answer["Content-Type"]?.hasPrefix("image/") == true, "\(answer)")
            #expect(answer.body.count > 50)
            let again = try await larder.get(path)
            #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
            #expect(again.body == answer.body)
        }
    }

    /// The number of picture requests. Pictures of D&D records are below the same base URL.
    private func pictures(_ origin: OriginServer, _ recording: Recording) -> Int {
        origin.requests(to: "/only/\(recording.file)/api/images/")
    }

    /// Whether the record's picture is a picture. A few records name something else.
    private func hasPicture(_ record: JSONValue) -> Bool {
        record["image"]?.string?.hasPrefix("/api/images/") == true
    }

    private func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
