// A language model asks through /mcp: what it finds, what it does not find, and what failed, told apart in words.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct MCPScenarios {
    /// Sends one message and returns the response's JSON.
    private func call(_ larder: RunningLarder, _ method: String, _ params: String = "{}") async throws -> JSONValue {
        let body = #"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(params)}"#
        let answer = try await larder.send(
            "POST", "/mcp", fields: [("Content-Type", "application/json")], body: body)
        #expect(answer.status == 200, "\(answer)")
        let value = try answer.json()
        #expect(value["id"]?.integer == 7)
        return value
    }

    /// The texts of a tool's result, and whether it is an error.
    private func use(
        _ larder: RunningLarder, _ tool: String, _ arguments: String
    ) async throws -> (texts: [String], isError: Bool) {
        let params = #"{"name":"\#(tool)","arguments":\#(arguments)}"#
        let result = try #require(try await call(larder, "tools/call", params)["result"])
        let texts = result["content"]?.elements.compactMap { $0["text"]?.string } ?? []
        return (texts, result["isError"]?.bool == true)
    }

    private func withMarket(
        _ more: [String: String] = [:], _ body: (RunningLarder, Market) async throws -> Void
    ) async throws {
        let market = Market()
        defer { market.origin.stop() }
        try await withLarder(market.configuration(more)) { try await body($0, market) }
    }

    @Test func theServerIntroducesItselfInTheVersionOfItsClient() async throws {
        try await withMarket { larder, _ in
            let old = try await call(larder, "initialize", #"{"protocolVersion":"2024-11-05"}"#)
            #expect(old["result"]?["protocolVersion"]?.string == "2024-11-05")
            let unknown = try await call(larder, "initialize", #"{"protocolVersion":"1999-01-01"}"#)
            #expect(unknown["result"]?["protocolVersion"]?.string == "2025-11-25")
            #expect(unknown["result"]?["serverInfo"]?["name"]?.string == "larder")
        }
    }

    @Test func toolsTakeTheParametersOfTheirRoutes() async throws {
        try await withMarket { larder, _ in
            let tools = try #require(try await call(larder, "tools/list")["result"]?["tools"]).elements
            let search = try #require(tools.first { $0["name"]?.string == "search" })
            let properties = search["inputSchema"]?["properties"]
            #expect(properties?["limit"]?["maximum"]?.integer == 200)
            #expect(properties?["source"]?["type"]?.string == "array")
            #expect(search["inputSchema"]?["required"]?.elements.compactMap(\.string) == ["q"])
        }
    }

    @Test func resultsComeAsASentenceAndJSON() async throws {
        try await withMarket { larder, market in
            let found = try await use(larder, "search", #"{"q":"fire","source":["itunes","dnd"],"limit":5}"#)
            #expect(found.texts[0].hasPrefix("4 results from itunes, dnd5e."), "\(found)")
            #expect(try JSON.parse(Bytes(text: found.texts[1])).count == 4)
            #expect(!found.isError)
            // The same question of another session costs nothing.
            _ = try await use(larder, "search", #"{"q":"fire","source":"itunes,dnd","limit":5}"#)
            #expect(market.calls("itunes") == 1)
        }
    }

    @Test func resultsAreLeftOutWhole() async throws {
        try await withMarket { larder, _ in
            let all = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            let most = all.texts[1].utf8.count - 1
            let cut = try await use(larder, "search", #"{"q":"fire","source":"itunes","maxBytes":\#(most)}"#)
            #expect(try JSON.parse(Bytes(text: cut.texts[1])).count == 2, "\(cut)")
            #expect(cut.texts[0].contains("2 of 3 results are shown"))
        }
    }

    @Test func nothingFoundIsNotAFailure() async throws {
        try await withMarket { larder, market in
            market.set("itunes", .send(ok(#"{"resultCount":0,"results":[]}"#)))
            let found = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            #expect(found.texts[0].hasPrefix("No results: every source that was asked answered"))
            #expect(!found.isError)
        }
    }

    @Test func aFailureIsNotNothingFound() async throws {
        try await withMarket { larder, market in
            market.set("itunes", .send(ok("", status: "500 Internal Server Error")))
            let found = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            #expect(found.isError)
            #expect(found.texts[0].hasPrefix("Failed, which does not mean no results: "), "\(found)")
        }
    }

    @Test func aPartialAnswerNamesWhatFailed() async throws {
        try await withMarket { larder, market in
            market.set("dnd5e", .send(ok("", status: "500 Internal Server Error")))
            let found = try await use(larder, "search", #"{"q":"fire","source":"itunes,dnd"}"#)
            #expect(found.texts[0].hasPrefix("Partial: 3 results from itunes, and something is missing."), "\(found)")
            #expect(found.texts[0].contains("dnd5e failed, which does not mean no results: "))
            #expect(!found.isError)
        }
    }

    @Test func aStaleAnswerSaysSo() async throws {
        try await withMarket(["itunes": ", ttl: 1s, staleFor: 1h"]) { larder, market in
            _ = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            market.set("itunes", .send(ok("", status: "500 Internal Server Error")))
            try await larder.eventually("the answer is stale") {
                let found = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
                return found.texts[0].contains("The results of itunes are stale: they were fetched at 20")
            }
        }
    }

    @Test func whatIsStoredIsFoundWithoutACall() async throws {
        try await withMarket { larder, market in
            _ = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            try await larder.awaitCommits()
            let found = try await use(larder, "search_stored", #"{"q":"arbol"}"#)
            #expect(found.texts[0].hasPrefix("1 of 1 stored result. No API was asked."), "\(found)")
            #expect(market.calls("itunes") == 1)
        }
    }

    @Test func oneSourceIsAskedWhatItListsAsItsQuestions() async throws {
        try await InterfaceScenarios.withSamples { larder in
            let listed = try await use(larder, "list_questions", #"{"source":"dnd"}"#)
            #expect(
                listed.texts[1].contains("monsters/{index}") || listed.texts[1].contains("{collection}"), "\(listed)")
            let found = try await use(larder, "ask_source", #"{"source":"dnd","question":"monsters/aboleth"}"#)
            #expect(found.texts[0].hasPrefix("1 result from dnd5e."), "\(found)")
            let named = try await use(
                larder, "ask_source",
                #"{"source":"dnd","question":"monsters","parameters":{"name":"dragon"},"maxBytes":1000000}"#)
            #expect(named.texts[1].contains("ragon"), "\(named)")
        }
    }

    @Test func aURLOfAConfiguredAPIIsReadThroughTheCache() async throws {
        try await withMarket { larder, market in
            let url = "\(market.origin.base)/itunes/search?term=fire"
            let missing = try await use(larder, "get", #"{"url":"\#(url)","storedOnly":"yes"}"#)
            #expect(missing.isError, "\(missing)")
            let found = try await use(larder, "get", #"{"url":"\#(url)"}"#)
            #expect(found.texts[0].hasPrefix("Status 200. Cache-Status: larder; fwd=uri-miss"), "\(found)")
            #expect(found.texts[1].contains("zebra fire"))
            let again = try await use(larder, "get", #"{"url":"/raw/itunes/search?term=fire","maxBytes":100}"#)
            #expect(again.texts[0].contains("larder; hit"), "\(again)")
            #expect(again.texts[0].contains("Only the first 100 bytes are shown"))
            let foreign = try await use(larder, "get", #"{"url":"http://169.254.169.254/latest/meta-data"}"#)
            #expect(foreign.isError)
            #expect(foreign.texts[0].contains("No API is configured for this URL."))
            #expect(market.calls("itunes") == 1)
        }
    }

    @Test func aResultLeadsToItsExplanationAndTheBudgetsAreTold() async throws {
        try await withMarket { larder, _ in
            let found = try await use(larder, "search", #"{"q":"fire","source":"itunes"}"#)
            let id = try #require(found.texts[0].split(separator: "(request ").last?.dropLast())
            let why = try await use(larder, "explain", #"{"request":"\#(id)"}"#)
            #expect(why.texts[0].contains("itunes:\n"), "\(why)")
            let quota = try await use(larder, "quota", "{}")
            #expect(quota.texts[0].contains("itunes: ready; reachable"), "\(quota)")
        }
    }

    @Test(arguments: [
        ("search", "{}", "needs a term"), ("search", #"{"q":"x","query":"x"}"#, "no argument named \"query\""),
        ("search", #"{"q":"x","limit":0}"#, "limit"), ("search", #"{"q":{"a":1}}"#, "\"q\" must be"),
        ("ask_source", #"{"source":"nobody","question":"x"}"#, "no source named \"nobody\""),
        ("search", #"{"q":"x","maxBytes":1}"#, "maxBytes"), ("explain", #"{"request":"x"}"#, "not a request id"),
    ])
    func aWrongArgumentIsToldToTheModel(_ tool: String, _ arguments: String, _ words: String) async throws {
        try await withMarket { larder, _ in
            let answer = try await use(larder, tool, arguments)
            #expect(answer.isError)
            #expect(answer.texts[0].contains(words), "\(answer)")
        }
    }

    @Test(arguments: [
        ("no JSON", 400, -32700), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 400, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, 400, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, 200, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}"#, 200, -32602),
    ])
    func aMessageThatIsNoneIsAnErrorOfTheProtocol(_ body: String, _ status: Int, _ code: Int) async throws {
        try await withMarket { larder, _ in
            let answer = try await larder.send(
                "POST", "/mcp", fields: [("Content-Type", "application/json")], body: body)
            #expect(answer.status == status)
            #expect(try answer.json()["error"]?["code"]?.integer == code, "\(answer)")
        }
    }

    @Test func aNotificationHasNoAnswer() async throws {
        try await withMarket { larder, _ in
            let answer = try await larder.send(
                "POST", "/mcp", fields: [("Content-Type", "application/json")],
                body: #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            #expect(answer.status == 202)
            #expect(answer.text.isEmpty)
        }
    }

    @Test(arguments: [
        ("Content-Type", "text/plain", 415), ("MCP-Protocol-Version", "1999-01-01", 400),
        ("Origin", "https://evil.example", 403),
    ])
    func whatAPageOfAnotherSiteCouldSendIsRefused(_ name: String, _ value: String, _ status: Int) async throws {
        try await withMarket { larder, _ in
            var fields = [("Content-Type", "application/json")].filter { $0.0 != name }
            fields.append((name, value))
            let answer = try await larder.send(
                "POST", "/mcp", fields: fields, body: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
            #expect(answer.status == status, "\(answer)")
        }
    }

    /// A daemon with one API, asked by `get`.
    private func withAPI(
        _ answer: String, _ more: String = "", _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin(answering: answer)
        defer { origin.stop() }
        let settings = "providers:\n  api: { kind: passthrough, baseURL: \"\(origin.base)\" }\n\(more)"
        try await withLarder(settings.replacing("BASE", with: origin.base)) { try await body($0, origin) }
    }

    @Test func wordsOfTheAPIAreNotLarders() async throws {
        let answer =
            "HTTP/1.1 200 OK\r\nCache-Status: evil; hit; detail=\"call me\"\r\nContent-Type: a/b (call me)\r\n"
            + "Content-Length: 1\r\n\r\n\0"
        try await withAPI(answer) { larder, origin in
            let told = try await use(larder, "get", #"{"url":"\#(origin.base)/x"}"#)
            #expect(!told.texts[0].contains("call me"), "\(told)")
            #expect(told.texts[0].contains("Cache-Status: larder"), "\(told)")
        }
    }

    @Test func aURLThatNamesAnotherMethodIsNotAsked() async throws {
        try await withAPI(ok("{}")) { larder, origin in
            let told = try await use(larder, "get", #"{"url":"\#(origin.base)/x?_method=DELETE"}"#)
            #expect(told.isError)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func ofNestedBaseURLsTheLongestIsAsked() async throws {
        let more = "  part: { kind: passthrough, baseURL: \"BASE/part\", key: k3y-of-part, keyIn: header X-Api-Key }"
        try await withAPI(ok("{}"), more) { larder, origin in
            _ = try await use(larder, "get", #"{"url":"\#(origin.base)/part/x"}"#)
            #expect(origin.requests.first?.field("X-Api-Key") == "k3y-of-part")
        }
    }

    @Test func itemsAreLeftOutWholeOfAHitToo() async throws {
        let items = "[" + (0..<3000).map { "{\"n\":\($0),\"text\":\"some words\"}" }.joined(separator: ",") + "]"
        let fields = "Content-Type: application/json\r\nCache-Control: max-age=600\r\n"
        try await withAPI(ok(items, fields: fields)) { larder, origin in
            for _ in 0..<3 {
                let told = try await use(larder, "get", #"{"url":"\#(origin.base)/x"}"#)
                #expect(told.texts[0].contains("of 3000 items are shown"), "\(told.texts[0])")
                try await larder.awaitCommits()
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aMessageWithAnIdAndNoMethodIsRefused() async throws {
        try await withMarket { larder, _ in
            let answer = try await larder.send(
                "POST", "/mcp", fields: [("Content-Type", "application/json")],
                body: #"{"jsonrpc":"2.0","id":8,"method":5}"#)
            #expect(answer.status == 400)
            #expect(try answer.json()["id"]?.integer == 8)
            #expect(try answer.json()["error"]?["code"]?.integer == -32600)
        }
    }

    @Test func argumentsThatAreNullAreAbsent() async throws {
        try await withMarket { larder, _ in
            let told = try await use(larder, "quota", "null")
            #expect(!told.isError)
        }
    }
}
