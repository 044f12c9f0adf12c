// Small responses with one peculiarity each, and the results made of them.
import LarderCore
import LarderProviders
import Testing

@Suite struct NormaliseTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    private func answer(_ route: String, _ body: String, url: String = "https://api.example.org/x") throws
        -> NormalisedAnswer
    {
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0),
            url: url)
        return try endpoint(route).normalise(response, signer)
    }

    private func results(_ route: String, _ body: String, url: String = "https://api.example.org/x") throws
        -> [JSONValue]
    {
        Array(try JSON.parse(answer(route, body, url: url).results).elements)
    }

    private func store(_ records: String...) throws -> NormalisedAnswer {
        try answer(
            "itunes/search?term=x", "{\"resultCount\":\(records.count),\"results\":[\(records.joined(separator: ","))]}"
        )
    }

    private func news(_ article: String) throws -> JSONValue {
        try #require(results("news/everything?q=x", "{\"status\":\"ok\",\"articles\":[\(article)]}").first)
    }

    @Test(arguments: [
        (#"{"wrapperType":"track","kind":"song","trackId":1,"trackName":"t"}"#, "itunes:song:1"),
        (#"{"wrapperType":"track","kind":"music-video","trackId":1,"trackName":"t"}"#, "itunes:musicVideo:1"),
        (
            #"{"wrapperType":"collection","collectionType":"Album","collectionId":2,"collectionName":"t"}"#,
            "itunes:album:2"
        ),
        (
            #"{"wrapperType":"collection","collectionType":"TV Season","collectionId":2,"collectionName":"t"}"#,
            "itunes:tvSeason:2"
        ),
        (#"{"wrapperType":"audiobook","collectionId":2,"collectionName":"t"}"#, "itunes:audiobook:2"),
        (#"{"wrapperType":"artist","artistType":"Artist","artistId":3,"artistName":"t"}"#, "itunes:artist:3"),
        (#"{"kind":"ebook","trackId":4,"trackName":"t"}"#, "itunes:ebook:4"),
        (#"{"wrapperType":"track","kind":null,"trackId":5,"trackName":"t"}"#, "itunes:track:5"),
        (#"{"wrapperType":"track","kind":"hologram-show","trackId":6,"trackName":"t"}"#, "itunes:hologramShow:6"),
        (#"{"collectionId":7,"collectionName":"t"}"#, "itunes:album:7"),
        (#"{"kind":"podcast","collectionId":8,"collectionName":"t"}"#, "itunes:podcast:8"),
        (#"{"kind":"song","trackId":9,"trackCensoredName":"t"}"#, "itunes:song:9"),
    ])
    func everyRecordOfTheStoreFindsItsKindIdAndTitle(_ record: String, _ id: String) throws {
        let answer = try store(record)
        let result = try #require(JSON.parse(answer.results).elements.first { _ in true })
        #expect(result["id"]?.string == id)
        #expect(result["title"]?.string == "t")
    }

    @Test func whatCannotBeAResultIsCountedWithItsReason() throws {
        let answer = try store(
            #"{"kind":"song","trackName":"no id"}"#, #"{"kind":"song","trackId":1}"#, "{}", "[]", "7", "null",
            #"{"kind":"song","trackId":2,"trackName":"good"}"#)
        #expect(answer.count == 1)
        #expect(answer.droppedReasons == ["id": 1, "title": 1, "kind": 1, "not an object": 3])
        #expect(answer.dropped == 6)
    }

    @Test(
        arguments: [
            (#""trackPrice":1.290,"currency":"USD""#, "1.29"), (#""trackPrice":0.00,"currency":"EUR""#, "0"),
            (#""trackPrice":-1,"currency":"USD""#, nil), (#""trackPrice":-1.00,"currency":"USD""#, nil),
            (#""trackPrice":null,"currency":"USD""#, nil), (#""trackPrice":9.99"#, nil),
            (#""trackPrice":"9.99","currency":"USD""#, nil),
            (#""price":12,"currency":"JPY""#, "12"), (#""collectionPrice":9.99,"currency":"USD""#, nil),
        ] as [(String, String?)])
    func aPriceKeepsItsDigitsAndNeedsACurrency(_ members: String, _ amount: String?) throws {
        let answer = try store("{\"kind\":\"song\",\"trackId\":1,\"trackName\":\"t\",\(members)}")
        let result = try #require(JSON.parse(answer.results).elements.first { _ in true })
        #expect(result["price"]?["amount"]?.numberText == amount)
        #expect((result["price"] != nil) == (amount != nil))
    }

    @Test(arguments: [
        ("https://is1-ssl.mzstatic.com/a/100x100bb.jpg", "https://is1-ssl.mzstatic.com/a/600x600bb.jpg"),
        ("https://is1-ssl.mzstatic.com/a/100x100bb-85.png", "https://is1-ssl.mzstatic.com/a/600x600bb-85.png"),
        ("http://a1.mzstatic.com/a/100x100-75.jpg", "http://a1.mzstatic.com/a/600x600-75.jpg"),
        ("https://a1.mzstatic.com/a/mzi.abc.100x100-75.jpg", "https://a1.mzstatic.com/a/mzi.abc.100x100-75.jpg"),
        ("https://a1.mzstatic.com/100x100bb.jpg/source", "https://a1.mzstatic.com/100x100bb.jpg/source"),
        ("https://a1.mzstatic.com/a/100x100bb.gif", "https://a1.mzstatic.com/a/100x100bb.gif"),
        ("https://a1.mzstatic.com/a/100x.jpg", "https://a1.mzstatic.com/a/100x.jpg"),
        ("https://a1.mzstatic.com/a/100x100bb.jpg?x", "https://a1.mzstatic.com/a/100x100bb.jpg?x"),
    ])
    func artworkGrowsOnlyWhereItsLastSegmentSaysHow(_ small: String, _ large: String) throws {
        let answer = try store("{\"kind\":\"song\",\"trackId\":1,\"trackName\":\"t\",\"artworkUrl100\":\"\(small)\"}")
        let artwork = try #require(try JSON.parse(answer.results).elements.first { _ in true }?["artwork"])
        func opened(_ size: String) -> String? { artwork[size]?.string.flatMap { signer.open($0.dropFirst(12)) }?.url }
        #expect(opened("small") == small)
        #expect(opened("large") == large)
        #expect(artwork["original"]?.string == small)
    }

    @Test(
        arguments: [
            ("2005-03-01T12:00:00Z", "2005-03-01T12:00:00Z"), ("2005-03-01 07:00:00 Etc/GMT", "2005-03-01T07:00:00Z"),
            ("2005-03-01", "2005-03-01T00:00:00Z"), ("2005-03-01T12:00:00.987Z", "2005-03-01T12:00:00Z"),
            ("2005-03-01T00:30:00+01:00", "2005-02-28T23:30:00Z"), ("2004-02-29T00:00", "2004-02-29T00:00:00Z"),
            ("2005-03-01 12:00:00Z", "2005-03-01T12:00:00Z"), ("1865-11-26T08:00:00Z", "1865-11-26T08:00:00Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2005-02-29", nil), ("2005-13-01", nil),
            ("2005-03-01T24:00:00Z", nil),
            ("yesterday", nil), ("", nil), ("2005-03-01T12:00:00Zulu", nil), ("20050301", nil),
        ] as [(String, String?)])
    func datesBecomeRFC3339OrAreAbsent(_ text: String, _ expected: String?) throws {
        let answer = try store("{\"kind\":\"song\",\"trackId\":1,\"trackName\":\"t\",\"releaseDate\":\"\(text)\"}")
        #expect(try JSON.parse(answer.results).elements.first { _ in true }?["publishedAt"]?.string == expected)
    }

    @Test func ordersAreSettledOnce() throws {
        func titles(_ sort: String) throws -> [String] {
            let body = """
                {"resultCount":3,"results":[
                {"kind":"song","trackId":1,"trackName":"b","trackPrice":2,"currency":"USD","releaseDate":"2001-01-01"},
                {"kind":"song","trackId":2,"trackName":"A","releaseDate":"2003-01-01"},
                {"kind":"song","trackId":3,"trackName":"c","trackPrice":1,"currency":"USD"}]}
                """
            return try results("itunes/search?term=x&sort=\(sort)", body).compactMap { $0["title"]?.string }
        }
        #expect(try titles("relevance") == ["b", "A", "c"])
        #expect(try titles("name") == ["A", "b", "c"])
        #expect(try titles("price") == ["c", "b", "A"])
        #expect(try titles("date") == ["A", "b", "c"])
    }

    @Test func withdrawnArticlesAreDroppedAndCounted() throws {
        let body = """
            {"status":"ok","totalResults":900,"articles":[
            {"title":"[Removed]","description":"[Removed]","url":"https://removed.com","publishedAt":"1970-01-01T00:00:00Z"},
            {"title":"Kept","url":"https://a.org/1"},{"title":null,"description":null,"content":"","url":null}]}
            """
        let answer = try answer("news/everything?q=x", body)
        #expect(answer.count == 1)
        #expect(answer.droppedReasons == ["removed": 1, "title": 1])
        #expect(answer.totalUpstream == 900)
    }

    @Test func anArticleWithoutATitleGoesByWhatItHas() throws {
        #expect(
            try news(#"{"title":"","description":"What happened","url":"https://a.org/1"}"#)["title"]?.string
                == "What happened")
        #expect(try news(#"{"title":null,"url":"https://a.org/1"}"#)["title"]?.string == "https://a.org/1")
        let long = String(repeating: "word ", count: 100)
        #expect(try news("{\"content\":\"\(long)\",\"url\":\"https://a.org/1\"}")["title"]?.string?.count == 80)
    }

    @Test func textsLoseTheirMarkupAndKeepTheirWords() throws {
        let article = try news(
            #"{"title":"Q&amp;A: 1 < 2 &#8212; I <3 you &nosuch;","description":"<p>One</p><p>Two&nbsp;&amp;&lt;b&gt;</p>\r\n\r\n\r\n Three","#
                + #""url":"https://a.org/1","author":"https://a.org/who","content":"Begin <b>bold</b> end… [+1834 chars]"}"#
        )
        #expect(article["title"]?.string == "Q&A: 1 < 2 — I <3 you &nosuch;")
        #expect(article["summary"]?.string == "One\n\nTwo &<b>\n\nThree")
        #expect(article["creator"] == nil)
        #expect(article["attributes"]?["authorUrl"]?.string == "https://a.org/who")
        #expect(article["attributes"]?["content"]?.string == "Begin bold end…")
        #expect(article["attributes"]?["omittedCharacters"]?.integer == 1834)
    }

    @Test(
        arguments: [
            ("https://img.org/a.jpg", "https://img.org/a.jpg"), ("//img.org/a.jpg", "https://img.org/a.jpg"),
            ("/a.jpg", "https://a.org/a.jpg"), ("a.jpg", nil), ("", nil), ("data:image/png;base64,AAAA", nil),
            ("javascript:alert(1)", nil),
        ] as [(String, String?)])
    func anArticlesPictureIsMadeAbsoluteOrLeftOut(_ image: String, _ absolute: String?) throws {
        let article = try news("{\"title\":\"t\",\"url\":\"https://a.org/x/1\",\"urlToImage\":\"\(image)\"}")
        #expect(article["artwork"]?["original"]?.string == absolute)
    }

    @Test func sourcesAreFilteredHere() throws {
        let body = """
            {"status":"ok","sources":[{"id":"a","name":"The Times","description":"d","url":"https://a.org","category":"general","language":"en","country":"gb"},
            {"id":"b","name":"Other"},{"name":"no id"}]}
            """
        let answer = try answer("news/sources?name=times", body)
        #expect(answer.count == 1)
        #expect(answer.totalUpstream == 3)
        #expect(answer.droppedReasons == ["id": 1])
        let source = try #require(JSON.parse(answer.results).elements.first { _ in true })
        #expect(source["id"]?.string == "newsapi:newsSource:a")
        #expect(source["genres"]?.elements.compactMap(\.string) == ["general"])
    }

    @Test func listsOfTheRulesAreSearchedSortedAndCutHere() throws {
        let body =
            #"{"count":4,"results":[{"index":"b","name":"Red Dragon","url":"/api/2014/monsters/b"},{"index":"a","name":"blue dragon"},{"index":"c","name":"Cat"},{"name":"lost"}]}"#
        let found = try results(
            "dnd/monsters?name=DRAGON&sort=name", body, url: "http://127.0.0.1:9/dnd5e/api/2014/monsters?lang=en")
        #expect(found.compactMap { $0["title"]?.string } == ["blue dragon", "Red Dragon"])
        #expect(found.last?["url"]?.string == "http://127.0.0.1:9/dnd5e/api/2014/monsters/b")
        let first = try answer("dnd/monsters?limit=1", body)
        #expect(first.count == 1 && first.totalUpstream == 4 && first.dropped == 1)
    }

    @Test(
        arguments: [
            ("/api/images/monsters/a.png", "http://127.0.0.1:9/dnd5e/api/images/monsters/a.png"),
            ("/api/2014/magic-items/a.png", nil),
            ("/api/images/../secret", nil), ("/api/images/a+2.png", nil), ("https://evil.org/api/images/a.png", nil),
            ("/api/images/a.png?x", nil),
        ] as [(String, String?)])
    func aRecordsPictureIsBelowThePicturesOnly(_ image: String, _ url: String?) throws {
        let body = "{\"index\":\"a\",\"name\":\"A\",\"image\":\"\(image)\"}"
        let record = try #require(
            results("dnd/monsters/a", body, url: "http://127.0.0.1:9/dnd5e/api/2014/monsters/a?lang=en").first)
        #expect(record["artwork"]?["original"]?.string == url)
    }

    @Test func aRecordKeepsItsMembersInCamelCaseWithoutVoidOnes() throws {
        let body =
            #"{"index":"a","name":"A","hit_points":7,"reactions":[],"languages":"","armor_class":[{"armor_desc":null,"value":15}],"damage":{"damage_at_slot_level":{"2":"4d4"}},"size":"Small","type":"beast","alignment":"unaligned","challenge_rating":0.25}"#
        let record = try #require(results("dnd/monsters/a", body).first)
        let attributes = try #require(record["attributes"])
        #expect(
            attributes.members.map(\.name) == [
                "index", "hitPoints", "armorClass", "damage", "size", "type", "alignment", "challengeRating",
            ])
        #expect(attributes["armorClass"]?.raw == Bytes(text: #"[{"value":15}]"#))
        #expect(attributes["damage"]?["damageAtSlotLevel"]?["2"]?.string == "4d4")
        #expect(attributes["challengeRating"]?.numberText == "0.25")
        #expect(record["summary"]?.string == "Small beast, unaligned")
        #expect(record["genres"]?.elements.compactMap(\.string) == ["beast"])
    }

    @Test(arguments: [
        ("itunes/search?term=x", "<html>"), ("itunes/search?term=x", "{\"results\":7}"), ("itunes/search?term=x", ""),
        ("news/everything?q=x", "{\"status\":\"ok\"}"), ("news/sources", "[1"), ("dnd/monsters", "{}"),
        ("dnd/monsters/a", "{}"),
    ])
    func whatCannotBeReadIsAnErrorAndNoTrap(_ route: String, _ body: String) {
        #expect(throws: NormaliseError.self) { try answer(route, body) }
    }

    @Test func whatIsNoWebAddressIsNoLink() throws {
        let answer = try store(
            #"{"kind":"song","trackId":1,"trackName":"t","trackViewUrl":"javascript:alert(1)","artworkUrl100":"ftp://h/a.jpg"}"#
        )
        let result = try #require(JSON.parse(answer.results).elements.first { _ in true })
        #expect(result["url"] == nil && result["artwork"] == nil)
        let article = try news(#"{"title":"t","url":"javascript:alert(1)","urlToImage":"/a.jpg"}"#)
        #expect(article["url"] == nil && article["artwork"] == nil)
        let endless = "https://a.org/" + String(repeating: "a", count: 5000)
        #expect(try news("{\"title\":\"t\",\"urlToImage\":\"\(endless)\"}")["artwork"] == nil)
    }

    @Test func equalAnswersAreEqualBytes() throws {
        let record =
            #"{"kind":"song","trackId":1,"trackName":"t","genres":["a","b"],"artworkUrl100":"https://x.mzstatic.com/100x100bb.jpg"}"#
        #expect(try store(record) == store(record))
    }
}
