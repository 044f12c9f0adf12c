// `larder top`: from samples and requests to lines.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct TopTests {
    private static let before = """
        # HELP larder_server_memory_hits_total x
        larder_server_memory_hits_total{loop="0"} 100
        larder_server_memory_hits_total{loop="1"} 100
        larder_server_requests_total{outcome="miss"} 10
        larder_server_requests_total{outcome="none"} 5
        larder_request_duration_seconds_bucket{provider="itunes",outcome="miss",le="0.1"} 0
        larder_request_duration_seconds_bucket{provider="itunes",outcome="miss",le="+Inf"} 0
        larder_cache_total{provider="itunes",outcome="miss"} 10
        """
    private static let after = """
        larder_server_memory_hits_total{loop="0"} 150
        larder_server_memory_hits_total{loop="1"} 130
        larder_server_requests_total{outcome="miss"} 30
        larder_server_requests_total{outcome="none"} 5
        larder_requests_total{route="search",status="5xx"} 2
        larder_request_duration_seconds_bucket{provider="itunes",outcome="miss",le="0.1"} 20
        larder_request_duration_seconds_bucket{provider="itunes",outcome="miss",le="+Inf"} 20
        larder_request_duration_seconds_bucket{provider="none",outcome="none",le="0.1"} 900
        larder_cache_total{provider="itunes",outcome="miss"} 30
        larder_memory_hits_total{provider="itunes"} 80
        """

    private static let status = #"""
        {"version":"1.2.3","uptimeSeconds":60,"proxy":{"tunnels":2,"tunnelBytes":0,"refused":0,"runs":[]},"providers":[
        {"name":"itunes","state":"ready","budget":{"rate":{"limit":20,"windowSeconds":60,"remaining":17}}},
        {"name":"zoo","state":"suspended","budget":{}},{"name":"gone","state":"off","budget":{}}]}
        """#

    private static func request(_ target: String, _ more: String) throws -> JSONValue {
        try JSON.parse(
            Bytes(text: #"{"dropped":7,"requests":[{"at":"2026-01-01T00:00:05.250Z","target":"\#(target)",\#(more)}]}"#)
        )
    }

    private static func state() throws -> TopState {
        var state = TopState()
        let status = try JSON.parse(Bytes(text: status))
        state.take(TopSample(before, at: 10), status: status)
        state.take(TopSample(after, at: 12), status: status)
        for _ in 0..<3 {
            state.take(event: try request("/a", #""outcome":"hit","bytes":10,"provider":"itunes""#))
        }
        state.take(event: try request("/b", #""outcome":"miss","bytes":5000,"milliseconds":400.5,"provider":"zoo""#))
        return state
    }

    @Test func ratesAreWhatRoseBetweenTwoSamples() throws {
        let rates = try Self.state().rates
        #expect(rates.requests == 50 && rates.errors == 1)
        #expect(rates.hitRatio == 0.8)
        #expect(rates.answers["itunes"] == 50)
        let times = try #require(rates.percentiles)
        #expect(abs(times.p50 - 50) < 0.01 && abs(times.p90 - 90) < 0.01 && abs(times.p99 - 99) < 0.01, "\(times)")
    }

    @Test func answersOfSeveralProvidersAreTimedToo() {
        let merged = """
            larder_request_duration_seconds_bucket{provider="none",outcome="miss",le="0.1"} 8
            larder_request_duration_seconds_bucket{provider="none",outcome="miss",le="+Inf"} 8
            larder_request_duration_seconds_bucket{provider="none",outcome="none",le="+Inf"} 900
            """
        let sample = TopSample(merged, at: 1)
        #expect(sample.buckets == [0.1: 8, .infinity: 8])
        #expect(TopRates(TopSample(at: 0), sample).percentiles != nil)
    }

    @Test func aDaemonThatBeganAnewHasNoNegativeRates() {
        let rates = TopRates(TopSample(Self.after, at: 0), TopSample(Self.before, at: 1))
        #expect(rates.requests >= 0 && rates.answers.values.allSatisfy { $0 >= 0 })
    }

    @Test(arguments: [60, 80, 132])
    func noLineIsWiderThanTheTerminalAndThereAreAsManyAsItHas(_ width: Int) throws {
        for height in [1, 5, 24, 50] {
            let lines = TopView(try Self.state(), width: width, height: height).lines
            #expect(lines.count == height)
            #expect(lines.allSatisfy { DisplayWidth.of($0.text) <= width })
        }
    }

    @Test func theFiguresAreShown() throws {
        let text = TopView(try Self.state(), width: 80, height: 24).lines.map(\.text).joined(separator: "\n")
        for part in [
            "larder 1.2.3", "50 requests/s", "hits 80%", "p50 50.0ms", "5xx 1/s", "itunes", "17 of 20/min", "suspended",
            "proxy: 2 tunnels open",
            "/a", "100%", "401ms", "7 requests came faster", "q quit",
        ] {
            #expect(text.contains(part), "\(part) in\n\(text)")
        }
        #expect(!text.contains("gone"))
    }

    private func press(_ state: inout TopState, _ key: UInt8, _ goesOn: Bool) {
        let answer = state.press(key)
        #expect(answer == goesOn)
    }

    @Test func keysSort() throws {
        var state = try Self.state()
        #expect(state.hottest.map(\.target) == ["/a", "/b"])
        press(&state, UInt8(ascii: "b"), true)
        #expect(state.hottest.map(\.target) == ["/b", "/a"])
        press(&state, UInt8(ascii: "t"), true)
        #expect(state.hottest.map(\.target) == ["/b", "/a"])
        press(&state, UInt8(ascii: "n"), true)
        #expect(state.hottest.map(\.target) == ["/a", "/b"])
        press(&state, UInt8(ascii: "p"), true)
        #expect(state.sortedProviders.map(\.name) == ["itunes", "zoo"])
    }

    @Test func qAndControlCEndIt() throws {
        var state = try Self.state()
        press(&state, UInt8(ascii: "q"), false)
        press(&state, 3, false)
    }

    @Test func aQuestionMarkExplainsItUntilAnotherKey() throws {
        var state = try Self.state()
        _ = state.press(UInt8(ascii: "?"))
        #expect(TopView(state, width: 80, height: 24).lines.contains { $0.text.contains("sort the entries") })
        _ = state.press(UInt8(ascii: " "))
        #expect(!state.showsHelp)
    }

    @Test func aDaemonThatWentAwayIsSaidToHaveGone() throws {
        var state = try Self.state()
        state.trouble = "no daemon answers"
        #expect(TopView(state, width: 80, height: 24).lines[0].text.hasPrefix("The daemon does not answer"))
        state.take(TopSample(Self.after, at: 14), status: try JSON.parse(Bytes(text: Self.status)))
        #expect(state.trouble == nil)
    }

    @Test func whatIsRememberedIsBounded() throws {
        var state = TopState()
        for number in 0..<2000 {
            state.take(event: try Self.request("/\(number)", #""outcome":"miss","milliseconds":900"#))
        }
        #expect(state.entries.count <= TopState.mostEntries && state.slow.count == TopState.mostSlow)
    }

    @Test func aNarrowTerminalIsToldSo() throws {
        #expect(TopView(try Self.state(), width: 40, height: 5).lines.first?.text.hasPrefix("Too narrow") == true)
    }

    private func daemon() throws -> ScriptedDaemon {
        try ScriptedDaemon { head in
            if head.contains("/metrics") { return answer(200, Self.before + "\n") }
            if head.contains("/v1/status") { return answer(200, Self.status) }
            return answer(200, #"{"requests":[{"target":"/a","outcome":"hit","bytes":3}]}"#)
        }
    }

    @Test func aPipeGetsOneSnapshot() async throws {
        let daemon = try daemon()
        let shown = await larder("top", "--url", daemon.url, "--interval", "200ms")
        #expect(shown.status == .done && shown.text.contains("larder 1.2.3") && shown.text.contains("/a"), "\(shown)")
        #expect(!shown.text.contains("\u{1B}"))
    }

    @Test func aSnapshotAsJSONIsOneObject() async throws {
        let daemon = try daemon()
        let shown = await larder("top", "--url", daemon.url, "--interval", "200ms", "--json", isTerminal: true)
        let value = try JSON.parse(shown.out)
        #expect(value["entries"]?.elements.first { $0["target"]?.string == "/a" }?["count"]?.integer == 1)
        #expect(value["providers"]?.count == 2)
    }

    @Test func withoutADaemonItFailsAtOnce() async {
        #expect(await larder("top").status == .noDaemon)
    }
}
