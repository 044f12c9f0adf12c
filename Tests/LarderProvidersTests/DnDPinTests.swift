// Questions, results and errors of the D&D API, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct DnDPinTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
    private let provider: any Provider = SpecProvider(.dnd)

    private func answer(_ body: String, _ status: Int = 200, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000), url: "http://host/dnd5e/api/2014/x")
    }

    private func endpoint(_ route: String) throws -> Endpoint {
        let parts = route.split(separator: "?", maxSplits: 1).map(String.init)
        return try provider.endpoint(
            path: parts[0].split(separator: "/").map(String.init),
            query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
    }

    @Test(arguments: [
        (
            "monsters", #"{"collection":"monsters","edition":"2014","sort":"relevance"}"#,
            "/api/2014/monsters?lang=en"
        ),
        (
            "monsters?name=Red%20%20DRAGON&limit=3&sort=NAME",
            #"{"collection":"monsters","edition":"2014","name":"red dragon","limit":3,"sort":"name"}"#,
            "/api/2014/monsters?lang=en"
        ),
        (
            "monsters?challengeRating=1,0.250,10,1.0",
            #"{"collection":"monsters","edition":"2014","challenge_rating":"0.25,1,10","sort":"relevance"}"#,
            "/api/2014/monsters?challenge_rating=0.25%2C1%2C10&lang=en"
        ),
        (
            "monsters?challengeRating=2&challengeRating=0.5&edition=2024",
            #"{"collection":"monsters","edition":"2024","challenge_rating":"0.5,2","sort":"relevance"}"#,
            "/api/2024/monsters?challenge_rating=0.5%2C2&lang=en"
        ),
        (
            "spells?level=3&school=Evoc%20%20ation&name=a",
            #"{"collection":"spells","edition":"2014","name":"a","level":"3","school":"evoc ation","sort":"relevance"}"#,
            "/api/2014/spells?lang=en&level=3&school=evoc%20ation"
        ),
        (
            "equipment?limit=1000",
            #"{"collection":"equipment","edition":"2014","limit":1000,"sort":"relevance"}"#,
            "/api/2014/equipment?lang=en"
        ),
        (
            "equipment/Club", #"{"collection":"equipment","edition":"2014","index":"club"}"#,
            "/api/2014/equipment/club?lang=en"
        ),
        (
            "monsters/x?edition=2024", #"{"collection":"monsters","edition":"2024","index":"x"}"#,
            "/api/2024/monsters/x?lang=en"
        ),
    ])
    func aQuestionIsAskedSo(_ route: String, _ told: String, _ target: String) throws {
        let endpoint = try endpoint(route)
        #expect(endpoint.query.lossyText == told)
        #expect(endpoint.upstream.target == target)
        #expect(endpoint.name == (route.contains("/") ? "details" : "list"))
        #expect(provider.endpointName(for: endpoint.upstream) == endpoint.name)
        #expect(provider.canonical(endpoint.upstream) == endpoint.upstream)
        let identity = endpoint.parameters.map { "\($0.name)=\($0.value ?? "")" }
        #expect(
            try identity
                == JSON.parse(endpoint.query).members.map { "\($0.name)=\($0.value.string ?? $0.value.raw.lossyText)" })
        #expect(endpoint.wider().isEmpty)
    }

    @Test(arguments: [
        (
            SearchRequest(term: " Red  Dragon "),
            #"{"collection":"monsters","edition":"2014","name":"red dragon","sort":"relevance"}"#
        ),
        (
            SearchRequest(term: "a", category: "spells", limit: 5, sort: .name, country: "de", explicit: false),
            #"{"collection":"spells","edition":"2014","name":"a","limit":5,"sort":"name"}"#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) throws {
        #expect(try provider.search(request).query.lossyText == told)
    }

    @Test(arguments: [
        (SearchRequest(term: " "), "A search needs a term."),
        (SearchRequest(term: "a", category: "films"), "The D&D API has no such category."),
    ])
    func anErrorOfASearchOfAllSourcesIsToldSo(_ request: SearchRequest, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try provider.search(request) }
        #expect(error.detail == detail)
    }

    private static let numbers = "takes numbers from 0 to 30, separated by commas (0.25, not 1/4)."
    private static let longest = String(repeating: "a", count: 201)

    @Test(
        arguments: [
            ("monsters?page=1", "unknownParameter page", #"This route has no parameter "page"."#),
            ("monsters?x=2&level=1", "unknownParameter level conflict", #"This route has no parameter "level"."#),
            ("equipment?school=a", "unknownParameter school conflict", #"This route has no parameter "school"."#),
            ("monsters/a?level=1", "unknownParameter level", #"This route has no parameter "level"."#),
            ("monsters?name=a&name=b", "repeatedParameter name", #""name" is given more than once."#),
            ("monsters?name=", "invalidParameter name", #""name" is empty."#),
            ("monsters?challengeRating=1/4", "invalidParameter challengeRating", #""challengeRating" \#(numbers)"#),
            ("monsters?challengeRating=31", "invalidParameter challengeRating", #""challengeRating" \#(numbers)"#),
            ("spells?level=1,,2", "invalidParameter level", #""level" has an empty part."#),
            ("spells?level=a", "invalidParameter level", #""level" \#(numbers)"#),
            ("spells?edition=2024", "invalidParameter edition conflict", "There are no spells in the edition of 2024."),
            (
                "spells/a?edition=2024", "invalidParameter edition conflict",
                "There are no spells in the edition of 2024."
            ),
            ("monsters?edition=3", "invalidParameter edition", #""edition" is not one of the allowed words."#),
            ("monsters?limit=0", "invalidParameter limit", #""limit" is not a number between 1 and 1000."#),
            ("monsters?sort=date", "invalidParameter sort", #""sort" is not one of the allowed words."#),
            (
                "monsters/a_b", "invalidParameter index",
                #"An index has letters, digits and hyphens only, as in "acid-arrow"."#
            ),
            ("dragons", "noSuchRoute ", "There is no route /v1/dnd/dragons. /openapi.json lists all routes."),
            ("Monsters", "noSuchRoute ", "There is no route /v1/dnd/Monsters. /openapi.json lists all routes."),
            ("monsters/a/b", "noSuchRoute ", "There is no route /v1/dnd/monsters/a/b. /openapi.json lists all routes."),
            ("spells?name=\(longest)", "invalidParameter name", #""name" is longer than 200 characters."#),
            ("spells?school=\(longest)", "invalidParameter school", #""school" is longer than 100 characters."#),
        ])
    func anErrorIsToldSo(_ route: String, _ code: String, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try endpoint(route) }
        let conflict = error.isConflict ? " conflict" : ""
        #expect("\(error.code) \(error.parameter ?? "")\(conflict)" == code)
        #expect(error.detail == detail)
    }

    @Test func anUnknownParameterOfACollectionIsToldWithItsOwnParameters() throws {
        let error = try #require(throws: ClientFacingError.self) { try endpoint("monsters?level=1") }
        #expect(error.allowed == ["name", "edition", "limit", "sort", "challengeRating"])
    }

    @Test(arguments: [
        ("/api/2014/monsters", "list"), ("/api/2014/monsters/", "list"), ("/api/2014/monsters/Gob%6Cin", "details"),
        ("/api/2014/monsters/a/b", "other"), ("/api/2024/spells", "other"), ("/api/2014/species", "other"),
        ("/api/2024/species/elf", "details"), ("/api/2014", "other"), ("/api/2014/", "other"), ("/graphql", "other"),
        ("/api/images/monsters/a.png", "other"), ("/api/2014/dragons/a", "other"), ("/api/2015/monsters", "other"),
        ("/", "other"), ("", "other"),
    ])
    func aPathBelongsToAQuestion(_ path: String, _ name: String) {
        #expect(provider.endpointName(for: UpstreamRequest(path: path)) == name)
    }

    @Test(
        arguments: [
            ("/api/2014/feats", nil, "/api/2014/feats?lang=en"),
            ("/api/2014/feats", "name=B&desc=a&lang=pt", "/api/2014/feats?desc=a&lang=pt&name=B"),
            ("/api/2014/spells", "school=A&level=1,2", "/api/2014/spells?lang=en&level=1%2C2&school=a"),
            ("/api/2014/x", "b=%ZZ&a=1", "/api/2014/x?b=%ZZ&a=1"),
            ("/api/images/a.png", "b=1&a=2", "/api/images/a.png?b=1&a=2"),
            ("/graphql", "query=%7Ba%7D&a=1", "/graphql?a=1&query=%7Ba%7D"),
        ] as [(String, String?, String)])
    func aRawRequestNamesItsLanguage(_ path: String, _ query: String?, _ target: String) {
        #expect(provider.canonical(UpstreamRequest(path: path, query: query)).target == target)
    }

    private static let json: HeaderFields = ["Content-Type": "application/JSON; charset=utf-8"]

    @Test(
        arguments: [
            (200, "list", "{}", [:], .broken("The answer has no list of results.")),
            (200, "list", "", [:], .broken("The answer is empty instead of JSON.")),
            (200, "list", #"{"results":[1]}"#, [:], .broken("The answer's list has no results.")),
            (200, "list", #"{"error":"it  broke"}"#, [:], .broken("it broke")),
            (200, "details", #"{"message":7}"#, [:], .broken("The answer has status 200 and contains an error.")),
            (200, "details", #"{"index":""}"#, [:], .broken("The answer is not a record of the D&D API.")),
            (200, "details", "{}", [:], .broken("The answer is not a record of the D&D API.")),
            (200, "details", "<html>", [:], .broken("The answer is HTML or XML instead of JSON.")),
            (200, "details", #"{"index":"a","error":"x"}"#, [:], .data),
            (200, "other", " ", [:], .notFound), (200, "other", "{}", json, .notFound),
            (200, "other", "GIF", ["Content-Type": "image/gif"], .data), (200, "other", "[]", json, .data),
            (200, "other", "7", json, .broken("The answer is not a record.")),
            (200, "other", "<html>", json, .broken("The answer is HTML or XML instead of JSON.")),
            (200, "other", #"{"message":"no"}"#, json, .broken("no")),
            (200, "other", #"{"message":"no","index":"x"}"#, json, .data),
            (404, "list", "", [:], .broken("The D&D API answered 404 for a list that exists.")),
            (404, "list", "Not Found", [:], .broken("The D&D API answered 404 for a list that exists.")),
            (404, "details", "Not  found", [:], .notFound),
            (410, "details", #"{"message":"Not Found"}"#, [:], .notFound),
            (404, "other", "File Not Found", [:], .notFound),
            (
                404, "details", #"{"message":"refused"}"#, [:],
                .broken("The D&D API answered 404, but not in the form of this API.")
            ),
            (404, "other", "<html>", [:], .broken("The D&D API answered 404, but not in the form of this API.")),
            (400, "list", #"{"error":"Invalid  query"}"#, [:], .invalidRequest("Invalid query")),
            (400, "list", #"{"message":"a b"}"#, [:], .invalidRequest("a b")),
            (400, "list", "no", [:], .invalidRequest("The D&D API refused the request.")),
            (403, "list", #"{"message":"a b"}"#, [:], .refused("The D&D API answered 403.")),
            (422, "list", #"{"message":"a b"}"#, [:], .invalidRequest("The D&D API answered 422.")),
            (500, "details", #"{"message":"a b"}"#, [:], .broken("The D&D API answered 500.")),
            (429, "list", "slow", ["Retry-After": "5"], .limited(until: WallTime(seconds: 1005))),
        ] as [(Int, String, String, HeaderFields, Classification)])
    func anAnswerIsJudgedSo(
        _ status: Int, _ endpoint: String, _ body: String, _ fields: HeaderFields, _ meaning: Classification
    ) {
        #expect(provider.classify(answer(body, status, fields), endpoint: endpoint) == meaning)
    }

    private static let list = #"""
        {"count":4,"results":[{"index":"rat","name":" Giant  Rat","url":"/api/2014/monsters/rat"},
        {"index":"b","url":"https://x/y"},{"name":"Rat King"},{"index":"owl","name":"Owl"}]}
        """#
    private static let rat = #"""
        {"id":"dnd5e:monster:rat","provider":"dnd5e","kind":"monster","title":"Giant Rat",\#
        "url":"http://host/dnd5e/api/2014/monsters/rat","attributes":{"index":"rat"}}
        """#
    private static let bee = #"""
        {"id":"dnd5e:monster:b","provider":"dnd5e","kind":"monster","title":"b","attributes":{"index":"b"}}
        """#
    private static let owl = #"""
        {"id":"dnd5e:monster:owl","provider":"dnd5e","kind":"monster","title":"Owl","attributes":{"index":"owl"}}
        """#

    @Test(arguments: [
        ("monsters", [rat, bee, owl], 1, 0, 4), ("monsters?name=RAT", [rat], 1, 2, 2),
        ("monsters?limit=1&sort=name", [bee], 1, 0, 4), ("monsters?challengeRating=1", [rat, bee, owl], 1, 0, 4),
    ])
    func aListIsToldSo(_ route: String, _ results: [String], _ dropped: Int, _ leftOut: Int, _ total: Int) throws {
        let told = try endpoint(route).normalise(answer(Self.list), signer)
        #expect(told.results.lossyText == "[\(results.joined(separator: ","))]")
        #expect(told.droppedReasons == ["index": dropped] && told.leftOut == leftOut && told.totalUpstream == total)
    }

    @Test func spellsOfALevelAreInTheWholeListIfItNamesAllLevels() throws {
        let wider = try #require(try endpoint("spells?level=0,2").wider().first)
        #expect(wider.request.target == "/api/2014/spells?lang=en")
        #expect(try wider.read(answer(Self.list), signer) == nil)
        let list = #"{"results":[{"index":"a","level":2},{"index":"b","level":3}]}"#
        #expect(
            try wider.read(answer(list), signer)?.results.lossyText == #"""
                [{"id":"dnd5e:spell:a","provider":"dnd5e","kind":"spell","title":"a",\#
                "attributes":{"index":"a","level":2}}]
                """#)
        #expect(try endpoint("spells?level=2&school=a").wider().isEmpty)
        #expect(try endpoint("monsters?challengeRating=2").wider().isEmpty)
    }

    @Test(arguments: [
        (
            "equipment/x",
            #"""
            {"index":"club","desc":["A.","B.",""],"equipment_category":{"index":"weapon","name":"Weapon","url":\#
            "/api/2014/equipment-categories/weapon"},"cost":{"quantity":1,"unit":"sp"},"weight":2,"type":"t",\#
            "image":"/api/images/../x.png","url":"/api/2014/equipment/club"}
            """#,
            #"""
            [{"id":"dnd5e:equipment:club","provider":"dnd5e","kind":"equipment","title":"club","summary":"A.\nB.",\#
            "url":"http://host/dnd5e/api/2014/equipment/club","price":{"amount":1,"currency":"sp"},\#
            "genres":["Weapon"],"attributes":{"index":"club","equipmentCategory":{"index":"weapon","name":"Weapon",\#
            "url":"http://host/dnd5e/api/2014/equipment-categories/weapon"},"weight":2,"type":"t"}}]
            """#
        ),
        (
            "monsters/x",
            #"""
            {"index":"rat","name":"Giant  Rat","desc":"One.","size":"Small","type":"beast","alignment":"unaligned",\#
            "armor_class":[{"type":"dex","value":12,"armor":[]}],"challenge_rating":0.125,\#
            "image":"/api/images/monsters/rat.png","url":"/api/2014/monsters/rat","updated_at":"x",\#
            "school":{"name":"S"},"cost":{"quantity":1.50,"unit":"gp"},"empty":null}
            """#,
            #"""
            [{"id":"dnd5e:monster:rat","provider":"dnd5e","kind":"monster","title":"Giant Rat",\#
            "summary":"Small beast, unaligned\nOne.","url":"http://host/dnd5e/api/2014/monsters/rat",\#
            "price":{"amount":1.5,"currency":"gp"},"genres":["beast"],"artwork":{"small":"/v1/artwork/AQVkbmQ1ZWh0dHA\#
            6Ly9ob3N0L2RuZDVlL2FwaS9pbWFnZXMvbW9uc3RlcnMvcmF0LnBuZxcBbtzPb2PVe4ezTOfHFpk","large":"/v1/artwork/AQVkb\#
            mQ1ZWh0dHA6Ly9ob3N0L2RuZDVlL2FwaS9pbWFnZXMvbW9uc3RlcnMvcmF0LnBuZxcBbtzPb2PVe4ezTOfHFpk",\#
            "original":"http://host/dnd5e/api/images/monsters/rat.png"},"attributes":{"index":"rat","size":"Small",\#
            "type":"beast","alignment":"unaligned","armorClass":[{"type":"dex","value":12}],"challengeRating":0.125,\#
            "school":{"name":"S"}}}]
            """#
        ),
        (
            "spells/x",
            #"""
            {"index":"acid","name":"Acid","description":["A <b>x</b>.","B."],"level":2,"school":{"name":"Evocation"},\#
            "dc":{"dc_type":{"url":"/api/2014/a"}},"image":"/img/a.png","url":"b"}
            """#,
            #"""
            [{"id":"dnd5e:spell:acid","provider":"dnd5e","kind":"spell","title":"Acid","summary":"A x.\nB.",\#
            "genres":["Evocation"],"attributes":{"index":"acid","level":2,"school":{"name":"Evocation"},\#
            "dc":{"dcType":{"url":"http://host/dnd5e/api/2014/a"}}}}]
            """#
        ),
    ])
    func aRecordIsToldSo(_ route: String, _ record: String, _ told: String) throws {
        #expect(try endpoint(route).normalise(answer(record), signer).results.lossyText == told)
    }

    @Test(arguments: [
        ("monsters", "{}", "The answer has no list of results."), ("monsters/x", "{}", "The record has no index."),
    ])
    func whatCannotBeReadIsAnError(_ route: String, _ body: String, _ message: String) throws {
        let error = try #require(throws: NormaliseError.self) { try endpoint(route).normalise(answer(body), signer) }
        #expect(error.message == message)
    }

    @Test(arguments: [(nil, "monster"), ("spells", "spell"), ("x", nil)] as [(String?, String?)])
    func aCategoryIsACollection(_ category: String?, _ kind: String?) {
        #expect(provider.kinds(of: category) == kind.map { [$0] })
    }
}
