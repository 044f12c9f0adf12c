// TMDb: its errors, whole records of every kind, pictures from the configuration, and its two kinds of credentials.
import LarderCore
@testable import LarderProviders
import Testing

@Suite struct TMDbTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    private func answer(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    /// Walks the plan of a question with its response and, if given, the configuration's response.
    private func results(
        _ route: String, _ response: UpstreamResponse, configuration: CallOutcome = .absent, genres: [CallOutcome] = []
    ) throws -> NormalisedAnswer {
        let question = try endpoint(route)
        guard var plan = question.plan else { return try question.normalise(response, signer) }
        guard case .fetch(let calls) = try plan.next([], signer) else {
            throw NormaliseError(provider: "", message: "")
        }
        #expect(calls.map(\.role) == [.subject, .aid] + genres.map { _ in .aid })
        #expect(calls.first?.request == question.upstream)
        #expect(calls.dropFirst().first?.request.target == "/3/configuration")
        for call in calls { #expect(SpecProvider(.tmdb).endpointName(for: call.request) == call.endpoint) }
        guard case .done(let answer) = try plan.next([.answered(response), configuration] + genres, signer) else {
            throw NormaliseError(provider: "", message: "The plan did not end.")
        }
        return answer
    }

    @Test(arguments: [
        (200, "search", #"{"page":1,"results":[],"total_results":0}"#, "empty"),
        (200, "list", #"{"page":1,"results":[{}]}"#, "data"), (200, "list", #"{"page":1}"#, "broken"),
        (200, "details", #"{"id":5}"#, "data"), (200, "details", "{}", "broken"),
        (200, "configuration", #"{"images":{"base_url":"http://a/"}}"#, "data"), (200, "configuration", "[]", "broken"),
        (200, "other", "anything", "data"), (200, "search", "<html>", "broken"), (200, "search", "", "broken"),
        (401, "search", #"{"status_code":7,"status_message":"Invalid API key"}"#, "refused"),
        (401, "search", #"{"success":false,"status_code":10,"status_message":"Suspended"}"#, "refused"),
        (200, "search", #"{"success":false,"status_code":7,"status_message":"under 200"}"#, "refused"),
        (401, "search", "", "refused"), (403, "search", "<html>", "refused"),
        (401, "other", #"{"success":false,"status_code":7,"status_message":"m"}"#, "refused"),
        (401, "other", #"{"success":false,"status_code":3,"status_message":"m"}"#, "invalidRequest"),
        (401, "other", #"{"success":false,"status_code":36,"status_message":"m"}"#, "invalidRequest"),
        (401, "other", #"{"success":false,"status_code":39,"status_message":"m"}"#, "invalidRequest"),
        (401, "search", #"{"success":false,"status_code":3,"status_message":"m"}"#, "refused"),
        (404, "details", #"{"success":false,"status_code":34,"status_message":"m"}"#, "notFound"),
        (404, "details", "", "broken"), (404, "details", #"{"error":"no route"}"#, "broken"),
        (404, "list", #"{"success":false}"#, "broken"), (200, "list", #"{"results":[7]}"#, "broken"),
        (404, "details", #"{"success":false,"status_code":77,"status_message":"m"}"#, "notFound"),
        (400, "list", #"{"success":false,"status_code":22}"#, "invalidRequest"),
        (422, "search", #"{"errors":["query must be provided"]}"#, "invalidRequest"),
        (422, "other", #"{"status_code":20,"status_message":"m","success":false}"#, "invalidRequest"),
        (429, "search", #"{"status_code":25,"status_message":"m"}"#, "limited"), (429, "search", "", "limited"),
        (500, "search", #"{"status_code":11,"status_message":"m"}"#, "broken"),
        (503, "search", #"{"status_code":9,"status_message":"m"}"#, "broken"), (504, "search", "", "broken"),
        (418, "search", #"{"status_code":999,"status_message":"m"}"#, "invalidRequest"), (302, "search", "", "broken"),
    ])
    func theCodeInTheBodyCounts(_ status: Int, _ endpoint: String, _ body: String, _ word: String) {
        #expect(SpecProvider(.tmdb).classify(answer(status, body), endpoint: endpoint).word == word)
    }

    @Test(arguments: Recording.all.filter { $0.api == "tmdb" })
    func recordingIsClassifiedAndKeptWhole(_ recording: Recording) throws {
        let provider = SpecProvider(.tmdb)
        let response = try recording.response()
        let request = UpstreamRequest(path: recording.path)
        let name = provider.endpointName(for: request)
        let classification = provider.classify(response, endpoint: name)
        switch recording.status {
        case 401:
            return #expect(classification == .refused("Invalid API key: You must be granted a valid key."))
        case 422: return #expect(classification.word == "invalidRequest")
        default: #expect(classification == .data)
        }
        guard name != "other" else { return }
        let route = recording.path.replacing("/3/", with: "tmdb/") + (name == "search" ? "?q=x" : "")
        let found = try results(route, response)
        try expectWhole(found, from: recording.count ?? 1, provider: "tmdb", signer: signer)
        #expect(found.dropped == 0, "\(found.droppedReasons)")
        let raw = try JSON.parse(response.body)
        let records = raw["results"].map { Array($0.elements) } ?? [raw]
        for (record, result) in zip(records, try JSON.parse(found.results).elements) where name != "configuration" {
            let path = record["poster_path"]?.string ?? record["backdrop_path"]?.string
            #expect((result["artwork"] != nil) == (path != nil), "\(record["title"]?.string ?? "-")")
            let date = record["release_date"]?.string ?? record["first_air_date"]?.string ?? ""
            #expect(result["publishedAt"]?.string?.prefix(10) == (date.isEmpty ? nil : date.prefix(10)))
        }
    }

    @Test func everyKindIsReadAndUnknownOnesAreCounted() throws {
        let body = #"""
            {"page":1,"total_results":900,"results":[
            {"media_type":"movie","id":1,"title":"A","original_title":"B","overview":"","release_date":"","poster_path":null,
             "backdrop_path":"/w.jpg","genre_ids":[28,99999],"vote_average":7.50,"vote_count":3,"adult":true},
            {"media_type":"tv","id":2,"name":"C","first_air_date":"2020-01-02","poster_path":"/p.jpg","origin_country":["DE"]},
            {"media_type":"person","id":3,"name":"D","profile_path":"/q.png","known_for_department":"Acting",
             "known_for":[{"media_type":"movie","id":8,"title":"E"},{"media_type":"tv","id":9,"name":"F"}]},
            {"media_type":"collection","id":4,"title":"G","original_title":"GG","poster_path":"/logo.svg"},{"media_type":"game","id":5,"name":"H"},
            {"id":6,"title":"I"},{"id":7,"name":"J","first_air_date":"2001-01-01"},{"media_type":"movie","title":"K"}]}
            """#
        let found = try results("tmdb/search?q=x", answer(200, body))
        #expect(
            found.count == 6 && found.droppedReasons == ["kind": 1, "id or title": 1] && found.totalUpstream == 900)
        let all = Array(try JSON.parse(found.results).elements)
        #expect(
            all.compactMap { $0["id"]?.string } == [
                "tmdb:movie:1", "tmdb:series:2", "tmdb:person:3", "tmdb:collection:4", "tmdb:movie:6", "tmdb:series:7",
            ])
        #expect(all[0]["summary"] == nil && all[0]["publishedAt"] == nil)
        #expect(all[0]["genres"]?.elements.compactMap(\.string) == ["Action"])
        #expect(all[0]["attributes"]?["originalTitle"]?.string == "B")
        #expect(all[0]["attributes"]?["voteAverage"]?.numberText == "7.5")
        #expect(all[0]["artwork"]?["original"]?.string == "https://image.tmdb.org/t/p/original/w.jpg")
        #expect(all[1]["url"]?.string == "https://www.themoviedb.org/tv/2")
        #expect(all[2]["attributes"]?["knownFor"]?.elements.compactMap(\.string) == ["E", "F"])
        #expect(
            all[2]["attributes"]?["knownForIds"]?.elements.compactMap(\.string) == ["tmdb:movie:8", "tmdb:series:9"])
        #expect(all[3]["artwork"] == nil, "a drawing is no picture here")
        #expect(all[3]["title"]?.string == "G" && all[3]["attributes"]?["originalTitle"]?.string == "GG")
    }

    /// The URL that a handle leads to.
    private func opened(_ artwork: JSONValue?, _ size: String = "small") throws -> String {
        let path = try #require(artwork?[size]?.string)
        return try #require(signer.open(path.dropFirst("/v1/artwork/".count))).url
    }

    @Test func backdropsAndPicturesInsideARecordAreHandlesToo() throws {
        let list = answer(
            200, #"{"results":[{"id":1,"title":"A","poster_path":"/p.jpg","backdrop_path":"/w.jpg"}]}"#)
        let film = try #require(JSON.parse(results("tmdb/movie/popular", list).results).elements.first { _ in true })
        #expect(try opened(film["attributes"]?["backdrop"]) == "https://image.tmdb.org/t/p/w300/w.jpg")
        let record = answer(
            200,
            #"""
            {"id":1,"title":"A","poster_path":"/p.jpg","backdrop_path":"/w.jpg",
            "credits":{"cast":[{"name":"X","profile_path":"/x.jpg"},{"name":"Y","profile_path":null}]},
            "images":{"backdrops":[{"file_path":"/b.jpg","width":9}]},"production_companies":[{"logo_path":"/l.svg"}]}
            """#)
        let one = try #require(JSON.parse(results("tmdb/movie/1", record).results).elements.first { _ in true })
        let more = try #require(one["attributes"])
        #expect(try opened(more["backdrop"], "large") == "https://image.tmdb.org/t/p/w780/w.jpg")
        #expect(more["backdropPath"]?.string == "/w.jpg")
        let cast = Array(try #require(more["credits"]?["cast"]).elements)
        #expect(cast[0]["profilePath"]?.string == "/x.jpg")
        #expect(try opened(cast[0]["artwork"]) == "https://image.tmdb.org/t/p/w185/x.jpg")
        #expect(cast[0]["artwork"]?["original"]?.string == "https://image.tmdb.org/t/p/original/x.jpg")
        #expect(cast[1]["artwork"] == nil)
        let backdrop = more["images"]?["backdrops"]?.elements.first { _ in true }
        #expect(try opened(backdrop?["artwork"]) == "https://image.tmdb.org/t/p/w300/b.jpg")
        #expect(!one.raw.lossyText.contains("l.svg\",\"artwork"), "a drawing is no picture here")
    }

    @Test func genresAreNamedInTheLanguageThatWasAsked() throws {
        let body = #"{"results":[{"id":1,"title":"A","genre_ids":[28,999]}]}"#
        func names(_ route: String, _ genres: CallOutcome...) throws -> [String]? {
            let found = try results(route, answer(200, body), genres: genres)
            let first = try JSON.parse(found.results).elements.first { _ in true }
            return first?["genres"]?.elements.compactMap(\.string)
        }
        let german = CallOutcome.answered(
            answer(200, #"{"genres":[{"id":28,"name":"Action und Kampf"},{"id":35,"name":null},{"name":"x"}]}"#))
        #expect(try names("tmdb/movie/popular") == ["Action"])
        #expect(try names("tmdb/movie/popular?language=en-GB") == ["Action"])
        #expect(try names("tmdb/movie/popular?language=de", german) == ["Action und Kampf"])
        // Without genre lists there are no genre names, because English names would be wrong. The numbers are always
        // given.
        #expect(try names("tmdb/movie/popular?language=de", .failed(.unreachable)) == nil)
        #expect(try names("tmdb/search/movie?q=a&language=de", .answered(answer(200, "<html>"))) == nil)
        // Mixed kinds need both lists; people need none.
        let question = try endpoint("tmdb/search?q=x&language=pt-BR")
        var plan = try #require(question.plan)
        guard case .fetch(let calls) = try plan.next([], signer) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(
            calls.dropFirst(2).map(\.request.target) == [
                "/3/genre/movie/list?language=pt-BR", "/3/genre/tv/list?language=pt-BR",
            ])
        for call in calls { #expect(SpecProvider(.tmdb).canonical(call.request) == call.request) }
        let people = try endpoint("tmdb/person/popular?language=de")
        var second = try #require(people.plan)
        guard case .fetch(let few) = try second.next([], signer) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(few.count == 2)
    }

    @Test func genresHaveARouteOfTheirOwn() throws {
        let list = answer(200, #"{"genres":[{"id":28,"name":"Action"},{"id":1}]}"#)
        let found = try results("tmdb/genres/movie?language=de", list)
        #expect(found.count == 1 && found.dropped == 1)
        #expect(try endpoint("tmdb/genres/tv").upstream.target == "/3/genre/tv/list")
        #expect(throws: ClientFacingError.self) { try endpoint("tmdb/genres/person") }
        #expect(SpecProvider(.tmdb).classify(list, endpoint: "genres").word == "data")
        #expect(SpecProvider(.tmdb).classify(answer(200, "{}"), endpoint: "genres").word == "broken")
    }

    @Test func sizesOfPicturesComeFromTheConfiguration() throws {
        let record = answer(200, #"{"id":1,"title":"A","poster_path":"/p.jpg"}"#)
        func small(_ configuration: CallOutcome) throws -> [String] {
            let found = try results("tmdb/movie/1", record, configuration: configuration)
            let artwork = try #require(JSON.parse(found.results).elements.first { _ in true }?["artwork"])
            return try ["small", "large"].map { size in
                let path = try #require(artwork[size]?.string)
                return try #require(signer.open(path.dropFirst("/v1/artwork/".count))).url
            }
        }
        let known = ["https://image.tmdb.org/t/p/w154/p.jpg", "https://image.tmdb.org/t/p/w500/p.jpg"]
        #expect(try small(.absent) == known)
        #expect(try small(.failed(.broken)) == known)
        #expect(try small(.answered(answer(200, "<html>"))) == known)
        #expect(try small(.answered(answer(200, #"{"images":{"secure_base_url":"ftp://x/"}}"#))) == known)
        let other = #"""
            {"images":{"base_url":"http://a/","secure_base_url":"https://pictures.example/x",
            "poster_sizes":["original","w999","w200","../..","w10"]}}
            """#
        #expect(
            try small(.answered(answer(200, other)))
                == ["https://pictures.example/x/w200/p.jpg", "https://pictures.example/x/w999/p.jpg"])
        for path in ["p.jpg", "/../p.jpg", "/p q.jpg", "/p.SVG", "//evil.example/p?.jpg"] {
            let odd = answer(200, #"{"id":1,"title":"A","poster_path":"\#(path)"}"#)
            let found = try results("tmdb/movie/1", odd)
            #expect(try JSON.parse(found.results).elements.first { _ in true }?["artwork"] == nil, "\(path)")
        }
    }

    @Test func aRecordKeepsWhatWasAppended() throws {
        let body = #"""
            {"id":9,"title":"A","genres":[{"id":1,"name":"Drama"}],"belongs_to_collection":{"name":"The As"},"tagline":"",
            "imdb_id":"tt1","runtime":90,"homepage":null,"credits":{"cast":[{"name":"X"}],"crew":[{"name":"Y",
            "job":"Director"},{"name":"Z","job":"Editor"}]},"watch/providers":{"results":{"DE":{"link":"l"}}}}
            """#
        let found = try results("tmdb/movie/9?append=credits", answer(200, body))
        let film = try #require(JSON.parse(found.results).elements.first { _ in true })
        #expect(film["creator"]?.string == "Y" && film["collection"]?.string == "The As")
        #expect(film["genres"]?.elements.compactMap(\.string) == ["Drama"])
        let more = try #require(film["attributes"])
        #expect(more["imdbId"]?.string == "tt1" && more["runtime"]?.integer == 90)
        #expect(more["credits"]?["cast"]?.count == 1 && more["tagline"] == nil && more["homepage"] == nil)
        #expect(throws: NormaliseError.self) { try results("tmdb/movie/9", answer(200, #"{"id":9}"#)) }
        #expect(throws: NormaliseError.self) { try results("tmdb/movie/9", answer(200, "<html>")) }
    }

    @Test func aTokenTravelsInAFieldAndAKeyInTheQueryAndNeitherInARequest() {
        let provider = SpecProvider(.tmdb)
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiIxIn0.c2ln"
        let key = "0123456789abcdef0123456789abcdef"
        #expect(provider.credentialFields(key: token) == ["Authorization": "Bearer \(token)"])
        #expect(provider.credentialQuery(key: token).items.isEmpty)
        #expect(provider.credentialFields(key: key).isEmpty)
        #expect(provider.credentialQuery(key: key).items == [.init("api_key", key)])
        let raw = UpstreamRequest(
            path: "/3/search/movie", query: "api_key=\(key)&query=House&page=1&language=en-US",
            fields: ["Authorization": "Bearer \(token)"])
        let canonical = provider.canonical(raw)
        #expect(canonical.target == "/3/search/movie?query=House" && canonical.fields.isEmpty)
        #expect(provider.canonical(canonical) == canonical)
        #expect(provider.about.retention == .seconds(180 * 86_400))
    }

    @Test func damageMakesNeitherATrapNorHalfARecord() throws {
        var dice = SystemRandomNumberGenerator()
        let text = #"""
            {"page":1,"total_results":2,"results":[{"media_type":"movie","id":1,"title":"A &amp; b","release_date":"2001-02-03",
            "poster_path":"/p.jpg","genre_ids":[28],"vote_average":7.5,"vote_count":3},{"media_type":"person","id":3,"name":"D",
            "profile_path":"/q.png","known_for":[{"title":"E"}]}]}
            """#
        for _ in 0..<1500 {
            var body = Bytes(text: text)
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let place = Int.random(in: 0..<body.count, using: &dice)
                if Bool.random(using: &dice) {
                    body[place] = UInt8.random(in: 0x20...0x7E, using: &dice)
                } else {
                    body.remove(at: place)
                }
            }
            var response = answer(200, "")
            response.body = body
            _ = SpecProvider(.tmdb).classify(response, endpoint: "search")
            guard let found = try? results("tmdb/search?q=x", response) else { continue }
            try expectWhole(found, from: nil, provider: "tmdb", signer: signer)
        }
    }
}
