// A foreign page under 404 or 410 never counts as an absence, at any endpoint. The API's own form of a 404 or 410 does.
import LarderCore
import Testing

@testable import LarderProviders

private func answer(_ status: Int, _ body: String) -> UpstreamResponse {
    UpstreamResponse(
        status: status, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
        responseTime: WallTime(seconds: 1000))
}

@Suite struct AbsenceTests {
    private static let foreign = [
        "", " \n", "<html><head><title>404 Not Found</title></head><body><center>nginx</center></body></html>",
        "<!DOCTYPE html><pre>Cannot GET /api</pre>", "404 page not found", "null", "42", "[]", "{}", #""Not Found""#,
        #"{"detail":"Not Found"}"#, #"{"code":404}"#,
    ]

    private static let providers: [any Provider] = [
        SpecProvider(.iTunes), SpecProvider(.newsAPI), SpecProvider(.dnd), SpecProvider(.jokes),
        SpecProvider(.jokes).speaking("icndb"),
        SpecProvider(.hackerNews),
        SpecProvider(.tmdb),
        SpecProvider(.imgur),
    ]

    @Test(arguments: [404, 410])
    func aPageOfSomebodyElseIsNoAbsence(_ status: Int) {
        for provider in Self.providers {
            for endpoint in provider.about.endpoints.map(\.name) + ["other"] {
                for body in Self.foreign {
                    let word = provider.classify(answer(status, body), endpoint: endpoint).word
                    #expect(word == "broken", "\(provider.about.name), \(endpoint): \(status) \(body)")
                }
            }
        }
    }

    @Test(arguments: [
        ("newsapi", 404, "other", #"{"status":"error","code":"somethingNew","message":"m"}"#),
        ("dnd5e", 404, "details", "Not Found"), ("dnd5e", 404, "details", #"{"error":"Not found"}"#),
        ("dnd5e", 404, "other", "Not Found\n"), ("dnd5e", 404, "other", "File Not Found"), ("dnd5e", 200, "other", ""),
        ("jokes", 404, "joke", #"{"timestamp":"t","status":404,"error":"Not Found","message":"m","path":"/jokes/x"}"#),
        ("hackernews", 200, "item", "null"), ("hackernews", 200, "user", "null"),
        ("hackernews", 404, "other", #"{"status":404,"error":"Not Found"}"#),
        ("tmdb", 404, "details", #"{"success":false,"status_code":34,"status_message":"m"}"#),
        ("tmdb", 404, "details", #"{"status_code":6,"status_message":"Invalid id"}"#),
        (
            "imgur", 404, "image",
            #"{"data":{"error":"Unable to find an image with the id, x"},"success":false,"status":404}"#
        ),
        ("imgur", 404, "image", #"{"errors":[{"id":"x","code":"404","detail":"Not found"}]}"#),
    ])
    func theOwnFormIsAnAbsence(_ name: String, _ status: Int, _ endpoint: String, _ body: String) throws {
        let provider = try #require(Self.providers.first { $0.about.name == name })
        #expect(provider.classify(answer(status, body), endpoint: endpoint).word == "notFound")
    }

    @Test(arguments: ["", "null", "42", "[]", "{}", #"{"city":"Ulm"}"#, #"[{"city":"Ulm"}]"#, "[1,2]", "<html>"])
    func aForeignAnswerUnder200IsNoData(_ body: String) {
        let own: Set = [
            // Bodies that the API itself sends: a list of ids, an empty list, a missing item.
            "hackernews top [1,2]", "hackernews top []", "hackernews item null", "hackernews user null",
            "jokes categories []",
        ]
        for provider in Self.providers {
            for endpoint in provider.about.endpoints.map(\.name) where endpoint != "other" {
                let isList = !["item", "user", "search", "recent"].contains(endpoint)
                let short = provider.about.name == "hackernews" && isList ? "top" : endpoint
                guard !own.contains("\(provider.about.name) \(short) \(body)") else { continue }
                let word = provider.classify(answer(200, body), endpoint: endpoint).word
                #expect(word == "broken", "\(provider.about.name), \(endpoint): \(body)")
            }
        }
    }
}
