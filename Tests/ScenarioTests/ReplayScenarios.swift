// `larder serve --replay`: a daemon that answers from a tape and asks nobody. None of the hosts can be found.
import Glibc
import LarderCore
import LarderHTTP
import LarderTape
import LarderTestSupport
import Testing

@Suite struct ReplayScenarios {
    /// A daemon with a proxy that replays a tape of these exchanges.
    private func withReplay(
        _ exchanges: [(url: String, body: String)],
        _ body: (TemporaryDirectory, _ api: String, _ proxy: String, LarderProcess) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        let tape = try Tape(path: "\(directory.path)/tape")
        for exchange in exchanges {
            let answer = TapeAnswer(
                status: 200, fields: ["Content-Type": "application/json", "Cache-Control": "max-age=600"],
                body: Bytes(text: exchange.body))
            let url = try #require(HTTPURL(exchange.url))
            guard case .recorded = try tape.record(TapeExchange(TapeRequest(.get, url), answer)) else {
                throw WireError("not recorded")
            }
        }
        try await onOwnThread { try start(directory) }.run { larder, addresses in
            try await body(directory, addresses[0], addresses[1], larder)
        }
    }

    private struct Started: Sendable {
        let larder: LarderProcess
        let addresses: [String]

        func run(_ body: (LarderProcess, [String]) async throws -> Void) async throws {
            defer { larder.end() }
            try await body(larder, addresses)
        }
    }

    private func start(_ directory: TemporaryDirectory) throws -> Started {
        var launch = LarderLaunch(
            """
            listen: ["127.0.0.1:0", { address: "127.0.0.1:0", proxy: true }]
            cache: { path: "\(directory.path)/cache" }
            state: { path: "\(directory.path)/state" }
            providers: { forge: { kind: passthrough, baseURL: "https://forge.invalid/api" } }
            """)
        launch.environment["TMPDIR"] = directory.path
        launch.prelude = "set -- \"$@\" --replay '\(directory.path)/tape'"
        let larder = try LarderProcess(launch, in: directory)
        return Started(larder: larder, addresses: try larder.listening(2))
    }

    private func ask(_ target: String, at address: String, method: String = "GET") async throws -> WireResponse {
        try await onOwnThread {
            let client = try WireClient(address)
            try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return try client.receive()
        }
    }

    @Test func everyWayToAnAPIIsAnsweredFromTheTape() async throws {
        try await withReplay([
            ("http://api.nowhere.invalid/items?q=a", "1"), ("https://forge.invalid/api/list", "2"),
            (
                "https://itunes.apple.com/search?term=jack+johnson&media=music&limit=50",
                #"{"resultCount":0,"results":[]}"#
            ),
        ]) { directory, api, proxy, _ in
            let proxied = try await ask("http://api.nowhere.invalid/items?q=a", at: proxy)
            let raw = try await ask("/raw/forge/list", at: api)
            let known = try await ask("/raw/itunes/search?media=music&limit=50&term=jack%20johnson", at: api)
            #expect(proxied.text == "1" && raw.text == "2" && known.text.contains("resultCount"), "\(known)")
            #expect(access("\(directory.path)/cache", F_OK) != 0, "the replay opened the real cache")
        }
    }

    @Test func aRequestThatIsNotOnTheTapeNamesTheNearestRecordingAndWhatDiffers() async throws {
        try await withReplay([("https://forge.invalid/api/list?q=a", "2")]) { _, api, _, _ in
            for _ in 0..<20 {
                let answer = try await ask("/raw/forge/list?q=b", at: api)
                let problem = try answer.json()
                #expect(answer.status == 504 && problem["code"]?.string == "noRecording")
                let detail = problem["detail"]?.string ?? ""
                #expect(detail.contains("parameter q: recorded a, now b"), "\(detail)")
            }
            #expect(try await ask("/raw/forge/list?q=a", at: api).status == 200)
        }
    }

    @Test func recordingsOfOneRequestAnswerInTheirOrder() async throws {
        let url = "https://forge.invalid/api/job"
        try await withReplay([(url, "queued"), (url, "done")]) { _, api, _, _ in
            var answers: [String] = []
            for _ in 0..<3 { answers.append(try await ask("/raw/forge/job", at: api).text) }
            #expect(answers == ["queued", "done", "done"])
        }
    }

    @Test func whatPassesUnreadIsOnNoTape() async throws {
        try await withReplay([("https://forge.invalid/api/list", "2")]) { _, _, proxy, _ in
            let answer = try await ask("forge.invalid:443", at: proxy, method: "CONNECT")
            #expect(answer.status == 502 && answer.text.contains("no tape"))
        }
    }

    @Test func aTapeThatCannotBeReadStopsTheStart() async throws {
        let directory = TemporaryDirectory()
        try await onOwnThread {
            var launch = LarderLaunch("listen: [\"127.0.0.1:0\"]")
            launch.prelude = "set -- \"$@\" --replay '\(directory.path)/none'"
            let larder = try LarderProcess(launch, in: directory)
            #expect(try larder.waitForEnd() == .exited(1))
            #expect(larder.standardError.contains("the tape cannot be used"), "\(larder.standardError)")
        }
    }
}
