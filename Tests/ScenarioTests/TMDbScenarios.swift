// TMDb through the whole daemon: both kinds of secret and where they must never appear, the refusal of a wrong secret,
// pictures in the configuration's sizes, and the end of the time for which data may be kept.
import LarderCore
import LarderDaemon
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct TMDbScenarios {
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiI5ODc2NTQzMjEwIn0.c2lnbmF0dXJl"

    private func withFilms(
        _ source: OriginSource = .samples, key: String? = TMDbScenarios.key, more: String = "",
        time: any TimeSource = SystemTime(), directory: TemporaryDirectory = TemporaryDirectory(),
        log: Logger = .silent, _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let standIn = StandIn(
            provider: "tmdb", key: key, more: more, time: time, directory: directory, log: log)
        try await standIn.run(source, body)
    }

    @Test func filmsSeriesAndPeopleAreFound() async throws {
        try await withFilms { larder, origin in
            #expect(
                try await larder.titles("/v1/tmdb/search?q=lantern")
                    == ["The Lantern Keeper", "Lanterns over Oslo", "The Lantern Room", "Ines Lantern"])
            #expect(origin.requests(to: "/tmdb/3/configuration") == 1 && origin.requests(to: "/tmdb/3/search") == 1)
            let same = try await larder.get("/v1/search?q=lantern&source=tmdb")
            #expect(same["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(same)")
            #expect(try await larder.titles("/v1/search?q=lantern&source=tmdb&category=tv") == ["The Lantern Room"])
            #expect(try await larder.titles("/v1/tmdb/search/person?q=lantern") == ["Ines Lantern"])
            #expect(try await larder.titles("/v1/tmdb/search?q=nothing-like-it").isEmpty)
            #expect(try await larder.titles("/v1/tmdb/movie/popular?sort=name&limit=2").count == 2)
            #expect(try await larder.titles("/v1/tmdb/tv/top-rated").count == 2)
            #expect(try await larder.titles("/v1/tmdb/person/popular").count == 2)
            for list in ["now-playing", "upcoming", "top"] {
                #expect(try await larder.titles("/v1/tmdb/movie/\(list)?region=de&language=de").count == 4)
            }
            #expect(origin.requests(to: "/tmdb/3/genre/movie/list") == 1, "names of genres are kept for long")
            let german = try #require(await larder.get("/v1/tmdb/movie/top?region=de&language=de").results().first)
            #expect(german["genres"]?.elements.allSatisfy { $0.string?.hasSuffix(" (de)") == true } == true)
            #expect(try await larder.titles("/v1/tmdb/genres/tv").count == 2)
            #expect(try await larder.titles("/v1/tmdb/trending/all/week").count == 8)
            #expect(origin.requests(to: "/tmdb/3/configuration") == 1, "the configuration is kept for long")

            let film = try #require(await larder.get("/v1/tmdb/movie/101?append=credits&language=de").results().first)
            #expect(film["creator"]?.string == "Tomasz Brandt" && film["genres"]?.count == 2)
            #expect(origin.log(of: "/tmdb/3/movie/101").last?.parameters("append_to_response") == "credits")
            #expect(try await larder.get("/v1/tmdb/movie/999").status == 404)
            #expect(try await larder.get("/v1/tmdb/person/301").status == 200)
            #expect(try await larder.get("/v1/tmdb/configuration").results().count == 1)
            #expect(origin.requests(to: "/tmdb/3/configuration") == 1)

            // Pictures come by handle from the place that the API's configuration names.
            let poster = try #require(film["artwork"]?["small"]?.string)
            let opened = try #require(larder.daemon.artworkSigner.open(poster.dropFirst("/v1/artwork/".count)))
            #expect(opened.url == "\(origin.root)/artwork/image.tmdb.org/t/p/w154/film-101.jpg")
            let picture = try await larder.get(poster)
            #expect(picture.status == 200 && picture["Content-Type"] == "image/jpeg", "\(picture)")
            #expect(try await larder.get(poster)["Cache-Status"]?.hasPrefix("larder; hit") == true)
        }
    }

    @Test func withoutTheConfigurationTheKnownSizesWillDo() async throws {
        try await withFilms { larder, origin in
            origin.script("/tmdb/3/configuration", Array(repeating: .status(500), count: 5))
            let film = try #require(await larder.get("/v1/tmdb/movie/101").results().first)
            #expect(film["artwork"]?["original"]?.string == "https://image.tmdb.org/t/p/original/film-101.jpg")
        }
    }

    // MARK: Secrets

    @Test(arguments: [TMDbScenarios.key, TMDbScenarios.token])
    func eachSecretTravelsWhereItBelongsAndIsFoundNowhere(_ secret: String) async throws {
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let directory = TemporaryDirectory()
        try await withFilms(key: secret, directory: directory, log: log) { larder, origin in
            var seen: [WireResponse] = []
            for target in [
                "/v1/tmdb/search?q=lantern", "/v1/tmdb/movie/101", "/raw/tmdb/3/movie/popular?page=1",
                "/raw/tmdb/3/movie/popular?api_key=another", "/v1/tmdb/movie/999", "/v1/status", "/metrics",
            ] {
                seen.append(try await larder.get(target))
            }
            // With a secret in the query no redirect is followed, and a response that repeats the secret is dropped.
            origin.script("/tmdb/3/movie/102", [secret.contains(".") ? .closed : .answer(echo(secret)), .closed])
            for _ in 1...2 { seen.append(try await larder.get("/raw/tmdb/3/movie/102")) }
            seen.append(try await larder.get("/v1/explain/\(seen[0]["X-Request-Id"] ?? "")"))
            #expect(origin.requests(to: "/tmdb/3/elsewhere") == 0)
            for request in origin.log(of: "/tmdb/3") {
                let isToken = secret.contains(".")
                #expect(request.fields.first("Authorization") == (isToken ? "Bearer \(secret)" : nil))
                #expect(request.parameters("api_key") == (isToken ? nil : secret))
            }
            for answer in seen {
                #expect(!"\(answer)".contains(secret) && !answer.text.contains(secret), "\(answer)")
            }
        }
        #expect(!lines.withLock { $0 }.contains(secret))
        for name in ["cache/cache.db", "state/state.db"] {
            let bytes = try readFile("\(directory.path)/\(name)")
            #expect(!bytes.lossyText.contains(secret), "\(name)")
        }
    }

    /// A server repeats the secret in an address.
    private func echo(_ secret: String) -> OriginAnswer {
        OriginAnswer(status: 302, fields: ["Location": "/tmdb/3/elsewhere?api_key=\(secret)"])
    }

    @Test func withoutAKeyItSaysSoAndAsksNobody() async throws {
        try await withFilms(key: nil) { larder, origin in
            for target in ["/v1/tmdb/search?q=x", "/v1/tmdb/movie/popular", "/raw/tmdb/3/movie/popular"] {
                let answer = try await larder.get(target)
                #expect(answer.status == 503, "\(answer)")
                #expect(try answer.json()["class"]?.string == "notConfigured")
            }
            #expect(origin.requests(to: "/tmdb") == 0)
            // A client may send its own secret, of either kind.
            let own = try await larder.get("/raw/tmdb/3/movie/popular?api_key=\(Self.key)")
            #expect(own.status == 200, "\(own)")
            #expect(origin.log(of: "/tmdb").last?.parameters("api_key") == Self.key)
            let bearer = try await larder.get("/raw/tmdb/3/movie/popular", ("Authorization", "Bearer \(Self.token)"))
            #expect(bearer.status == 200, "\(bearer)")
            #expect(origin.log(of: "/tmdb").last?.fields.first("Authorization") == "Bearer \(Self.token)")
        }
    }

    @Test func aWrongKeyIsRefusedOnceAndTheProviderRests() async throws {
        try await withFilms { larder, origin in
            let body = Bytes(
                text: #"{"status_code":7,"status_message":"Invalid API key: You must be granted a valid key."}"#)
            let refusal = OriginAnswer(
                status: 401, fields: ["Content-Type": "application/json;charset=utf-8"], body: body)
            origin.script("/tmdb", Array(repeating: .answer(refusal), count: 50))
            let first = try await larder.get("/v1/tmdb/search?q=lantern")
            #expect(first.status == 502, "\(first)")
            #expect(try first.json()["class"]?.string == "refused")
            #expect(try first.json()["detail"]?.string?.contains("Invalid API key") == true)
            let calls = origin.requests(to: "/tmdb")
            #expect(calls <= 2, "the question and its aid")
            let second = try await larder.get("/v1/tmdb/movie/popular")
            #expect(second.status == 503, "\(second)")
            #expect(origin.requests(to: "/tmdb") == calls, "it rests")
            let partial = try await larder.get("/v1/search?q=lantern&source=tmdb")
            #expect(partial.status != 200)
        }
    }

    // MARK: Offline and the end

    @Test func offlineWhatIsStoredAnswersAndAfterSixMonthsNothingIsLeft() async throws {
        let time = ManualTime()
        let directory = TemporaryDirectory()
        try await withFilms(more: "staleFor: 365d", time: time, directory: directory) { larder, origin in
            let first = try await larder.get("/v1/tmdb/movie/101")
            let poster = try #require(first.results().first?["artwork"]?["small"]?.string)
            #expect(try await larder.get(poster).status == 200)
            #expect(try await larder.get("/raw/tmdb/3/movie/popular").status == 200)
            origin.script("/", Array(repeating: .closed, count: 10_000))
            time.advance(by: .seconds(170 * 86_400))
            let stale = try await larder.get("/v1/tmdb/movie/101")
            #expect(try stale.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true, "\(stale)")
            #expect(try await larder.get("/raw/tmdb/3/movie/popular").status == 200)

            time.advance(by: .seconds(11 * 86_400))
            let gone = try await larder.get("/v1/tmdb/movie/101")
            #expect(gone.status != 200, "\(gone)")
            #expect(try await larder.get(poster).status != 200)
        }
        // The rows are removed too, although nothing needs the room: at a daemon's start, and every hour.
        try await withFilms(time: time, directory: directory) { larder, _ in
            try await larder.eventually("an empty store") {
                let status = try await larder.get("/v1/status").json()
                return status["store"]?["entries"]?.integer == 0
            }
        }
    }

    // MARK: Recordings

    @Test(.enabled(if: !Recording.all.isEmpty))
    func everyRecordingPassesThroughTheDaemon() async throws {
        let plain = try Recording.plain.get()
        let recordings = plain.recordings.filter { $0.api == "tmdb" }
        #expect(recordings.count == 14)
        let sizes = try readFile("\(Recording.folder)/tmdb/configuration.json")
        for recording in recordings {
            let bytes = try readFile("\(Recording.folder)/\(recording.file)")
            let source = OriginSource.custom { request in
                let isAid = request.path == "/tmdb/3/configuration"
                return OriginAnswer(
                    status: isAid ? 200 : recording.status,
                    fields: ["Content-Type": "application/json;charset=utf-8"], body: isAid ? sizes : bytes)
            }
            try await withFilms(source, more: "rate: off") { larder, origin in
                let raw = try await larder.get("/raw/tmdb\(recording.path)?\(recording.query)")
                #expect(raw.status == recording.status, "\(recording.file): \(raw)")
                let isRewritten = recording.path == "/3/configuration"
                #expect(raw.body == bytes || isRewritten, "\(recording.file)")
                guard recording.status == 200 else {
                    let typed = try await larder.get("/v1/tmdb/search?q=anything")
                    #expect(typed.status == (recording.status == 401 ? 503 : 400), "\(recording.file): \(typed)")
                    return
                }
                let again = try await larder.get("/raw/tmdb\(recording.path)?\(recording.query)")
                #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
                let words = ["images", "latest", "company"]
                guard !words.contains(where: { recording.path.contains($0) }) else { return }
                let query = recording.path.contains("search") ? "?q=anything" : ""
                let target = recording.path.replacing("/3/", with: "/v1/tmdb/") + query
                let first = try await larder.get(target)
                let root = try JSON.parse(bytes)
                #expect(try first.results().count == root["results"]?.count ?? 1, "\(recording.file): \(first)")
                let second = try await larder.get(target)
                #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true && second.body == first.body)
                #expect(origin.requests(to: "/tmdb/3/configuration") <= 1)
            }
        }
    }
}

extension OriginRequest {
    /// The first value of a parameter, or nil.
    fileprivate func parameters(_ name: String) -> String? {
        (try? QueryParameters(parsing: query ?? ""))?[name]
    }
}
