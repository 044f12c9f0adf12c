// Who gets the next call: a person before the mass, tools in turns, refreshes last; and what a budget keeps for whom.
import Foundation
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct SharedQuotaScenarios {
    private static let found = ok("{\"resultCount\":0,\"results\":[]}")
    private static let person = ("Priority", "u=1")
    private static let patience = "fetch: { queueTimeout: 5min, deadline: 5min, failurePause: 10s }"

    /// An origin that holds the first call, and others as long as the test wants.
    private final class Held: Sendable {
        /// Holds the call for the term `first`.
        let first = Gate()
        /// Holds all calls whose term begins with `mass`.
        let mass = Gate()
        let origin: ScriptedOrigin

        init() {
            let (first, mass) = (first, mass)
            origin = ScriptedOrigin { request in
                if request.target.contains("term=first") { return [.await(first), .send(SharedQuotaScenarios.found)] }
                if request.target.contains("term=mass") { return [.await(mass), .send(SharedQuotaScenarios.found)] }
                return [.send(SharedQuotaScenarios.found)]
            }
        }

        func end() {
            first.open()
            mass.open()
            origin.stop()
        }

        /// The terms of the calls, in their order.
        var terms: [String] {
            origin.requests.compactMap { request in
                request.target.split(separator: "&").flatMap { $0.split(separator: "?") }
                    .first { $0.hasPrefix("term=") }.map { String($0.dropFirst(5)) }
            }
        }
    }

    private func itunes(_ origin: ScriptedOrigin, _ own: String, _ more: String = patience) -> String {
        "\(more)\nproviders: { itunes: { baseURL: \"\(origin.base)\", quota: off, \(own) } }"
    }

    private func search(
        _ larder: RunningLarder, _ term: String, _ fields: (String, String)...
    ) async throws -> WireResponse {
        try await larder.send("GET", "/v1/itunes/search?q=\(term)", fields: fields)
    }

    private func waits(_ count: Int, _ larder: RunningLarder) async throws {
        try await larder.eventually("\(count) calls wait") {
            try await larder.counter("larder_fetch_waiting") == count
        }
    }

    /// Eighty programs, each over a connection of its own, and eight places. All calls of the mass are held but one.
    @Test func aPersonsMissWaitsForOneCallOfTheMassAtMost() async throws {
        let held = Held()
        defer { held.end() }
        try await withLarder(itunes(held.origin, "rate: off, maxConnections: 8")) { larder in
            async let first = search(larder, "first")
            try await larder.eventually("the first is sent") { held.terms == ["first"] }
            try await withThrowingTaskGroup { group in
                for number in 1..<80 { group.addTask { try await search(larder, "mass\(number)").status } }
                try await waits(72, larder)
                async let answer = search(larder, "person", Self.person)
                try await waits(73, larder)
                held.first.open()
                // It is answered while all other calls of the mass are held.
                #expect(try await answer.status == 200)
                #expect(held.terms[8] == "person", "\(held.terms)")
                // Its place goes to a call of the mass, which reaches the origin after the person has the answer.
                try await larder.eventually("one call of the mass follows") { held.terms.count == 10 }
                held.mass.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await first.status == 200)
        }
    }

    /// Twenty clients that call all their requests urgent, and one place.
    @Test func aToolIsNotHeldUpByClientsThatCallThemselvesUrgent() async throws {
        let held = Held()
        defer { held.end() }
        let more = "tools: { name: editor, token: token-of-the-editor }\n\(Self.patience)"
        try await withLarder(itunes(held.origin, "rate: off, maxConnections: 1", more)) { larder in
            async let first = search(larder, "first")
            try await larder.eventually("the first is sent") { held.terms == ["first"] }
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask { try await search(larder, "urgent\(number)", ("Priority", "u=0")).status }
                }
                try await waits(20, larder)
                async let answer = search(larder, "tool", ("Authorization", "Bearer token-of-the-editor"))
                try await waits(21, larder)
                held.first.open()
                #expect(try await answer.status == 200)
                for try await status in group { #expect(status == 200) }
                #expect(held.terms.firstIndex(of: "tool") == 4, "\(held.terms)")
            }
            #expect(try await first.status == 200)
        }
    }

    @Test func aPersonWhoJoinsACallOfTheMassBringsItForward() async throws {
        let held = Held()
        defer { held.end() }
        try await withLarder(itunes(held.origin, "rate: off, maxConnections: 1")) { larder in
            try await withThrowingTaskGroup { group in
                group.addTask { try await search(larder, "first").status }
                try await larder.eventually("the first is sent") { held.terms == ["first"] }
                for number in 1...20 {
                    group.addTask { try await search(larder, "mass\(number)").status }
                    try await waits(number, larder)
                }
                group.addTask { try await search(larder, "mass20", Self.person).status }
                try await larder.eventually("the person has joined") {
                    try await larder.counter("larder_joined_total") == 1
                }
                held.first.open()
                try await larder.eventually("the next is sent") { held.terms.count == 2 }
                #expect(held.terms == ["first", "mass20"])
                held.mass.open()
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func twoToolsTakeTurnsHoweverManyConnectionsOneOpens() async throws {
        let held = Held()
        defer { held.end() }
        let tools =
            "tools: [{ name: batch, token: token-for-the-batch }, { name: editor, token: token-for-the-editor }]"
        let configuration = itunes(held.origin, "rate: off, maxConnections: 1", "\(Self.patience)\n\(tools)")
        try await withLarder(configuration) { larder in
            try await withThrowingTaskGroup { group in
                group.addTask { try await search(larder, "first").status }
                try await larder.eventually("the first is sent") { held.terms == ["first"] }
                for number in 0..<20 {
                    group.addTask {
                        try await search(larder, "b\(number)", ("Authorization", "Bearer token-for-the-batch")).status
                    }
                }
                try await waits(20, larder)
                for number in 0..<5 {
                    group.addTask {
                        try await search(larder, "e\(number)", ("Authorization", "Bearer token-for-the-editor")).status
                    }
                }
                try await waits(25, larder)
                held.first.open()
                for try await status in group { #expect(status == 200) }
            }
            let last = try #require(held.terms.lastIndex { $0.hasPrefix("e") })
            #expect(last <= 10, "\(held.terms)")
            let counts = [("batch", 20), ("editor", 5), ("other", 1)]
            for (tool, calls) in counts {
                let labels = #"provider="itunes",tool="\#(tool)""#
                #expect(try await larder.counter("larder_tool_calls_total", labels) == calls)
            }
        }
    }

    @Test func theReserveIsLeftToAPersonAlsoForWhatTheMassWasRefused() async throws {
        let held = Held()
        defer { held.end() }
        let configuration = itunes(held.origin, "rate: 10/h", "\(Self.patience)\nquota: { reserve: 20 % }")
        try await withLarder(configuration) { larder in
            for number in 0..<8 { #expect(try await search(larder, "a\(number)").status == 200) }
            let refused = try await search(larder, "wanted")
            #expect(refused.status == 429 && refused["Retry-After"] != nil, "\(refused)")
            #expect(try refused.json()["detail"]?.string?.contains("quota.reserve") == true, "\(refused)")
            #expect(try await search(larder, "wanted", ("Priority", "u=9")).status == 429, "no such urgency")
            #expect(try await search(larder, "wanted", Self.person).status == 200)
            #expect(try await search(larder, "another", Self.person).status == 200)
            #expect(try await search(larder, "third", Self.person).status == 429)
            #expect(held.origin.requests.count == 10)
        }
    }

    @Test func theConsolesPageMayUseTheReserve() async throws {
        let held = Held()
        defer { held.end() }
        let configuration = itunes(held.origin, "rate: 10/h", "\(Self.patience)\nquota: { reserve: 20 % }")
        try await withLarder(configuration) { larder in
            for number in 0..<8 { #expect(try await search(larder, "a\(number)").status == 200) }
            let page = try await larder.get("/?q=seen&plain=1", ("Sec-Fetch-Site", "none"), ("Accept", "text/html"))
            #expect(page.status == 200)
            #expect(held.terms.last == "seen")
        }
    }

    @Test func aToolGetsItsShareAfterAnotherHasTakenAllItCan() async throws {
        let held = Held()
        defer { held.end() }
        let more = "\(Self.patience)\ntools: [{ name: editor, token: token-for-the-editor, share: 30 % }]"
        try await withLarder(itunes(held.origin, "rate: 10/h", more)) { larder in
            for number in 0..<7 { #expect(try await search(larder, "a\(number)").status == 200) }
            #expect(try await search(larder, "b").status == 429)
            for number in 0..<3 {
                let answer = try await search(larder, "e\(number)", ("Authorization", "Bearer token-for-the-editor"))
                #expect(answer.status == 200)
            }
            let status = try await larder.get("/v1/status").json()
            let itunes = try #require(status["providers"]?.elements.first { $0["name"]?.string == "itunes" })
            let tools = try #require(itunes["tools"]).elements.map { tool in
                "\(tool["tool"]?.string ?? "") \(tool["calls"]?.integer ?? -1) \(tool["refused"]?.integer ?? -1) "
                    + "\(tool["rate"]?.integer ?? -1)"
            }
            #expect(tools == ["editor 3 0 3", "other 7 1 7"])
        }
    }

    @Test func aRefreshGoesAfterWhatAProgramWaitsFor() async throws {
        let held = Held()
        defer { held.end() }
        let time = ManualTime()
        try await withLarder(itunes(held.origin, "rate: off, maxConnections: 1, ttl: 60s"), time: time) { larder in
            #expect(try await search(larder, "old").status == 200)
            time.advance(by: .seconds(3600))
            async let first = search(larder, "first")
            try await larder.eventually("the first is sent") { held.terms == ["old", "first"] }
            #expect(try await search(larder, "old").status == 200, "stale, and to be refreshed")
            try await waits(1, larder)
            async let later = search(larder, "later")
            try await waits(2, larder)
            held.first.open()
            #expect(try await first.status == 200)
            #expect(try await later.status == 200)
            try await larder.eventually("it is refreshed") { held.terms.count == 4 }
            #expect(held.terms == ["old", "first", "later", "old"])
        }
    }

    @Test func aFloodOfNamesMakesNoSeriesAndNoTurns() async throws {
        let held = Held()
        defer { held.end() }
        let more = "\(Self.patience)\ntools: [{ name: notebook }, { name: batch, token: token-for-the-batch }]"
        try await withLarder(itunes(held.origin, "rate: off", more)) { larder in
            for number in 0..<50 { _ = try await search(larder, "a\(number)", ("X-Larder-Tool", "tool\(number)")) }
            _ = try await search(larder, "said", ("X-Larder-Tool", "notebook"))
            _ = try await search(larder, "claimed", ("X-Larder-Tool", "batch"))
            let series = try await larder.get("/metrics").text.split(separator: "\n")
                .filter { $0.hasPrefix("larder_tool_calls_total{") }
            #expect(
                series.sorted() == [
                    #"larder_tool_calls_total{provider="itunes",tool="notebook"} 1"#,
                    #"larder_tool_calls_total{provider="itunes",tool="other"} 51"#,
                ])
        }
    }

    /// The fields are for Larder alone. They neither go upstream nor choose an answer, and a tool's token makes no
    /// request personal.
    @Test func whatTellsToolsApartStaysHere() async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nVary: Priority\r\nContent-Length: 2\r\n\r\nok")
        defer { origin.stop() }
        let configuration = """
            tools: [{ name: batch, token: token-for-the-batch }]
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            """
        try await withLarder(configuration) { larder in
            let fields = [
                ("Authorization", "Bearer token-for-the-batch"), ("Priority", "u=1"), ("X-Larder-Tool", "batch"),
            ]
            #expect(try await larder.send("GET", "/raw/api/x", fields: fields).status == 200)
            let again = try await larder.get("/raw/api/x", ("Priority", "u=5"))
            #expect(again["Cache-Status"]?.contains("hit") == true, "\(again)")
            let seen = try #require(origin.requests.first)
            #expect(origin.requests.count == 1)
            for (name, _) in fields { #expect(seen.field(name) == nil, "\(seen.head)") }
            _ = try await larder.get("/raw/api/y", ("Authorization", "Bearer of-the-api"))
            #expect(origin.requests.last?.field("Authorization") == "Bearer of-the-api")
        }
    }

    /// An API that repeats the token, as one does that was told it by somebody else.
    @Test func noTokenOfAToolIsInAnAnswerALogOrTheCache() async throws {
        let token = "token-for-the-batch"
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let origin = ScriptedOrigin(
            answering: ok("known: \(token)", status: "401 No \(token)", fields: "X-Said: \(token)\r\n"))
        defer { origin.stop() }
        let configuration = """
            tools: [{ name: batch, token: \(token) }]
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            admin: { token: \(Fleet.token) }
            """
        try await withLarder(configuration, log: log) { larder async throws in
            let authority = ("Authorization", "Bearer \(Fleet.token)")
            var told = ""
            for login in ["Bearer \(token)", "Basic \(Data("batch:\(token)".utf8).base64EncodedString())"] {
                let answer = try await larder.get("/raw/api/x", ("Authorization", login))
                #expect(answer["X-Said"] == "(hidden)", "\(answer)")
                told += "\(answer.fields)"
                told += "\(try await larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")", authority))"
            }
            for target in ["/v1/entries", "/v1/status", "/metrics", "/v1/requests"] {
                told += try await larder.get(target, authority).text
            }
            #expect(!(told + lines.withLock { $0 }).contains(token), "\(told)")
            for request in origin.requests { #expect(request.field("Authorization") == nil, "\(request.head)") }
        }
    }

    @Test func aUserOfTheSocketIsItsTool() async throws {
        let held = Held()
        let place = TemporaryDirectory()
        defer { held.end() }
        let me = "\(getuid())"
        let more = "\(Self.patience)\ntools: [{ name: mine, user: \(me), share: 90 % }]"
        let listen = [#""127.0.0.1:0""#, "\"unix:\(place.path)/s\""]
        try await withLarder(itunes(held.origin, "rate: 10/h", more), listen: listen) { larder async throws in
            #expect(try await larder.get("/v1/itunes/search?q=own", at: larder.addresses[1]).status == 200)
            #expect(try await larder.counter("larder_tool_calls_total", #"provider="itunes",tool="mine""#) == 1)
            #expect(try await search(larder, "a").status == 200)
            #expect(try await search(larder, "b").status == 429)
        }
    }
}
