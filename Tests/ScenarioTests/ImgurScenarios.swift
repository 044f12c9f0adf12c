// Imgur through the whole daemon: albums described by their pictures, the client id and where it must never appear,
// both kinds of limit with the stored answers that are served in the meantime, credits that stop calls before the API
// refuses, and removed pictures.
import LarderCore
import LarderDaemon
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct ImgurScenarios {
    private static let key = "0a1b2c3d4e5f6a7"

    private func withImgur(
        _ source: OriginSource = .samples, key: String? = ImgurScenarios.key, more: String = "",
        time: any TimeSource = SystemTime(), directory: TemporaryDirectory = TemporaryDirectory(),
        log: Logger = .silent, _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let standIn = StandIn(
            provider: "imgur", key: key, more: more, time: time, directory: directory, log: log)
        try await standIn.run(source, body)
    }

    private func withImgur(
        _ origin: OriginServer, time: any TimeSource = SystemTime(),
        directory: TemporaryDirectory = TemporaryDirectory(), _ body: (RunningLarder) async throws -> Void
    ) async throws {
        try await StandIn(provider: "imgur", key: Self.key, time: time, directory: directory).run(at: origin, body)
    }

    private func source(_ answer: WireResponse) throws -> JSONValue? {
        try answer.json()["sources"]?.elements.first { _ in true }
    }

    /// The provider's member in `/v1/status`.
    private func status(_ larder: RunningLarder) async throws -> JSONValue {
        let all = try await larder.get("/v1/status").json()["providers"]
        return try #require(all?.elements.first { $0["name"]?.string == "imgur" })
    }

    private func refusal(_ status: Int, _ message: String, _ fields: HeaderFields = [:]) -> Fault {
        var answer = OriginAnswer(
            status: status, fields: fields,
            body: Bytes(text: #"{"data":{"error":"\#(message)"},"success":false,"status":\#(status)}"#))
        answer.fields.set("Content-Type", "application/json")
        return .answer(answer)
    }

    // MARK: Questions

    @Test func postsAreToldByTheirPictures() async throws {
        try await withImgur { larder, origin in
            let found = try await larder.get("/v1/search?q=lantern&source=imgur")
            let results = try found.results()
            #expect(
                results.compactMap { $0["id"]?.string }
                    == ["LmpA001", "LmpB001", "LmpB002", "LmpB003", "LmpGif3", "LmpC001"].map { "imgur:image:\($0)" })
            #expect(results[1]["title"]?.string == "How to make a paper lantern", "the album's, for want of its own")
            #expect(results[1]["attributes"]?["albumId"]?.string == "LmpAlb2")
            #expect(results[5]["attributes"]?["albumImages"]?.integer == 2, "told by its cover alone")
            let bandwidth = try #require(results[1]["attributes"]?["bandwidth"]?.integer)
            #expect(bandwidth > Int(Int32.max))
            let same = try await larder.get("/v1/imgur/search?q=lantern&sort=time&page=1")
            #expect(same["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(same)")
            let raw = try await larder.get("/raw/imgur/3/gallery/search?q=lantern&client_id=another")
            #expect(raw["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(raw)")
            #expect(origin.requests(to: "/imgur/") == 1)

            #expect(try await larder.titles("/v1/search?q=lantern&source=imgur&category=albums").count == 4)
            #expect(try await larder.titles("/v1/search?q=lantern&source=imgur&category=gifs").count == 1)
            #expect(
                try await larder.titles("/v1/imgur/search?q=lantern&limit=2&sort=name").first == "A lantern in the fog"
            )
            #expect(try await larder.titles("/v1/imgur/search?q=lantern&page=2").isEmpty)
            #expect(try await larder.titles("/v1/imgur/gallery?section=top&window=week").count == 8)
            #expect(try await larder.titles("/v1/imgur/gallery?explicit=no").count == 7)
            #expect(try await larder.titles("/v1/imgur/tag/lantern").count == 4)
            #expect(try await larder.titles("/v1/imgur/r/pics?sort=top&window=all") == ["A lantern in the fog"])
            #expect(try await larder.titles("/v1/imgur/image/LmpB002") == ["Two: the fold"])
            #expect(try await larder.titles("/v1/imgur/album/LmpAlb4").count == 2)
            #expect(try await larder.titles("/v1/imgur/tags") == ["Lantern", "Octopus", "Cats"])
            #expect(try await larder.get("/v1/imgur/credits").results()[0]["attributes"]?["clientRemaining"] != nil)
            #expect(try await larder.get("/v1/imgur/image/nothing").status == 404)
            #expect(try await larder.get("/v1/imgur/search?q=x&window=day").status == 400)

            let film = try #require(await larder.get("/v1/imgur/image/OctoP01").results().first)
            #expect(film["attributes"]?["mp4"]?.string == "https://i.imgur.com/OctoP01.mp4")
            let small = try #require(results[0]["artwork"]?["small"]?.string)
            let opened = try #require(larder.daemon.artworkSigner.open(small.dropFirst("/v1/artwork/".count)))
            #expect(opened.url == "\(origin.root)/artwork/i.imgur.com/LmpA001t.jpg")
            let picture = try await larder.get(small)
            #expect(picture.status == 200 && picture["Content-Type"] == "image/jpeg", "\(picture)")
            #expect(origin.log(of: "/artwork").allSatisfy { !$0.fields.contains("Referer") })
        }
    }

    // MARK: The client id

    @Test func theClientIDTravelsInItsFieldAndIsFoundNowhere() async throws {
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let directory = TemporaryDirectory()
        try await withImgur(directory: directory, log: log) { larder, origin in
            origin.script("/imgur/3/image/blocked", [refusal(403, "Invalid client_id \(Self.key.prefix(3))")])
            var seen: [WireResponse] = []
            for target in [
                "/v1/imgur/gallery", "/raw/imgur/3/gallery/search?q=cat&client_id=another", "/v1/imgur/image/nothing",
                "/v1/imgur/image/blocked", "/v1/status", "/metrics",
            ] {
                seen.append(try await larder.get(target))
            }
            // The refusal has a question that succeeded asked once more.
            try await larder.eventually("five calls were made") { origin.log(of: "/imgur/").count == 5 }
            let calls = origin.log(of: "/imgur/")
            for call in calls {
                #expect(
                    call.fields.first("Authorization") == "Client-ID \(Self.key)" && call.query?.contains("id=") != true
                )
            }
            for answer in seen { #expect(!"\(answer)".contains(Self.key) && !answer.text.contains(Self.key)) }
        }
        #expect(!lines.withLock { $0 }.contains(Self.key))
        for name in ["cache/cache.db", "state/state.db"] {
            #expect(try !readFile("\(directory.path)/\(name)").lossyText.contains(Self.key), "\(name)")
        }
    }

    @Test func withoutOneItSaysSoAndAsksNobody() async throws {
        try await withImgur(key: nil) { larder, origin in
            for target in ["/v1/imgur/search?q=x", "/v1/search?q=x&source=imgur", "/raw/imgur/3/gallery"] {
                let answer = try await larder.get(target)
                #expect(answer.status == 503, "\(answer)")
                #expect(try answer.json()["class"]?.string == "notConfigured")
                #expect(try answer.json()["detail"]?.string?.contains("Client-ID") == true)
            }
            #expect(try await status(larder)["state"]?.string == "notConfigured")
            #expect(origin.requests(to: "/imgur/") == 0)
            // A client may send its own credential, of either kind. An answer to a token is only for that account.
            let own = try await larder.get("/raw/imgur/3/gallery?client_id=mine")
            #expect(own.status == 200, "\(own)")
            #expect(origin.log(of: "/imgur/").last?.fields.first("Authorization") == "Client-ID mine")
            for _ in 1...2 {
                let bearer = try await larder.get("/raw/imgur/3/gallery", ("Authorization", "Bearer token"))
                #expect(bearer.status == 200 && bearer["Cache-Status"]?.contains("fwd=bypass") == true, "\(bearer)")
                #expect(origin.log(of: "/imgur/").last?.fields.first("Authorization") == "Bearer token")
            }
            #expect(origin.requests(to: "/imgur/") == 3)
        }
    }

    @Test func aBlockedClientIDIsSaidClearlyAndTheProviderRests() async throws {
        // The provider rests for seconds only. The clock stands still, so that it rests until the end of the test.
        try await withImgur(time: ManualTime()) { larder, origin in
            origin.script("/imgur", Array(repeating: refusal(403, "Invalid client_id"), count: 50))
            let first = try await larder.get("/v1/imgur/search?q=lantern")
            #expect(first.status == 502, "\(first)")
            #expect(try first.json()["class"]?.string == "refused")
            #expect(try first.json()["detail"]?.string?.contains("Invalid client_id") == true)
            #expect(try await larder.get("/v1/imgur/gallery").status == 503)
            #expect(origin.requests(to: "/imgur/") == 1, "it rests")
        }
    }

    // MARK: Limits

    /// The 429 comes from the API itself. "Over capacity" is a limit of the address and comes as a refusal.
    @Test(arguments: [(429, 1800), (403, 3600)])
    func aLimitSuspendsUntilItsEndAndWhatIsStaleIsServed(_ code: Int, _ seconds: Int64) async throws {
        let time = ManualTime()
        try await withImgur(time: time) { larder, origin in
            let first = try await larder.get("/v1/imgur/search?q=lantern")
            #expect(try first.results().count == 6)
            time.advance(by: .seconds(3600))
            let spent: HeaderFields = ["X-RateLimit-UserRemaining": "0", "X-RateLimit-UserReset": "1800"]
            let fault =
                code == 429
                ? refusal(429, "Too Many Requests", spent)
                : refusal(403, "Imgur is temporarily over capacity. Please try again later.")
            origin.script("/imgur", Array(repeating: fault, count: 100))
            let stale = try await larder.get("/v1/imgur/search?q=lantern")
            #expect(try source(stale)?["stale"]?.bool == true, "\(stale)")
            #expect(try stale.results().count == 6)
            try await larder.eventually("it is suspended") {
                try await status(larder)["state"]?.string == "suspended"
            }
            let state = try await status(larder)
            #expect(state["suspensionReason"]?.string == "limited")
            let until = try #require(state["suspendedUntil"]?.string)
            #expect(until >= (time.wall() + .seconds(seconds)).rfc3339, "\(until)")
            #expect(origin.requests(to: "/imgur/") == 2)
            for _ in 1...5 {
                let again = try await larder.get("/v1/imgur/search?q=lantern")
                #expect(try source(again)?["stale"]?.bool == true)
            }
            let other = try await larder.get("/v1/imgur/gallery")
            #expect(other.status == 429, "\(other)")
            #expect(try other.json()["class"]?.string == "limited" && other["Retry-After"] != nil)
            #expect(origin.requests(to: "/imgur/") == 2, "it rests")

            origin.clearScripts()
            time.advance(by: .seconds(seconds * 11 / 10 + 60))
            #expect(try await larder.titles("/v1/imgur/gallery").count == 8)
            #expect(try await status(larder)["state"]?.string == "ready")
        }
    }

    @Test func creditsEndTheCallsBeforeTheAPIRefuses() async throws {
        let time = ManualTime()
        let directory = TemporaryDirectory()
        let count = Lock(0)
        // Other users share the account. Far fewer calls are left than the calls of this daemon explain.
        let source = OriginSource.custom { request in
            guard request.path.hasPrefix("/imgur/3/image/") else { return nil }
            let left = count.withLock { count in
                count += 1
                return 3 - count
            }
            let id = request.path.split(separator: "/").last.map(String.init) ?? ""
            return OriginAnswer(
                fields: [
                    "Content-Type": "application/json", "X-RateLimit-UserLimit": "500",
                    "X-RateLimit-UserRemaining": "\(left)", "X-RateLimit-UserReset": "600",
                    "X-RateLimit-ClientLimit": "12500", "X-RateLimit-ClientRemaining": "9000",
                ], body: Bytes(text: #"{"data":{"id":"\#(id)"},"success":true,"status":200}"#))
        }
        let origin = try OriginServer(source: source)
        try origin.start()
        defer { origin.stop() }
        try await withImgur(origin, time: time, directory: directory) { larder in
            #expect(try await status(larder)["budget"]?["userCredits"] == nil, "nobody has told yet")
            for id in ["a", "b"] { #expect(try await larder.get("/v1/imgur/image/\(id)").status == 200) }
            let budget = try #require(await status(larder)["budget"])
            #expect(
                budget["userCredits"]?["remaining"]?.integer == 1 && budget["userCredits"]?["limit"]?.integer == 500)
            #expect(budget["userCredits"]?["resetsAt"]?.string == (time.wall() + .seconds(600)).rfc3339)
            #expect(budget["clientCredits"]?["remaining"]?.integer == 9000)
            #expect(budget["rate"]?["remaining"]?.integer == 498, "our own count goes on beside it")
            // An hour's rate is whole again after an hour, although a day's quota is not.
            #expect(budget["rate"]?["resetsAt"]?.string == (time.wall() + .seconds(3600)).rfc3339)
            #expect(budget["quota"]?["resetsAt"]?.string == (time.wall() + .seconds(86_400)).rfc3339)
            #expect(try await larder.get("/v1/imgur/image/c").status == 200)
            #expect(try await status(larder)["state"]?.string == "budgetSpent")
            let refused = try await larder.get("/v1/imgur/image/d")
            #expect(refused.status == 429 && refused["Retry-After"] != nil, "\(refused)")
            #expect(origin.requests(to: "/imgur/") == 3)
        }
        // A restart does not forget the limit either.
        try await withImgur(origin, time: time, directory: directory) { larder in
            let refused = try await larder.get("/v1/imgur/image/d")
            #expect(refused.status == 429, "\(refused)")
            #expect(try await larder.get("/v1/imgur/image/a").status == 200, "what is stored costs nothing")
            #expect(origin.requests(to: "/imgur/") == 3)
            time.advance(by: .seconds(601))
            #expect(try await larder.get("/v1/imgur/image/d").status == 200)
            #expect(origin.requests(to: "/imgur/") == 4)
        }
    }

    // MARK: Removed pictures

    @Test func aRemovedPictureIsAbsentAndNeverKept() async throws {
        try await withImgur(more: "imageHosts: [i.imgur.com]") { larder, origin in
            let signer = larder.daemon.artworkSigner
            for name in ["Gone001.jpg", "removed.png"] {
                let path = signer.path(provider: "imgur", url: "\(origin.root)/artwork/i.imgur.com/\(name)")
                let before = origin.requests(to: "/artwork/")
                let first = try await larder.get(path)
                #expect(first.status == 404, "\(first)")
                #expect(try first.json()["code"]?.string == "noData" || first.text.contains("noData"), "\(first)")
                let calls = origin.requests(to: "/artwork/") - before
                #expect(calls == (name == "removed.png" ? 1 : 2))
                let second = try await larder.get(path)
                #expect(second.status == 404 && second["Cache-Status"]?.contains("hit") == true, "\(second)")
                #expect(origin.requests(to: "/artwork/") - before == calls, "the absence is remembered")
            }
            let there = signer.path(provider: "imgur", url: "\(origin.root)/artwork/i.imgur.com/LmpA001.jpg")
            #expect(try await larder.get(there).status == 200)
            let elsewhere = signer.path(provider: "imgur", url: "\(origin.root)/artwork/i.imgur.com/notremoved.png")
            #expect(try await larder.get(elsewhere).status == 200)
        }
    }

    // MARK: Recordings

    static let recordings = Recording.indexed(["imgur"])

    @Test(.enabled(if: !recordings.isEmpty))
    func everyRecordingPassesThroughTheDaemon() async throws {
        let all = try Recording.plain.get().recordings.filter { $0.api == "imgur" }
        #expect(all.count == Self.recordings.count && all.count == 12)
        #expect(all.contains { $0.path == "/3/album/HtAOg" })
        // Six recordings are of requests that change something, which are no reads.
        #expect(all.count { $0.method != .get } == 6)
        // Answers for an account need a sign-in: see AccountScenarios.
        for recording in all where !recording.path.contains("/account/") {
            // This path was recorded with "{deletehash}" in it.
            let path = recording.path.replacing("{", with: "%7B").replacing("}", with: "%7D")
            let bytes = try readFile("\(Recording.folder)/\(recording.file)")
            let origin = try OriginServer(
                source: .custom { _ in
                    OriginAnswer(
                        status: recording.status, fields: ["Content-Type": "application/json"], body: bytes)
                })
            try origin.start()
            defer { origin.stop() }
            // The clock stands still, so that a provider that refused rests until the end of the test.
            try await withImgur(origin, time: ManualTime()) { larder in
                let raw = try await larder.get("/raw/imgur\(path)")
                #expect(raw.status == recording.status, "\(recording.file): \(raw)")
                #expect(raw.body == bytes, "\(recording.file)")
                if recording.status < 400, recording.method == .get {
                    let again = try await larder.get("/raw/imgur\(path)")
                    #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
                }
                guard recording.method == .get else { return }
                try await expectTyped(recording, bytes, larder)
            }
        }
    }

    private func expectTyped(_ recording: RecordedRequest, _ bytes: Bytes, _ larder: RunningLarder) async throws {
        let isList = recording.path.hasPrefix("/3/gallery")
        let target = isList ? "/v1/imgur/gallery?page=2" : recording.path.replacing("/3/", with: "/v1/imgur/")
        let first = try await larder.get(target)
        switch recording.status {
        case 403:
            // The raw request was refused just now, so the provider rests.
            #expect(first.status == 503, "\(first)")
            return
        case 404:
            #expect(first.status == 404, "\(first)")
            return
        default: break
        }
        let results = try first.results()
        let data = try #require(JSON.parse(bytes)["data"])
        let dropped = try source(first)?["dropped"]?.integer ?? 0
        let records = isList ? data.count : data["images"]?.count ?? 1
        #expect(results.count + dropped == records && dropped == 0, "\(recording.file): \(results.count), \(dropped)")
        for result in results {
            #expect(result["id"]?.string?.hasPrefix("imgur:image:") == true)
            #expect(result["title"]?.string?.isEmpty == false)
            #expect(result["url"]?.string?.hasPrefix("https://imgur.com/") == true)
            #expect(result["artwork"]?["original"]?.string?.hasPrefix("https://i.imgur.com/") == true)
            #expect(result["publishedAt"]?.string?.hasPrefix("2014-03-2") == true)
            for member in result.members { #expect(!member.value.isNull && member.value.string != "") }
        }
        #expect(!first.text.contains("http://i.imgur.com"), "old links are upgraded")
        let second = try await larder.get(target)
        #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true && second.body == first.body)
    }
}
