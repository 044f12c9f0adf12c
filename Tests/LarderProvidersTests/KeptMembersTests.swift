// What results keep of their records: members that only one source has, the record itself, and the number of dropped
// records.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct KeptMembersTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    private func answer(_ route: String, _ body: String) throws -> NormalisedAnswer {
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0),
            url: "https://www.dnd5eapi.co/api/2014/x")
        return try endpoint(route).normalise(response, signer)
    }

    private func first(_ route: String, _ body: String) throws -> JSONValue {
        try #require(JSON.parse(answer(route, body).results).elements.first { _ in true })
    }

    @Test func anAppKeepsItsDevicesFeaturesAndGenres() throws {
        let app = try first(
            "itunes/search?term=x",
            #"""
            {"results":[{"kind":"software","trackId":1,"trackName":"t","bundleId":"b","genreIds":["6017","6007"],
            "features":["iosUniversal"],"supportedDevices":["iPhone5s-iPhone5s","iPadAir-iPadAir"],"description":"long",
            "shortDescription":"short","collectionArtistId":7}]}
            """#)
        let more = try #require(app["attributes"])
        #expect(more["genreIds"]?.elements.compactMap(\.string) == ["6017", "6007"])
        #expect(more["features"]?.elements.compactMap(\.string) == ["iosUniversal"])
        #expect(more["supportedDevices"]?.count == 2 && more["collectionArtistId"]?.integer == 7)
        #expect(app["summary"]?.string == "long" && more["shortDescription"]?.string == "short")
    }

    @Test func anAlbumKeepsItsPrivacyItsLayoutAndWhatItsTagsAre() throws {
        let picture = try first(
            "imgur/album/a1",
            #"""
            {"data":{"id":"a1","privacy":"public","layout":"blog","images":[{"id":"p1"}],
            "tags":[{"name":"cats","display_name":"Cats","total_items":9,"followers":null}]},"success":true,"status":200}
            """#)
        let more = try #require(picture["attributes"])
        #expect(more["privacy"]?.string == "public" && more["layout"]?.string == "blog")
        #expect(more["tagDetails"]?.raw.lossyText == #"[{"name":"cats","displayName":"Cats","totalItems":9}]"#)
        #expect(picture["genres"]?.elements.compactMap(\.string) == ["Cats"])
    }

    @Test func addressesInsideARecordOfTheRulesAreAbsolute() throws {
        let spell = try first(
            "dnd/spells/x",
            #"""
            {"index":"x","name":"X","school":{"index":"e","name":"E","url":"/api/2014/magic-schools/e"},
            "classes":[{"url":"/api/2014/classes/bard"}],"material":"/api is no address","class_levels":"/api/2014/levels"}
            """#)
        let more = try #require(spell["attributes"])
        let base = "https://www.dnd5eapi.co/api/2014/"
        #expect(more["school"]?["url"]?.string == base + "magic-schools/e")
        #expect(more["classes"]?.elements.first { _ in true }?["url"]?.string == base + "classes/bard")
        #expect(more["classLevels"]?.string == base + "levels" && more["material"]?.string == "/api is no address")
    }

    @Test func anArticleThatIsListedTwiceComesOnce() throws {
        func article(_ title: String, _ url: String) -> String { #"{"title":"\#(title)","url":"\#(url)"}"# }
        let list = [article("a", "https://x/1"), article("a again", "https://x/1"), article("b", "https://x/2")]
        let found = try answer("news/everything?q=x", #"{"articles":[\#(list.joined(separator: ","))]}"#)
        #expect(found.count == 2 && found.droppedReasons == ["repeated": 1])
        #expect(try JSON.parse(found.results).elements.compactMap { $0["title"]?.string } == ["a", "b"])
    }

    @Test func theTotalOfTheRulesIsWhatMatched() throws {
        let list =
            #"{"results":[{"index":"a","name":"Rat"},{"index":"b","name":"Giant Rat"},{"index":"c","name":"Owl"}]}"#
        #expect(try answer("dnd/monsters?name=rat&limit=1", list).totalUpstream == 2)
        #expect(try answer("dnd/monsters?name=zz", list).totalUpstream == 0)
        #expect(try answer("dnd/monsters", list).totalUpstream == 3)
        // A record that cannot be shown counts all the same.
        let lost = #"{"results":[{"index":"a","name":"Rat"},{"name":"Dire Rat"},{"name":"Owl"}]}"#
        let found = try answer("dnd/monsters?name=rat", lost)
        #expect(found.totalUpstream == 2 && found.count == 1 && found.dropped == 1)
    }

    @Test func allDroppedIsNotWhatWasMerelyNotAskedFor() throws {
        let broken = #"{"results":[{"name":"Rat"}]}"#
        #expect(try answer("dnd/monsters?name=rat", broken).isAllDropped)
        let one = #"{"results":[{"name":"Rat"},{"index":"c","name":"Owl"}]}"#
        #expect(try answer("dnd/monsters?name=rat", one).isAllDropped == false)
        #expect(try answer("dnd/monsters?name=rat", #"{"results":[]}"#).isAllDropped == false)
        let removed = #"{"articles":[{"title":"[Removed]","url":"https://removed.com"}]}"#
        #expect(try answer("news/everything?q=x", removed).isAllDropped)
    }

    @Test func everyResultHasItsRecordBesideItInItsOrder() throws {
        let records = [
            #"{"kind":"song","trackId":1,"trackName":"b","x":[1,2]}"#, #"{"kind":"song","trackName":"lost"}"#,
            #"{"kind":"song","trackId":2,"trackName":"a"}"#,
        ]
        let found = try answer("itunes/search?term=x&sort=name", #"{"results":[\#(records.joined(separator: ","))]}"#)
        #expect(found.sources.map { $0?.raw.lossyText } == [records[2], records[0]])
        let whole = SourceRecord.embedded(in: found, withholding: [])
        let results = Array(try JSON.parse(whole).elements)
        #expect(results.map { $0["source"]?.raw.lossyText } == [records[2], records[0]])
        #expect(results.map { $0["title"]?.string } == ["a", "b"])
    }

    @Test func whatDeletesAPictureIsInNoRecord() throws {
        let record = #"{"id":"p1","deletehash":"d1","note":"x","deep":[{"deletehash":"d2"}]}"#
        let found = try answer("imgur/image/p1", #"{"data":\#(record),"success":true,"status":200}"#)
        let whole = SourceRecord.embedded(in: found, withholding: SpecProvider(.imgur).about.secretMembers)
        let source = try #require(JSON.parse(whole).elements.first { _ in true }?["source"])
        #expect(source.raw.lossyText == #"{"id":"p1","note":"x","deep":[{}]}"#)
    }

    @Test func aRefusedTokenIsNotABlockedClient() {
        func refusal(_ message: String) -> String {
            let response = UpstreamResponse(
                status: 403, body: Bytes(text: #"{"data":{"error":"\#(message)"},"success":false,"status":403}"#),
                requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
            guard case .refused(let text) = SpecProvider(.imgur).classify(response, endpoint: "image") else {
                return ""
            }
            return text
        }
        let token = refusal("The access token provided is invalid.")
        #expect(token.contains("token") && !token.contains("client id"), "\(token)")
        #expect(refusal("Invalid client_id").contains("refuses the client id"))
        #expect(refusal("Unauthorized").contains("may be blocked"))
    }
}
