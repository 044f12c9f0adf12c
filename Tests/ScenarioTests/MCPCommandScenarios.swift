// `larder mcp`: what a host writes to its standard input is answered by the daemon that runs, or by one of its own.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct MCPCommandScenarios {
    /// The answers to messages, in the order of their ids.
    private func speak(
        _ messages: [String], _ environment: [String: String], _ words: String = ""
    ) async throws -> [JSONValue] {
        let text = messages.joined(separator: "\n")
        let result = try await ToolProcess.run(
            ["sh", "-c", "printf '%s\\n' \"$MESSAGES\" | \"$LARDER\" mcp \(words)"],
            environment: environment.merging(
                ["MESSAGES": text, "LARDER": try LarderProcess.program()]) { $1 })
        #expect(result.status == 0, "\(result.text)")
        return try result.text.split(separator: "\n").map { try JSON.parse(Bytes(text: String($0))) }
            .sorted { ($0["id"]?.integer ?? 0) < ($1["id"]?.integer ?? 0) }
    }

    private static func search(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"search","arguments":"#
            + #"{"q":"fire","source":"itunes"}}}"#
    }

    @Test func tenQuestionsAtOnceShareOneCall() async throws {
        let market = Market()
        defer { market.origin.stop() }
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/l.sock"
        try await withLarder(
            market.configuration(), listen: [#""127.0.0.1:0""#, "\"\(socket)\""], directory: directory
        ) { larder in
            let start = #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#
            let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
            let answers = try await speak(
                [start, initialized] + (1...10).map(Self.search), ["LARDER_URL": socket, "TMPDIR": directory.path])
            #expect(answers.compactMap { $0["id"]?.integer } == Array(0...10))
            #expect(answers[0]["result"]?["protocolVersion"]?.string == "2025-06-18")
            for answer in answers.dropFirst() { #expect(answer["result"]?["isError"]?.bool == false, "\(answer.raw)") }
            #expect(market.calls("itunes") == 1)
        }
    }

    @Test func withoutADaemonTheCommandStartsOne() async throws {
        let market = Market()
        defer { market.origin.stop() }
        let directory = TemporaryDirectory()
        let file = directory.write("larder.yaml", market.configuration())
        let answers = try await speak(
            [Self.search(1)],
            [
                "HOME": directory.path, "TMPDIR": directory.path, "LARDER_URL": "unix:/nothing/here",
            ], "--config '\(file)'")
        #expect(answers.first?["result"]?["isError"]?.bool == false)
        #expect(market.calls("itunes") == 1)
    }

    @Test func aDaemonThatDoesNotAnswerIsNamed() async throws {
        let directory = TemporaryDirectory()
        let result = try await ToolProcess.run(
            ["sh", "-c", "echo '\(Self.search(1))' | \"$LARDER\" mcp --url unix:/nothing/here"],
            environment: ["LARDER": try LarderProcess.program(), "TMPDIR": directory.path])
        #expect(result.status != 0)
        #expect(result.text.contains("no daemon answers at"), "\(result.text)")
    }
}
