// The wall clock is set during a run or between two runs. This must not prolong a rest or permit a call twice.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct ClockScenarios {
    private static let twoHours = Duration.seconds(7200)

    private func itunes(_ origin: ScriptedOrigin, _ more: String = "    rate: off\n    quota: off") -> String {
        """
        providers:
          itunes:
            baseURL: "\(origin.base)"
        \(more)
        """
    }

    private func term(_ number: Int) -> String { "/v1/itunes/search?q=term\(number)" }

    private func status(_ larder: RunningLarder) async throws -> JSONValue? {
        try await larder.get("/v1/status").json()["providers"]?.elements.first { $0["name"]?.string == "itunes" }
    }

    private static let limit = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"

    @Test func aRestEndsInTimeThoughTheClockIsSetBack() async throws {
        let moods = CacheScenarios.Moods()
        moods.set(Self.limit)
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        time.step(by: Self.twoHours)
        try await withLarder(itunes(origin), time: time) { larder async throws in
            #expect(try await larder.get(term(0)).status == 429)
            time.step(by: .zero - Self.twoHours)
            let told = try #require(try await status(larder)?["suspendedUntil"]?.string)
            #expect(told >= time.wall().rfc3339 && told <= (time.wall() + .seconds(6)).rfc3339, "\(told)")
            let resting = try await larder.get(term(1))
            #expect(resting["Retry-After"].flatMap { Int($0) } ?? 99 <= 6, "\(resting)")
            moods.set(CacheScenarios.song)
            time.advance(by: .seconds(6))
            let answer = try await larder.get(term(2))
            #expect(answer.status == 200, "\(answer)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aRestIsNoLongerAfterARestartByAClockThatWasSetBack() async throws {
        let moods = CacheScenarios.Moods()
        moods.set(Self.limit)
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        let directory = TemporaryDirectory()
        time.step(by: Self.twoHours)
        try await withLarder(itunes(origin), time: time, directory: directory) { larder async throws in
            #expect(try await larder.get(term(0)).status == 429)
        }
        moods.set(CacheScenarios.song)
        time.step(by: .zero - Self.twoHours)
        // The second start finds only what the first one left.
        for _ in 0..<2 {
            try await withLarder(itunes(origin), time: time, directory: directory) { larder async throws in
                #expect(try await larder.get(term(1)).status == 429, "a restart ends no rest")
                time.advance(by: .seconds(2))
            }
        }
        try await withLarder(itunes(origin), time: time, directory: directory) { larder async throws in
            time.advance(by: .seconds(2))
            let answer = try await larder.get(term(2))
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test(arguments: [-7200, 7200])
    func aBudgetOpensAfterItsWindowWhateverTheClockIsSetTo(_ step: Int64) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let limits = "    rate: 3/min\n    quota: off"
        try await withLarder(itunes(origin, limits), time: time) { larder async throws in
            for number in 0..<3 { #expect(try await larder.get(term(number)).status == 200) }
            time.step(by: .seconds(step))
            let spent = try await larder.get(term(3))
            #expect(spent.status == 429 && spent["Retry-After"] == "60", "\(spent)")
            time.advance(by: .seconds(59))
            #expect(try await larder.get(term(4)).status == 429, "not a second early")
            time.advance(by: .seconds(2))
            #expect(try await larder.get(term(5)).status == 200)
        }
        #expect(origin.requests.count == 4)
    }

    @Test func aRecordOfCallsFromTheFutureBlocksForOneWindow() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let directory = TemporaryDirectory()
        let limits = "    rate: 3/min\n    quota: off"
        time.step(by: Self.twoHours)
        try await withLarder(itunes(origin, limits), time: time, directory: directory) { larder async throws in
            for number in 0..<3 { #expect(try await larder.get(term(number)).status == 200) }
        }
        time.step(by: .zero - Self.twoHours)
        try await withLarder(itunes(origin, limits), time: time, directory: directory) { larder async throws in
            let spent = try await larder.get(term(3))
            #expect(spent.status == 429 && spent["Retry-After"] == "60", "\(spent)")
            time.advance(by: .seconds(61))
            #expect(try await larder.get(term(4)).status == 200)
        }
    }

    @Test func aRecordOfCallsFromTheFutureBlocksForOneWindowOverAllRestarts() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let time = ManualTime()
        let directory = TemporaryDirectory()
        let limits = "    rate: 3/min\n    quota: off"
        time.step(by: Self.twoHours)
        try await withLarder(itunes(origin, limits), time: time, directory: directory) { larder async throws in
            for number in 0..<3 { #expect(try await larder.get(term(number)).status == 200) }
        }
        time.step(by: .zero - Self.twoHours)
        try await withLarder(itunes(origin, limits), time: time, directory: directory) { larder async throws in
            #expect(try await larder.get(term(3)).status == 429)
            time.advance(by: .seconds(61))
        }
        try await withLarder(itunes(origin, limits), time: time, directory: directory) { larder async throws in
            let answer = try await larder.get(term(4))
            #expect(answer.status == 200, "\(answer)")
        }
    }

    /// Checks the failure itself, the rest after it, a spent budget, and the status.
    @Test(arguments: [-1, 1]) func aStepByCenturiesIsToldToNobody(_ direction: Int) async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 503 No\r\nRetry-After: 40\r\nContent-Length: 0\r\n\r\n")
        defer { origin.stop() }
        let time = ManualTime(wall: WallTime(seconds: 20_000_000_000))
        let configuration = itunes(origin, "    rate: off\n    quota: 1/day") + "\nfetch: { failurePause: 30s }"
        try await withLarder(configuration, time: time) { larder async throws in
            #expect(try await larder.get(term(0))["Retry-After"] == "40")
            time.step(by: Duration.seconds(400 * 366 * 86_400) * direction)
            #expect(try await larder.get(term(0))["Retry-After"] == "40")
            #expect(try await larder.get(term(1))["Retry-After"] == "40")
            let told = try #require(try await status(larder)?["suspendedUntil"]?.string)
            #expect(told == (time.wall() + .seconds(40)).rfc3339)
            time.advance(by: .seconds(41))
            #expect(try await larder.get(term(2))["Retry-After"] == String(86_400 - 41))
        }
    }

    @Test func aFailureIsRememberedForItsPauseThoughTheClockIsSetBack() async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        time.step(by: Self.twoHours)
        try await withLarder(itunes(origin) + "\nfetch: { failurePause: 10s }", time: time) { larder async throws in
            #expect(try await larder.get(term(0)).status == 502)
            time.step(by: .zero - Self.twoHours)
            moods.set(CacheScenarios.song)
            #expect(try await larder.get(term(0)).status == 502)
            time.advance(by: .seconds(11))
            let answer = try await larder.get(term(0))
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test(arguments: ["999999999999999999999999999999", "Thu, 01 Jan 2099 00:00:00 GMT"])
    func aPauseBeyondReasonIsAnHourAndTheLogSaysSo(_ named: String) async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 429 Too Many\r\nRetry-After: \(named)\r\nContent-Length: 0\r\n\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        let log = Lock("")
        try await withLarder(itunes(origin), time: time, log: Logger(label: "test", sink: KeptLog(log))) {
            larder async throws in
            for number in 0..<3 { #expect(try await larder.get(term(number)).status == 429) }
            let told = try await status(larder)?["suspendedUntil"]?.string
            #expect(told == (time.wall() + .seconds(3600)).rfc3339)
            #expect(log.withLock { $0 }.ranges(of: "beyond reason").count == 1, "said once")
            time.advance(by: .seconds(3601))
            #expect(try await larder.get(term(3)).status == 429)
            #expect(log.withLock { $0 }.ranges(of: "beyond reason").count == 2, "and once of the next rest")
        }
        #expect(origin.requests.count == 2)
    }

    @Test func a503ThatNamesItsEndRestsUntilThen() async throws {
        let moods = CacheScenarios.Moods()
        moods.set("HTTP/1.1 503 Busy\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n")
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(itunes(origin), time: time) { larder async throws in
            let busy = try await larder.get(term(0))
            #expect(busy.status == 429 && busy["Retry-After"] == "90", "\(busy)")
            #expect(busy.text.contains("asks for a pause"), "\(busy)")
            moods.set(CacheScenarios.song)
            time.advance(by: .seconds(89))
            #expect(try await larder.get(term(1)).status == 429)
            #expect(origin.requests.count == 1)
            time.advance(by: .seconds(2))
            #expect(try await larder.get(term(2)).status == 200)
        }
    }
}
