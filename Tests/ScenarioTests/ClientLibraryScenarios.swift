// Real client libraries send their application's key with every request. The place of the key must make no difference.
// The requests are written as the libraries write them: newsapi-python, imgurpython and pyimgur, all of which use the
// library "requests".
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ClientLibraryScenarios {
    private static let imgurKey = "0a1b2c3d4e5f6a7"

    /// The fields that "requests" sends with every request.
    private static let manners = """
        User-Agent: python-requests/2.32.3\r
        Accept-Encoding: gzip, deflate\r
        Accept: */*\r
        Connection: keep-alive\r

        """

    /// One request of a library. Only the host differs from the original bytes.
    private func request(_ target: String, _ fields: String, body: String = "") -> Bytes {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return Bytes(text: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(Self.manners)\(fields)\(length)\r\n\(body)")
    }

    /// newsapi-python sends the bare key.
    private func newsAPI(_ key: String, _ target: String = "/v2/top-headlines?q=rain&language=en&country=us") -> Bytes {
        request("/raw/newsapi\(target)", "Content-Type: Application/JSON\r\nAuthorization: \(key)\r\n")
    }

    /// imgurpython sends its parameters in the query and again as a form.
    private func imgurpython(_ key: String, _ path: String, _ parameters: String = "") -> Bytes {
        guard !parameters.isEmpty else { return request("/raw/imgur/3/\(path)", "Authorization: Client-ID \(key)\r\n") }
        return request(
            "/raw/imgur/3/\(path)?\(parameters)",
            "Authorization: Client-ID \(key)\r\nContent-Type: application/x-www-form-urlencoded\r\n", body: parameters)
    }

    private func expect(_ answer: WireResponse, _ status: String) {
        #expect(answer.status == 200, "\(answer)")
        #expect(answer["Cache-Status"]?.hasPrefix("larder; \(status)") == true, "\(answer)")
    }

    private func news(_ origin: ScriptedOrigin, _ more: String) -> String {
        "providers: { newsapi: { baseURL: \"\(origin.base)\"\(more) } }"
    }

    // MARK: NewsAPI

    @Test func aKeyOfNewsAPIInAuthorizationIsReplacedAndItsAnswerShared() async throws {
        let origin = ScriptedOrigin(answering: ok(MannersScenarios.headlines))
        defer { origin.stop() }
        try await withLarder(news(origin, ", key: our-own-key, quota: 1/day")) { larder in
            expect(try await larder.send(bytes: newsAPI("key-of-the-library")), "fwd=uri-miss")
            expect(try await larder.send(bytes: newsAPI("key-of-the-library")), "hit")
            expect(try await larder.send(bytes: newsAPI("Bearer key-of-another")), "hit")
            let target = "/raw/newsapi/v2/top-headlines?country=us&language=en&q=rain"
            expect(try await larder.get(target), "hit")
            expect(try await larder.get(target, ("X-Api-Key", "key-of-a-third")), "hit")
            expect(try await larder.get(target + "&apiKey=key-of-a-fourth"), "hit")
            #expect(origin.requests.count == 1, "one call of a budget of one")
            let sent = try #require(origin.requests.first)
            #expect(sent.field("X-Api-Key") == "our-own-key")
            #expect(!sent.head.contains("key-of-") && sent.field("Authorization") == nil, "\(sent.head)")
            #expect(try await larder.counter("larder_upstream_calls_total", #"provider="newsapi",class="data""#) == 1)
        }
    }

    @Test func whatALibraryAskedForIsInMemoryForEverybody() async throws {
        let origin = ScriptedOrigin(answering: ok(MannersScenarios.headlines))
        defer { origin.stop() }
        try await withLarder(news(origin, ", key: our-own-key")) { larder in
            expect(try await larder.send(bytes: newsAPI("key-of-the-library")), "fwd=uri-miss")
            expect(try await larder.get("/raw/newsapi/v2/top-headlines?q=rain&language=en&country=us"), "hit")
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="newsapi""#) == 1)
        }
    }

    @Test func aCrowdOfLibrariesIsOneCall() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok(MannersScenarios.headlines))] }
        defer { origin.stop() }
        try await withLarder(news(origin, ", key: our-own-key")) { larder in
            async let first = larder.send(bytes: newsAPI("key-of-one"))
            async let second = larder.send(bytes: newsAPI("key-of-two"))
            async let third = larder.get("/raw/newsapi/v2/top-headlines?q=rain&language=en&country=us")
            try await larder.eventually("two wait for the third's call") {
                try await larder.counter("larder_joined_total") == 2
            }
            gate.open()
            for answer in [try await first, try await second, try await third] {
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func withoutAKeyOfOurOwnAKeyIsTheSameWhereverItStands() async throws {
        let origin = ScriptedOrigin(answering: ok(MannersScenarios.headlines))
        defer { origin.stop() }
        try await withLarder(news(origin, ", quota: off")) { larder in
            expect(try await larder.send(bytes: newsAPI("key-of-the-library")), "fwd=uri-miss")
            #expect(origin.requests.last?.field("X-Api-Key") == "key-of-the-library")
            let target = "/raw/newsapi/v2/top-headlines?country=us&language=en&q=rain"
            expect(try await larder.send(bytes: newsAPI("Bearer key-of-the-library")), "hit")
            expect(try await larder.get(target, ("X-Api-Key", "key-of-the-library")), "hit")
            expect(try await larder.get(target + "&apiKey=key-of-the-library"), "hit")
            #expect(origin.requests.count == 1)
            expect(try await larder.send(bytes: newsAPI("key-of-another")), "fwd=uri-miss")
            #expect(origin.requests.last?.field("X-Api-Key") == "key-of-another", "an answer of one's own key")
            #expect(try await larder.get(target).status == 503, "without any key there is none")
        }
    }

    @Test func whatIsNoKeyOfAnApplicationIsPassedByAndNeverForwardedInPlaceOfOurs() async throws {
        let origin = ScriptedOrigin(answering: ok(MannersScenarios.headlines))
        defer { origin.stop() }
        try await withLarder(news(origin, ", key: our-own-key, quota: off")) { larder in
            for number in 1...2 {
                expect(try await larder.send(bytes: newsAPI("Basic dXNlcjpwYXNz")), "fwd=bypass")
                #expect(origin.requests.count == number)
            }
            let twice = "/raw/newsapi/v2/everything?q=a"
            let answer = try await larder.get(twice, ("Authorization", "key-of-one"), ("Authorization", "key-of-two"))
            expect(answer, "fwd=bypass")
            for sent in origin.requests {
                #expect(sent.field("X-Api-Key") == "our-own-key" && sent.field("Authorization") == nil, "\(sent.head)")
            }
        }
    }

    // MARK: Imgur

    private func imgur(_ body: (ScriptedOrigin, RunningLarder) async throws -> Void) async throws {
        let origin = ScriptedOrigin { request in
            let data =
                switch request.target.split(separator: "/").dropFirst().first {
                case "credits": #"{"UserRemaining":400,"ClientRemaining":12000}"#
                case "image": #"{"id":"AbC1234","link":"https://i.imgur.com/AbC1234.jpg"}"#
                default: "[]"
                }
            return [.send(ok(#"{"data":\#(data),"success":true,"status":200}"#))]
        }
        defer { origin.stop() }
        let settings = "providers: { imgur: { baseURL: \"\(origin.base)\", key: \"\(Self.imgurKey)\" } }"
        try await withLarder(settings) { larder in try await body(origin, larder) }
    }

    @Test func imgurpythonIsAnsweredFromTheCache() async throws {
        try await imgur { origin, larder in
            // The library asks for its credits first, each time a client object is made.
            for status in ["fwd=uri-miss", "hit"] {
                expect(try await larder.send(bytes: imgurpython("id-of-the-library", "credits")), status)
                let search = imgurpython("id-of-the-library", "gallery/search/time/all/0", "q=paper+lantern")
                expect(try await larder.send(bytes: search), status)
            }
            expect(try await larder.get("/raw/imgur/3/gallery/search/time/all/0?q=paper%20lantern"), "hit")
            #expect(origin.requests.count == 2)
            for sent in origin.requests {
                #expect(sent.field("Authorization") == "Client-ID \(Self.imgurKey)", "\(sent.head)")
                #expect(!sent.head.contains("id-of-the-library") && sent.body.isEmpty, "\(sent.head)")
            }
        }
    }

    @Test func aFormThatSaysMoreThanTheQueryIsNotCached() async throws {
        try await imgur { origin, larder in
            for body in ["q=b", "q=a&r=b", "q%ZZ"] {
                let bytes = request(
                    "/raw/imgur/3/gallery/search/time/all/0?q=a",
                    "Authorization: Client-ID x\r\nContent-Type: application/x-www-form-urlencoded\r\n", body: body)
                expect(try await larder.send(bytes: bytes), "fwd=bypass")
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test func pyimgurIsAnsweredFromTheCache() async throws {
        try await imgur { origin, larder in
            for status in ["fwd=uri-miss", "hit"] {
                for target in ["/3/image/AbC1234", "/3/gallery/search/time/month/0?q=cats"] {
                    let bytes = request("/raw/imgur\(target)", "Authorization: Client-ID id-of-the-library\r\n")
                    expect(try await larder.send(bytes: bytes), status)
                }
            }
            expect(try await larder.get("/raw/imgur/3/image/AbC1234?client_id=id-of-another"), "hit")
            #expect(origin.requests.count == 2)
            #expect(origin.requests.allSatisfy { !$0.head.contains("id-of-") })
        }
    }

    /// The configured key replaces the token, so Imgur answers the application, and all clients alike.
    @Test func aTokenOfAnImgurAccountThatTheKeyReplacesSharesWhatIsAboutNoPerson() async throws {
        try await imgur { origin, larder in
            for (target, status) in [
                ("/3/image/AbC1234", "fwd=uri-miss"), ("/3/image/AbC1234", "hit"),
                ("/3/gallery/search/time/month/0?q=cats", "fwd=uri-miss"),
                ("/3/gallery/search/time/month/0?q=cats", "hit"),
            ] {
                let bytes = request("/raw/imgur\(target)", "Authorization: Bearer token-of-a-person\r\n")
                expect(try await larder.send(bytes: bytes), status)
            }
            expect(try await larder.get("/raw/imgur/3/image/AbC1234"), "hit")
            #expect(origin.requests.count == 2)
            #expect(origin.requests.allSatisfy { !$0.head.contains("token-of-a-person") })
        }
    }

    @Test(arguments: ["Bearer token-of-a-person", "Basic token-of-a-person"])
    func aTokenOfAnImgurAccountStaysPersonalWhereTheAnswerMayBe(_ token: String) async throws {
        try await imgur { origin, larder in
            let target = token.hasPrefix("Bearer") ? "/raw/imgur/3/account/anna/images" : "/raw/imgur/3/image/AbC1234"
            for number in 1...2 {
                let answer = try await larder.get(target, ("Authorization", token))
                #expect(answer["Cache-Status"]?.hasPrefix("larder; fwd=bypass") == true, "\(answer)")
                #expect(origin.requests.count == number)
            }
            #expect(origin.requests.allSatisfy { !$0.head.contains("token-of-a-person") })
        }
    }

    // MARK: TMDb

    private static func token(_ scopes: String) -> String {
        let claims = #"{"aud":"0123456789abcdef","sub":"a1","scopes":[\#(scopes)],"version":1}"#
        return "eyJhbGciOiJIUzI1NiJ9.\(Base64URL.encode(Bytes(text: claims))).c2lnbmF0dXJl"
    }

    private func films(_ key: String, _ body: (ScriptedOrigin, RunningLarder) async throws -> Void) async throws {
        let origin = ScriptedOrigin(answering: ok(#"{"id":11,"title":"Lantern"}"#))
        defer { origin.stop() }
        let settings = "providers: { tmdb: { baseURL: \"\(origin.base)\"\(key.isEmpty ? "" : ", key: \"\(key)\"") } }"
        try await withLarder(settings) { larder in try await body(origin, larder) }
    }

    @Test func aReadTokenOfTMDbIsReplacedAndItsAnswerShared() async throws {
        try await films("0123456789abcdef0123456789abcdef") { origin, larder in
            let token = Self.token(#""api_read""#)
            expect(try await larder.get("/raw/tmdb/3/movie/11", ("Authorization", "Bearer \(token)")), "fwd=uri-miss")
            expect(try await larder.get("/raw/tmdb/3/movie/11", ("Authorization", "Bearer \(token)")), "hit")
            expect(try await larder.get("/raw/tmdb/3/movie/11"), "hit")
            expect(try await larder.get("/raw/tmdb/3/movie/11?api_key=fedcba9876543210"), "hit")
            #expect(origin.requests.map(\.target) == ["/3/movie/11?api_key=0123456789abcdef0123456789abcdef"])
            #expect(origin.requests.first?.field("Authorization") == nil)
        }
    }

    @Test func aReadTokenOfTMDbIsSentWhereThereIsNoOther() async throws {
        try await films("") { origin, larder in
            let token = Self.token(#""api_read""#)
            expect(try await larder.get("/raw/tmdb/3/movie/11", ("Authorization", "Bearer \(token)")), "fwd=uri-miss")
            expect(try await larder.get("/raw/tmdb/3/movie/11", ("Authorization", "Bearer \(token)")), "hit")
            #expect(origin.requests.map { $0.field("Authorization") } == ["Bearer \(token)"])
        }
    }

    @Test func aUsersTokenOfTMDbAndASessionStayPersonal() async throws {
        try await films("0123456789abcdef0123456789abcdef") { origin, larder in
            let token = Self.token(#""api_read","api_write""#)
            for number in 1...2 {
                let user = try await larder.get("/raw/tmdb/3/account/5", ("Authorization", "Bearer \(token)"))
                #expect(user["Cache-Status"]?.hasPrefix("larder; fwd=bypass") == true, "\(user)")
                let session = try await larder.get("/raw/tmdb/3/movie/11?session_id=s3cret-session")
                expect(session, "fwd=bypass")
                let guest = try await larder.get("/raw/tmdb/3/guest_session/s3cret/rated/movies")
                #expect(guest["Cache-Status"]?.hasPrefix("larder; fwd=bypass") == true, "\(guest)")
                for path in ["%61ccount/5/lists", "/account/5/lists", "%61uthentication/token/new"] {
                    let answer = try await larder.get("/raw/tmdb/3/\(path)")
                    #expect(answer["Cache-Status"]?.hasPrefix("larder; fwd=bypass") == true, "\(path): \(answer)")
                }
                #expect(origin.requests.count == 6 * number)
            }
            #expect(origin.requests.allSatisfy { !$0.head.contains(token) })
            expect(try await larder.get("/raw/tmdb/3/movie/11"), "fwd=uri-miss")
        }
    }

    @Test func theIdOfAGuestSessionIsToldByNothing() async throws {
        let origin = ScriptedOrigin(answering: ok(#"{"results":[]}"#))
        defer { origin.stop() }
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let settings = """
            providers: { tmdb: { baseURL: "\(origin.base)", key: 0123456789abcdef0123456789abcdef } }
            log: { access: all }
            """
        try await withLarder(settings, log: log) { larder in
            for path in [
                "/raw/tmdb/3/guest_session/s3cret/rated/movies", "/raw/themoviedb/3//%67uest_session/s3cret",
                "/raw//tmdb/3/guest_session/s3cret", "/%72aw/tmdb/3/guest_session/s3cret",
                "/raw/tmdb/3/../3/guest_session/s3cret",
            ] {
                let answer = try await larder.get(path)
                let id = try #require(answer["X-Request-Id"])
                let told = try await larder.get("/v1/explain/\(id)")
                #expect(told.status == 200 && told.text.contains("/3/guest_session/…"), "\(told)")
                #expect(!told.text.contains("s3cret"), "\(path): \(told)")
            }
        }
        let text = lines.withLock { $0 }
        #expect(text.contains("path=/raw/tmdb/3/guest_session/…"), "\(text)")
        #expect(!text.contains("s3cret"), "\(text)")
    }
}
