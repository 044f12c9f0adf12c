// Imgur: its questions and their paths, every form of failure, albums recognised by their pictures, links in old
// records, and what its fields say about the remaining calls.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
    private let imgur = SpecProvider(.imgur)
    private static let now = WallTime(seconds: 1_700_000_000)

    private func answer(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: Self.now, responseTime: Self.now)
    }

    private func data(_ body: String) -> UpstreamResponse {
        answer(200, "{\"data\":\(body),\"success\":true,\"status\":200}")
    }

    private func results(_ route: String, _ response: UpstreamResponse) throws -> [JSONValue] {
        Array(try JSON.parse(endpoint(route).normalise(response, signer).results).elements)
    }

    // MARK: Questions

    @Test(arguments: [
        ("search?q=Two++Cats", "/3/gallery/search/time/all/0?q=Two%20Cats"),
        ("search?query=cats&sort=viral&page=3", "/3/gallery/search/viral/all/2?q=cats"),
        ("search?q=cats&sort=top&window=Week", "/3/gallery/search/top/week/0?q=cats"),
        ("search?q=cats&sort=date&limit=5&explicit=no", "/3/gallery/search/time/all/0?q=cats"),
        (
            "search?q_any=a+b&q_not=c&q_type=ANIGIF&q_size_px=big",
            "/3/gallery/search/time/all/0?q_any=a%20b&q_not=c&q_size_px=big&q_type=anigif"
        ),
        ("gallery", "/3/gallery/hot/viral/0?album_previews=true"),
        ("gallery?section=top&sort=time&window=year&page=2", "/3/gallery/top/time/year/1?album_previews=true"),
        (
            "gallery?section=user&sort=rising&showViral=no&mature=yes",
            "/3/gallery/user/rising/0?album_previews=true&mature=true&showViral=false"
        ),
        ("tag/funny", "/3/gallery/t/funny/viral/week/0"),
        ("tag/caf%C3%A9?sort=top&window=all", "/3/gallery/t/caf%C3%A9/top/all/0"),
        ("r/EarthPorn?sort=top&window=day&page=2", "/3/gallery/r/EarthPorn/top/day/1"),
        ("r/pics", "/3/gallery/r/pics/time/week/0"), ("image/mOqejNf", "/3/image/mOqejNf"),
        ("album/HtAOg", "/3/album/HtAOg"), ("tags", "/3/tags"), ("credits", "/3/credits"),
    ])
    func aQuestionBecomesACanonicalRequest(_ route: String, _ target: String) throws {
        // A provider gets the decoded segments.
        let decoded = route.replacing("caf%C3%A9", with: "café")
        let question = try endpoint("imgur/\(decoded)")
        #expect(question.upstream.target == target)
        #expect(imgur.canonical(question.upstream) == question.upstream)
        #expect(imgur.endpointName(for: question.upstream) == question.name)
        #expect(imgur.about.endpoints.contains { $0.name == question.name })
    }

    @Test(arguments: [
        ("search", "missingParameter", "q"), ("search?q=a&q_all=b", "invalidParameter", "q"),
        ("search?q=a&query=b", "invalidParameter", "query"), ("search?q_type=bmp", "invalidParameter", "q_type"),
        ("search?q=a&q_size_px=med", "invalidParameter", "q"), ("search?q=a&sort=rising", "invalidParameter", "sort"),
        ("search?q=a&sort=price", "invalidParameter", "sort"), ("search?q=a&page=0", "invalidParameter", "page"),
        ("search?q=a&window=day", "invalidParameter", "window"),
        ("search?q=a&sort=top&window=hour", "invalidParameter", "window"),
        ("search?q=a&limit=501", "invalidParameter", "limit"),
        ("search?q=a&client_id=x", "unknownParameter", "client_id"),
        ("gallery?section=best", "invalidParameter", "section"), ("gallery?sort=rising", "invalidParameter", "sort"),
        ("gallery?window=day", "invalidParameter", "window"), ("gallery?mature=2", "invalidParameter", "mature"),
        ("gallery?q=a", "unknownParameter", "q"), ("tag/a b", "invalidParameter", "tag"),
        ("tag/..", "invalidParameter", "tag"), ("r/a.b", "invalidParameter", "subreddit"),
        ("r/pics?sort=viral", "invalidParameter", "sort"), ("image/a-b", "invalidParameter", "id"),
        ("album/HtAOg?page=1", "unknownParameter", "page"), ("tags?page=1", "unknownParameter", "page"),
    ])
    func aWrongQuestionNamesItsParameter(_ route: String, _ code: String, _ parameter: String) {
        let error = refusal("imgur/\(route)")
        #expect(
            error?.status == 400 && error?.code == code && error?.parameter == parameter, "\(route): \(error as Any)")
    }

    @Test func wrongWordsSayWhatIsAllowed() {
        #expect(refusal("imgur/search?q=a&sort=x")?.allowed == ["time", "viral", "top", "relevance", "name", "date"])
        #expect(refusal("imgur/gallery?section=x")?.allowed == ["hot", "top", "user"])
        #expect(refusal("imgur/search?q=a&sort=top&window=x")?.allowed == ["day", "week", "month", "year", "all"])
        for route in ["imgur", "imgur/search/x", "imgur/tag", "imgur/image", "imgur/upload"] {
            #expect(refusal(route)?.status == 404, "\(route)")
        }
    }

    @Test func spellingsOfOneQuestionShareItsKeyAndOthersNever() throws {
        func keys(_ routes: [String]) throws -> Set<CacheKey> {
            try Set(routes.map { try endpoint("imgur/\($0)").key(normaliserVersion: 1) })
        }
        #expect(
            try keys(["search?q=a", "search?q=a&sort=time&page=1", "search?sort=RELEVANCE&q=+a&explicit=yes"]).count
                == 1)
        #expect(try keys(["gallery", "gallery?section=hot&sort=viral&showViral=true&mature=false"]).count == 1)
        let different = [
            "search?q=a", "search?q=b", "search?q=A", "search?q_all=a", "search?q_any=a", "search?q_all=a&q_type=png",
            "search?q=a&sort=viral", "search?q=a&sort=name", "search?q=a&sort=date", "search?q=a&sort=top",
            "search?q=a&sort=top&window=day", "search?q=a&page=2", "search?q=a&limit=2", "search?q=a&explicit=no",
            "gallery", "gallery?section=top", "gallery?section=user", "gallery?mature=yes", "gallery?showViral=no",
            "tag/a", "r/a", "image/a", "album/a", "image/A", "tags", "credits", "tag/a?limit=1",
        ]
        #expect(try keys(different).count == different.count)
        let asked = try [
            SearchRequest(term: " a "), SearchRequest(term: "a", category: "images", sort: .relevance),
            SearchRequest(term: "a", sort: .date), SearchRequest(term: "a", sort: .name),
            SearchRequest(term: "a", limit: 2, explicit: true), SearchRequest(term: "a", explicit: false),
        ].map { try imgur.search($0).key(normaliserVersion: 1) }
        #expect(
            try asked
                == [
                    "search?q=a", "search?q=a", "search?q=a&sort=date", "search?q=a&sort=name", "search?q=a&limit=2",
                    "search?q=a&explicit=no",
                ].map { try endpoint("imgur/\($0)").key(normaliserVersion: 1) })
        #expect(
            try imgur.search(SearchRequest(term: "a", category: "gifs")).upstream.query == "q_all=a&q_type=anigif")
        #expect(throws: ClientFacingError.self) { try imgur.search(SearchRequest(term: "a", category: "music")) }
        #expect(imgur.kinds(of: nil) == ["image"] && imgur.kinds(of: "images") == ["image"])
        #expect(imgur.kinds(of: "gifs") == nil, "nothing of a result's kind tells that it moves")
    }

    @Test(arguments: [
        ("/3/gallery", "/3/gallery/hot/viral/0", "gallery"),
        ("/3/gallery/hot/viral/day/4", "/3/gallery/hot/viral/4", "gallery"),
        ("/3/gallery/top/viral", "/3/gallery/top/viral/day/0", "gallery"),
        ("/3/gallery/search", "/3/gallery/search/time/all/0", "search"),
        ("/3/gallery/search/viral/day/0", "/3/gallery/search/viral/all/0", "search"),
        ("/3/gallery/search/top/day/1", "/3/gallery/search/top/day/1", "search"),
        // Not certainly a page number, so it stays as it came.
        ("/3/gallery/search/time/1", "/3/gallery/search/time/1", "search"),
        ("/3/gallery/r/pics/mOqejNf", "/3/gallery/r/pics/mOqejNf", "image"),
        ("/3/gallery/album/HtAOg", "/3/gallery/album/HtAOg", "album"),
        ("/3/gallery/HtAOg/tags", "/3/gallery/HtAOg/tags", "other"),
        ("/3/account/me/images/0", "/3/account/me/images/0", "other"),
        ("/3/album/HtAOg/images", "/3/album/HtAOg/images", "other"), ("/oauth2/token", "/oauth2/token", "other"),
        ("/3/gallery/hot//0", "/3/gallery/hot//0", "other"),
    ])
    func rawPathsMeetTypedOnes(_ path: String, _ canonical: String, _ name: String) {
        let request = imgur.canonical(UpstreamRequest(path: path))
        #expect(request.path == canonical)
        #expect(imgur.canonical(request) == request)
        #expect(imgur.endpointName(for: request) == name)
    }

    @Test func theKeyTravelsInAFieldAndNeverInARequest() {
        #expect(imgur.credentialFields(key: "0a1b") == ["Authorization": "Client-ID 0a1b"])
        let request = UpstreamRequest(
            path: "/3/image/a", query: "client_id=0a1b&x=1", fields: ["Authorization": "Client-ID 0a1b"])
        let canonical = imgur.canonical(request)
        #expect(canonical.query == "x=1" && canonical.fields.isEmpty)
    }

    // MARK: Failures

    @Test(
        arguments: [
            // 1: no JSON.
            (200, "<html>Please wait</html>", [:], "broken"), (404, "<html>Not found</html>", [:], "broken"),
            (429, "<html>Too many</html>", [:], "limited nil"), (503, "<?xml?><error>Varnish</error>", [:], "broken"),
            (503, "<html>", ["Retry-After": "60"], "limited 60"), (500, "", [:], "broken"),
            (404, "", [:], "broken"), (410, "<html>Gone</html>", [:], "broken"),
            (404, #"{"error":404,"path":"/3"}"#, [:], "broken"), (404, "[]", [:], "broken"),
            (403, "<html>Imgur is temporarily over capacity</html>", [:], "limited 3600"),
            (403, "<html>Forbidden</html>", [:], "refused"), (403, "Banned Country Attempt", [:], "refused"),
            (200, #"{"data":[{"id":"a"#, [:], "broken"),
            // 2: the newer gateway.
            (
                429, #"{"errors":[{"id":"x","code":"429","status":"Too Many Requests","detail":"Too Many Requests"}]}"#,
                [:], "limited nil"
            ),
            (200, #"{"errors":[{"id":"x","code":"429","status":"Too Many Requests"}]}"#, [:], "limited nil"),
            (401, #"{"errors":[{"id":"x","code":"401","detail":"Unauthorized"}]}"#, [:], "refused"),
            (404, #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#, [:], "notFound"),
            (500, #"{"errors":[]}"#, [:], "broken"),
            // 3: an object.
            (
                429,
                #"{"data":{"error":{"code":2008,"message":"Too fast! Try again in 27 seconds","exception":{"wait":27}}},"success":false,"status":429}"#,
                [:], "limited 27"
            ),
            (
                400,
                #"{"data":{"error":{"code":429,"message":"You are uploading too fast. Please wait 59 more minutes."}},"success":false,"status":400}"#,
                [:], "limited 3540"
            ),
            (
                400, #"{"data":{"error":{"code":1003,"message":"File type invalid"}},"success":false}"#, [:],
                "invalidRequest"
            ),
            // 4: a text.
            (403, #"{"data":{"error":"Invalid client_id"},"success":false,"status":403}"#, [:], "refused"),
            (
                403,
                #"{"data":{"error":"Imgur is temporarily over capacity. Please try again later."},"success":false}"#,
                [:], "limited 3600"
            ),
            (400, #"{"data":{"error":"Banned Country Attempt"},"success":false,"status":400}"#, [:], "refused"),
            (404, #"{"data":{"error":"Unable to find an image with the id, x"},"success":false}"#, [:], "notFound"),
            (
                503, #"{"data":{"error":"Imgur is temporarily over capacity"},"success":false,"status":1203}"#, [:],
                "broken"
            ),
            // Under status 200, the status in the body decides.
            (200, #"{"data":{"error":"Unable to find"},"success":false,"status":404}"#, [:], "notFound"),
            (200, #"{"data":{"error":"Invalid client_id"},"success":false,"status":403}"#, [:], "refused"),
            (200, #"{"data":{"error":"What?"},"success":false,"status":200}"#, [:], "broken"),
            // 5: a text or false in place of data.
            (200, #"{"data":false,"success":false,"status":404}"#, [:], "notFound"),
            (400, #"{"data":"Malformed","success":false,"status":400}"#, [:], "invalidRequest"),
            (500, #"{"data":null,"success":false,"status":500}"#, [:], "broken"),
            // Limits by their fields.
            (429, "", ["X-RateLimit-UserRemaining": "0", "X-RateLimit-UserReset": "120"], "limited 120"),
            (429, "", ["X-RateLimit-UserRemaining": "0", "X-RateLimit-UserReset": "1700000300"], "limited 300"),
            (429, "", ["X-RateLimit-UserRemaining": "5", "X-RateLimit-ClientRemaining": "0"], "limited 3600"),
            (429, "", ["X-RateLimit-UserRemaining": "0", "X-RateLimit-UserReset": "99999999999"], "limited 86400"),
        ] as [(Int, String, [String: String], String)])
    func eachShapeOfFailureIsToldByItsContent(
        _ status: Int, _ body: String, _ fields: [String: String], _ expected: String
    ) {
        var head = HeaderFields()
        for (name, value) in fields { head.add(name, value) }
        for endpoint in ["tag", "image", "other"] {
            let found = imgur.classify(answer(status, body, head), endpoint: endpoint)
            if case .limited(let until) = found {
                let told = until.map { "\(($0 - Self.now).wholeSeconds)" } ?? "nil"
                #expect(expected == "limited \(told)", "\(endpoint): \(found)")
            } else {
                #expect(expected == found.word, "\(endpoint): \(found)")
            }
        }
    }

    @Test func aRefusalSaysWhatIsWrong() {
        let blocked = imgur.classify(
            answer(403, #"{"data":{"error":"Invalid client_id"},"success":false,"status":403}"#), endpoint: "search")
        guard case .refused(let text) = blocked else { return #expect(Bool(false), "\(blocked)") }
        #expect(text.contains("client id") && text.contains("Invalid client_id"))
        let banned = imgur.classify(answer(403, "Banned Country Attempt"), endpoint: "search")
        guard case .refused(let country) = banned else { return #expect(Bool(false), "\(banned)") }
        #expect(country.contains("country"))
    }

    @Test func goodAnswersAreToldFromEmptyOnes() {
        func word(_ body: String, _ endpoint: String) -> String {
            imgur.classify(data(body), endpoint: endpoint).word
        }
        #expect(word("[]", "search") == "empty" && word(#"[{"id":"a"}]"#, "gallery") == "data")
        #expect(word("{}", "search") == "broken" && word("null", "search") == "broken")
        #expect(word(#"{"name":"funny","items":[]}"#, "tag") == "empty")
        #expect(word(#"{"name":"funny","items":[{"id":"a"}]}"#, "tag") == "data")
        #expect(word(#"{"id":"a"}"#, "image") == "data" && word("[]", "image") == "broken")
        #expect(word(#"{"tags":[{"name":"a"}]}"#, "tags") == "data" && word(#"{"tags":[]}"#, "tags") == "empty")
        #expect(word(#"{"ClientRemaining":1}"#, "credits") == "data" && word("1", "credits") == "broken")
        #expect(word("1", "other") == "data" && word("true", "other") == "data")
        #expect(imgur.classify(answer(200, #"{"access_token":"x"}"#), endpoint: "other") == .data)
    }

    // MARK: Results

    @Test func anAlbumIsToldByItsPicturesAndAPictureOnce() throws {
        let list = data(
            """
            [{"id":"AlBum","title":"Both","is_album":true,"account_url":"someone","link":"https://imgur.com/a/AlBum",
              "cover":"one1","images_count":9,"ups":5,"downs":null,"comment_count":2,"datetime":1395751234,
              "tags":[{"name":"cats","display_name":"Cats"}],"nsfw":false,
              "images":[
                {"id":"one1","title":null,"description":"First words","type":"image/jpeg","link":"https://i.imgur.com/one1.jpg"},
                {"id":"two2","title":"Second","type":"image/png","link":"https://i.imgur.com/two2.png","datetime":1395759999}]},
             {"id":"Cover","title":null,"is_album":true,"cover":"three3","cover_width":10,"cover_height":20,"images":[]},
             {"id":"Bare","title":"x","is_album":true,"cover":null},
             {"id":"two2","title":"Second again","is_album":false,"link":"https://i.imgur.com/two2.png"},
             {"id":"a/b","title":"no id","is_album":false}]
            """)
        let made = try endpoint("imgur/gallery").normalise(list, signer)
        let results = Array(try JSON.parse(made.results).elements)
        #expect(
            results.compactMap { $0["id"]?.string } == ["imgur:image:one1", "imgur:image:two2", "imgur:image:three3"])
        #expect(made.droppedReasons == ["no picture": 1, "repeated": 1, "id": 1] && made.dropped == 3)
        #expect(results.compactMap { $0["title"]?.string } == ["Both", "Second", "three3"])
        #expect(results[0]["collection"]?.string == "Both" && results[0]["creator"]?.string == "someone")
        #expect(results[0]["summary"]?.string == "First words")
        #expect(results[0]["url"]?.string == "https://imgur.com/a/AlBum")
        #expect(results[0]["genres"]?.elements.compactMap(\.string) == ["Cats"])
        #expect(results[0]["publishedAt"]?.string == "2014-03-25T12:40:34Z", "the album's, where it has none itself")
        #expect(results[1]["publishedAt"]?.string == "2014-03-25T15:06:39Z")
        let attributes = try #require(results[0]["attributes"])
        #expect(attributes["albumId"]?.string == "AlBum" && attributes["albumTitle"]?.string == "Both")
        #expect(attributes["position"]?.integer == 1 && attributes["albumImages"]?.integer == 9)
        #expect(attributes["ups"]?.integer == 5 && attributes["downs"] == nil && attributes["comments"]?.integer == 2)
        #expect(attributes["nsfw"]?.bool == false)
        #expect(results[2]["attributes"]?["width"]?.integer == 10)
        #expect(results[2]["artwork"]?["original"]?.string == "https://i.imgur.com/three3.jpg")

        let limited = try endpoint("imgur/gallery?limit=1&sort=name").normalise(list, signer)
        #expect(limited.count == 1)
        let dated = try self.results("imgur/gallery?sort=date", list)
        #expect(dated.first?["id"]?.string == "imgur:image:two2")
    }

    @Test(arguments: [
        ("abc", "http://i.imgur.com/abc.jpg", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abc.jpg"),
        ("abc", "https://i.imgur.com/abc.png?1", "abct.png", "abcl.png", "https://i.imgur.com/abc.png?1"),
        ("abc", "http://i.imgur.com/abc.gif", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abc.gif"),
        ("abc", "//i.imgur.com/abch.gif", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abch.gif"),
        ("abc", "https://i.imgur.com/abc.mp4", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abch.jpg"),
        ("abc", "http://imgur.com/abc", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abc.jpg"),
        ("abc", "javascript:alert(1)", "abct.jpg", "abcl.jpg", "https://i.imgur.com/abc.jpg"),
    ])
    func sizesAreChosenByALetterAndOldLinksGetHTTPS(
        _ id: String, _ link: String, _ small: String, _ large: String, _ original: String
    ) throws {
        let result = try #require(
            results("imgur/image/\(id)", data(#"{"id":"\#(id)","link":"\#(link)","animated":false}"#)).first)
        let artwork = try #require(result["artwork"])
        func opened(_ name: String) -> String? {
            artwork[name]?.string.flatMap { signer.open($0.dropFirst("/v1/artwork/".count)) }?.url
        }
        #expect(opened("small") == "https://i.imgur.com/\(small)")
        #expect(opened("large") == "https://i.imgur.com/\(large)")
        #expect(artwork["original"]?.string == original)
        #expect(result["title"]?.string == id && result["url"]?.string == "https://imgur.com/\(id)")
    }

    @Test func anAnimationBringsItsFilmsAndFiguresOfAnySize() throws {
        let body = """
            {"id":"mov","title":"  Two\\nlines ","type":"image/gif","animated":true,"width":636,"height":357,"size":2395211,
             "views":579524,"bandwidth":138808225956418823997,"mp4":"http://i.imgur.com/mov.mp4","mp4_size":100,
             "gifv":"http://i.imgur.com/mov.gifv","hls":"","looping":true,"has_sound":null,"nsfw":null,"section":"",
             "link":"http://i.imgur.com/mov.gif","datetime":99999999999999,"account_url":null,"vote":null,"favorite":true,
             "ups":null,"is_ad":true,"in_most_viral":true,"account_id":0,"tags":null}
            """
        let result = try #require(results("imgur/image/mov", data(body)).first)
        let attributes = try #require(result["attributes"])
        #expect(result["title"]?.string == "Two lines" && result["publishedAt"] == nil && result["creator"] == nil)
        #expect(attributes["bandwidth"]?.numberText == "138808225956418823997")
        #expect(attributes["mp4"]?.string == "https://i.imgur.com/mov.mp4" && attributes["mp4Size"]?.integer == 100)
        #expect(attributes["gifv"]?.string == "https://i.imgur.com/mov.gifv" && attributes["hls"] == nil)
        #expect(attributes["animated"]?.bool == true && attributes["looping"]?.bool == true)
        for name in ["hasSound", "nsfw", "section", "ups", "favorite", "vote", "accountId"] {
            #expect(attributes[name] == nil, "\(name)")
        }
        #expect(attributes["advertisement"]?.bool == true && attributes["mostViral"]?.bool == true)
        let film = try #require(
            results("imgur/image/mov", data(#"{"id":"mov","mp4":"","link":"https://i.imgur.com/mov.mp4"}"#)).first)
        #expect(film["attributes"]?["mp4"]?.string == "https://i.imgur.com/mov.mp4")
    }

    @Test func whatIsMarkedAsExplicitIsLeftOutForWhoAsksSo() throws {
        let list = data(
            #"[{"id":"a","nsfw":true},{"id":"b","nsfw":false},{"id":"c","nsfw":null},{"id":"d"}]"#)
        #expect(try results("imgur/search?q=x", list).count == 4)
        let answer = try endpoint("imgur/search?q=x&explicit=no").normalise(list, signer)
        #expect(answer.count == 3 && answer.dropped == 0)
    }

    @Test func tagsAndCreditsAreReadable() throws {
        let tags = try results(
            "imgur/tags",
            data(
                #"{"tags":[{"name":"funny","display_name":"Funny","followers":3,"total_items":null,"background_hash":"abc","description":""},{"name":null}],"featured":"x","galleries":[]}"#
            ))
        #expect(tags.count == 1 && tags[0]["title"]?.string == "Funny" && tags[0]["kind"]?.string == "tag")
        #expect(tags[0]["attributes"]?["followers"]?.integer == 3 && tags[0]["attributes"]?["items"] == nil)
        #expect(tags[0]["artwork"]?["original"]?.string == "https://i.imgur.com/abc.jpg")
        let credits = try results(
            "imgur/credits",
            data(
                #"{"UserLimit":500,"UserRemaining":"499","UserReset":1700000060,"ClientLimit":12500,"ClientRemaining":3}"#
            ))
        let attributes = try #require(credits.first?["attributes"])
        #expect(attributes["userRemaining"]?.integer == 499 && attributes["clientRemaining"]?.integer == 3)
        #expect(attributes["userResetsAt"]?.string == (Self.now + .seconds(60)).rfc3339)
    }

    @Test func damageMakesNoHalfResult() throws {
        let body =
            #"{"data":[{"id":"a","title":"A","is_album":true,"images":[{"id":"b"}]}],"success":true,"status":200}"#
        for length in 0..<body.utf8.count {
            let cut = answer(200, String(body.prefix(length)))
            #expect(imgur.classify(cut, endpoint: "search").word == "broken")
            #expect(throws: NormaliseError.self) { try endpoint("imgur/search?q=x").normalise(cut, signer) }
        }
    }

    // MARK: Credits

    @Test func theFieldsTellWhatIsLeft() {
        func credits(_ fields: HeaderFields) -> [Credits.Allowance]? {
            imgur.credits(in: fields, now: Self.now)?.allowances
        }
        #expect(credits(["Content-Type": "application/json"]) == nil)
        #expect(credits(["X-RateLimit-UserRemaining": "many"]) == nil)
        #expect(
            credits([
                "X-RateLimit-UserLimit": "500", "X-RateLimit-UserRemaining": "499", "X-RateLimit-UserReset": "3600",
                "X-RateLimit-ClientLimit": "12500", "X-RateLimit-ClientRemaining": "12000",
            ]) == [
                Credits.Allowance(name: "user", limit: 500, remaining: 499, resetsAt: Self.now + .seconds(3600)),
                Credits.Allowance(
                    name: "client", limit: 12_500, remaining: 12_000, resetsAt: Self.now + .seconds(3600)),
            ])
        // A Unix time, as the API's documentation has it; a time that has passed; a value that is not a time.
        for (figure, seconds) in [("1700001800", 1800), ("1500000000", 0), ("999999999999999999", 86_400)]
            as [(String, Int64)]
        {
            let end = credits(["X-RateLimit-UserRemaining": "1", "X-RateLimit-UserReset": figure])?.first?.resetsAt
            #expect(end == Self.now + .seconds(seconds), "\(figure)")
        }
        #expect(SpecProvider(.iTunes).credits(in: ["X-RateLimit-UserRemaining": "1"], now: Self.now) == nil)
    }

    @Test func theRemovedPictureIsKnownByItsAddress() {
        let about = imgur.about
        #expect(about.isRemovedPicture("https://i.imgur.com/removed.png"))
        #expect(about.isRemovedPicture("http://127.0.0.1:9/artwork/i.imgur.com/removed.png?1"))
        for other in [
            "https://i.imgur.com/xremoved.png", "https://i.imgur.com/removed.png/a.png",
            "https://i.imgur.com/a.png?x=i.imgur.com/removed.png",
        ] {
            #expect(!about.isRemovedPicture(other), "\(other)")
        }
        #expect(!SpecProvider(.iTunes).about.isRemovedPicture("https://i.imgur.com/removed.png"))
    }
}
