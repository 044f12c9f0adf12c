// The classification of a response before anything is stored: the ways in which each API says no.
import LarderCore
import Testing

@testable import LarderProviders

private func answer(_ status: Int, _ body: String = "", _ fields: HeaderFields = [:]) -> UpstreamResponse {
    UpstreamResponse(
        status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
        responseTime: WallTime(seconds: 1000))
}

@Suite struct ClassificationTests {
    @Test(arguments: [
        (200, "\n\n{\"resultCount\":1,\"results\":[{}]}", "data"), (200, "{\"resultCount\":0,\"results\":[]}", "empty"),
        (200, "{\"resultCount\":3,\"results\":[]}", "broken"),
        (200, "{\"resultCount\":1,\"results\":[{\"trackName\":\"cut \\ud83d\"}]}", "data"), (200, "", "broken"),
        (200, "{\"resultCount\":1,\"results\":[{", "broken"),
        (200, "<html>Access denied</html>", "broken"), (200, "{}", "broken"), (200, "[]", "broken"),
        (200, "null", "broken"),
        (200, "{\"results\":{}}", "broken"), (200, "{\"errorMessage\":\"no\"}", "invalidRequest"), (403, "", "limited"),
        (403, "{\"resultCount\":0,\"results\":[]}", "limited"), (429, "", "limited"),
        (400, "{\"errorMessage\":\"x\"}", "invalidRequest"),
        (400, "<html>", "invalidRequest"), (404, "Not Found", "broken"), (500, "", "broken"), (503, "", "broken"),
        (301, "", "broken"),
        (304, "", "broken"), (206, "{\"resultCount\":0,\"results\":[]}", "broken"),
    ])
    func iTunes(_ status: Int, _ body: String, _ word: String) {
        #expect(Larder.classify(SpecProvider(.iTunes), "search", answer(status, body)) == word)
    }

    @Test(arguments: [
        (200, "{\"status\":\"ok\",\"totalResults\":1,\"articles\":[{}]}", "data"),
        (200, "{\"status\":\"ok\",\"totalResults\":0,\"articles\":[]}", "empty"),
        (200, "{\"status\":\"error\",\"code\":\"rateLimited\",\"message\":\"m\"}", "limited"),
        (429, "{\"status\":\"error\",\"code\":\"apiKeyExhausted\",\"message\":\"m\"}", "limited"),
        (429, "slow down", "limited"),
        (401, "{\"status\":\"error\",\"code\":\"apiKeyMissing\",\"message\":\"m\"}", "refused"),
        (401, "{\"status\":\"error\",\"code\":\"apiKeyDisabled\",\"message\":\"m\"}", "refused"), (401, "", "refused"),
        (426, "{\"status\":\"error\",\"code\":\"maximumResultsReached\",\"message\":\"m\"}", "invalidRequest"),
        (426, "{\"status\":\"error\",\"code\":\"corsNotAllowed\",\"message\":\"m\"}", "refused"),
        (400, "{\"status\":\"error\",\"code\":\"sourcesTooMany\",\"message\":\"m\"}", "invalidRequest"),
        (500, "{\"status\":\"error\",\"code\":\"unexpectedError\",\"message\":\"m\"}", "broken"),
        (418, "{\"status\":\"error\",\"code\":\"somethingNew\",\"message\":\"m\"}", "invalidRequest"),
        (200, "<!DOCTYPE html>", "broken"), (200, "{\"status\":\"ok\"}", "broken"), (200, "", "broken"),
        (502, "bad gateway", "broken"),
        (403, "<html>challenge</html>", "refused"),
    ])
    func newsAPI(_ status: Int, _ body: String, _ word: String) {
        #expect(Larder.classify(SpecProvider(.newsAPI), "headlines", answer(status, body)) == word)
    }

    @Test(arguments: [
        (200, "list", "{\"count\":1,\"results\":[{}]}", "data"), (200, "list", "{\"count\":0,\"results\":[]}", "empty"),
        (200, "details", "{\"index\":\"a\"}", "data"), (200, "details", "", "broken"), (200, "other", "", "notFound"),
        (200, "details", "{}", "broken"), (200, "details", "null", "broken"), (200, "details", "42", "broken"),
        (200, "details", "[]", "broken"), (200, "details", "{\"city\":\"Ulm\"}", "broken"),
        (200, "details", "{\"index\":3}", "broken"), (200, "list", "", "broken"), (200, "list", "null", "broken"),
        (200, "list", "{}", "broken"), (200, "list", "{\"results\":[1,2]}", "broken"),
        (404, "details", "Not Found", "notFound"), (404, "list", "{\"error\":\"Not found\"}", "broken"),
        (410, "list", "Not Found", "broken"),
        (404, "list", "{\"message\":\"connection refused\"}", "broken"),
        (400, "list", "{\"error\":\"Invalid query parameters\"}", "invalidRequest"),
        (429, "list", "Too many", "limited"),
        (200, "list", "<html>", "broken"), (200, "list", "{\"a\":1}", "broken"),
        (200, "details", "{\"message\":\"boom\"}", "broken"),
        (500, "list", "", "broken"), (200, "other", "anything", "data"),
    ])
    func dnd(_ status: Int, _ endpoint: String, _ body: String, _ word: String) {
        #expect(Larder.classify(SpecProvider(.dnd), endpoint, answer(status, body)) == word)
    }

    @Test(arguments: [
        (200, "data", "data"), (404, "data", "notFound"), (410, "data", "notFound"), (401, "data", "refused"),
        (400, "data", "invalidRequest"),
        (429, "limited", "limited"), (500, "broken", "broken"), (503, "broken", "broken"), (501, "data", "broken"),
        (301, "data", "data"),
        (304, "data", "data"),
    ])
    func passthrough(_ status: Int, _ rfc: String, _ ttl: String) {
        let url = "http://127.0.0.1:1"
        #expect(Larder.classify(Passthrough(name: "p", baseURL: url), "other", answer(status)) == rfc)
        #expect(Larder.classify(Passthrough(name: "p", baseURL: url, semantics: .ttl), "other", answer(status)) == ttl)
    }

    @Test func aPassthroughChangesNoRequest() {
        let request = UpstreamRequest(path: "/A//b/%7e", query: "z=1&a=%2f&a", fields: ["Accept": "x"])
        #expect(Passthrough(name: "p", baseURL: "http://h").canonical(request) == request)
    }

    @Test func retryAfterIsTakenInSecondsAndAsADate() {
        func until(_ text: String) -> Classification {
            SpecProvider(.iTunes).classify(answer(429, "", ["Retry-After": text]), endpoint: "search")
        }
        #expect(until("120") == .limited(until: WallTime(seconds: 1120)))
        // The response came at 00:16:40.
        #expect(until("Thu, 01 Jan 1970 00:20:00 GMT") == .limited(until: WallTime(seconds: 1200)))
        #expect(until("-1") == .limited(until: nil))
    }

    @Test(arguments: ["itunes", "dnd", "hackernews", "jokes", "imgur", "newsapi", "tmdb", "passthrough"])
    func aPauseThatA503NamesIsHeededAsThatOfA429Is(_ name: String) {
        let providers: [String: any Provider] = [
            "itunes": SpecProvider(.iTunes), "dnd": SpecProvider(.dnd), "hackernews": SpecProvider(.hackerNews),
            "jokes": SpecProvider(.jokes),
            "imgur": SpecProvider(.imgur),
            "newsapi": SpecProvider(.newsAPI), "tmdb": SpecProvider(.tmdb),
            "passthrough": Passthrough(name: "p", baseURL: "http://h"),
        ]
        func classified(_ fields: HeaderFields) -> Classification? {
            let busy = answer(503, "<html>busy</html>", fields)
            return providers[name]?.classify(busy, endpoint: "other").heedingRetryAfter(of: busy)
        }
        #expect(classified(["Retry-After": "60"]) == .limited(until: WallTime(seconds: 1060)))
        for fields in [[:], ["Retry-After": "soon"], ["Retry-After": "-5"]] as [HeaderFields] {
            #expect(classified(fields)?.word == "broken")
        }
        let page = answer(502, "", ["Retry-After": "60"])
        #expect(Classification.broken("x").heedingRetryAfter(of: page) == .broken("x"), "that is no pause")
    }

    @Test func messagesAreOneLineAndShort() {
        let long = "{\"errorMessage\":\"a\\n\\u0007b" + String(repeating: "x", count: 5000) + "\"}"
        guard case .invalidRequest(let text) = SpecProvider(.iTunes).classify(answer(400, long), endpoint: "search")
        else {
            Issue.record("not classified as invalid")
            return
        }
        #expect(text.count == 300)
        #expect(text.hasPrefix("a b"))
    }
}

private enum Larder {
    static func classify(_ provider: some Provider, _ endpoint: String, _ response: UpstreamResponse) -> String {
        provider.classify(response, endpoint: endpoint).word
    }
}
