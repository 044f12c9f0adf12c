// A provider goes away and comes back. What was asked for in between is refreshed gently, and nothing else is.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ReturnScenarios {
    private func target(_ term: String) -> String { "/v1/itunes/search?q=\(term)" }

    private func terms(_ requests: some Sequence<SeenRequest>) -> [String] {
        requests.map { request in
            request.target.split(separator: "&").last { $0.contains("term=") }?.split(separator: "=").last.map(
                String.init)
                ?? request.target
        }
    }

    /// Seven searches are stored and stale. The origin is gone, and five of the searches are asked for.
    private func withAbsence(
        rate: String = "off",
        _ body: (RunningLarder, ScriptedOrigin, CacheScenarios.Moods, ManualTime) async throws -> Void
    ) async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { request in
            request.target.contains("term=broken") ? [.reset] : moods.current.withLock { $0 }
        }
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = """
            providers:
              itunes: { baseURL: "\(origin.base)", rate: \(rate), quota: off, ttl: 60s }
            """
        try await withLarder(configuration, time: time) { larder in
            for term in ["a", "b", "c", "d", "e", "f", "g"] {
                let answer = try await larder.get(target(term))
                #expect(answer.status == 200, "\(answer)")
            }
            time.advance(by: .seconds(7200))
            moods.set([.reset])
            for term in ["a", "b", "c", "d", "e"] {
                let stale = try await larder.get(target(term))
                #expect(stale.status == 200 && stale["Cache-Status"]?.contains("ttl=-") == true, "\(stale)")
                try await larder.eventually("its refresh is over") {
                    try await larder.counter("larder_flights_under_way") == 0
                }
            }
            try await larder.eventually("all five are noted") { try await larder.counter("larder_return_waiting") == 5 }
            // This is after the rest that the failures caused.
            time.advance(by: .seconds(60))
            try await body(larder, origin, moods, time)
        }
    }

    private func count(_ larder: RunningLarder, _ result: String) async throws -> Int {
        try await larder.counter("larder_return_refreshes_total", #"provider="itunes",result="\#(result)""#)
    }

    @Test func whatWasAskedForIsRefreshedAndNothingElse() async throws {
        try await withAbsence { larder, origin, moods, _ async throws in
            let before = origin.requests.count
            moods.set(CacheScenarios.song)
            let answer = try await larder.get(target("new"))
            #expect(answer.status == 200, "\(answer)")
            try await larder.eventually("five are refreshed") { try await count(larder, "refreshed") == 5 }
            #expect(terms(origin.requests[before...]) == ["new", "e", "d", "c", "b", "a"], "the latest first")
            for term in ["a", "b", "c", "d", "e"] {
                let fresh = try await larder.get(target(term))
                #expect(fresh["Cache-Status"]?.contains("ttl=-") == false, "\(fresh)")
            }
            #expect(origin.requests.count == before + 6)
            #expect(try await larder.counter("larder_return_waiting") == 0)
        }
    }

    @Test func halfOfTheRateIsLeftToPeople() async throws {
        try await withAbsence(rate: #""10/h""#) { larder, origin, moods, time async throws in
            // Three calls showed that the provider is away. One more is the person's call that finds it back.
            let before = origin.requests.count
            moods.set(CacheScenarios.song)
            #expect(try await larder.get(target("new")).status == 200)
            try await larder.eventually("the round is over") { try await count(larder, "skipped") == 4 }
            #expect(try await count(larder, "refreshed") == 1)
            #expect(terms(origin.requests[before...]) == ["new", "e"])
            for term in 1...5 { #expect(try await larder.get(target("person\(term)")).status == 200) }
        }
    }

    @Test func theFirstFailureEndsIt() async throws {
        try await withAbsence { larder, origin, moods, time async throws in
            let before = origin.requests.count
            // The origin answers this one question, and is gone again.
            let gate = Gate()
            moods.set([.send(CacheScenarios.song), .call { moods.set([.reset]) }, .call { gate.open() }])
            #expect(try await larder.get(target("new")).status == 200)
            await gate.pass()
            try await larder.eventually("one has failed") { try await count(larder, "failed") > 0 }
            try await larder.eventually("it is over") { try await larder.counter("larder_flights_under_way") == 0 }
            let asked = Set(terms(origin.requests[before...]))
            #expect(asked.isSubset(of: ["new", "e", "d"]), "\(asked)")
            #expect(try await larder.counter("larder_return_waiting") >= 4, "the others are kept for the next return")
        }
    }

    @Test func aPersonsResumeCountsAsAReturn() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        let directory = TemporaryDirectory()
        let socket = "unix:\(directory.path)/larder.sock"
        try await withLarder(
            BasicScenarios.itunes(origin, "    ttl: 60s"), listen: [#""127.0.0.1:0""#, "\"\(socket)\""], time: time,
            directory: directory
        ) { larder in
            _ = try await larder.get(target("a"))
            time.advance(by: .seconds(100))
            // A 429 by the provider itself suspends it at once.
            moods.set(ok("", status: "429 Too Many Requests"))
            _ = try await larder.get(target("a"))
            try await larder.eventually("it is noted") { try await larder.counter("larder_return_waiting") == 1 }
            moods.set(CacheScenarios.song)
            let resumed = try await larder.send("POST", "/v1/providers/itunes/resume", to: socket)
            #expect(resumed.status < 300, "\(resumed)")
            try await larder.eventually("it is refreshed") { try await count(larder, "refreshed") == 1 }
        }
    }
}
