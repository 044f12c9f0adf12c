// The state database's record of calls keeps the calls that a window may still reach, and no others.
import LarderCore
import LarderDaemon
import LarderStore
import LarderTestSupport
import Testing

@Suite struct CallRecordTests {
    @Test func callsThatNoWindowReachesLeaveTheRecord() async throws {
        let origin = ScriptedOrigin(answering: ok("\n\n{\"resultCount\":0, \"results\":[]}\n"))
        defer { origin.stop() }
        let time = ManualTime()
        let directory = TemporaryDirectory()
        let configuration = "providers: { itunes: { baseURL: \"\(origin.base)\", rate: 20/min, quota: off } }"
        try await withLarder(configuration, time: time, directory: directory) { larder in
            for number in 0..<3 {
                let answer = try await larder.get("/v1/itunes/search?q=early\(number)")
                #expect(answer.status == 200)
            }
            time.advance(by: .seconds(2 * 86_400))
            let answer = try await larder.get("/v1/itunes/search?q=late")
            #expect(answer.status == 200)
        }
        let state = try StateStore.open(
            directory: "\(directory.path)/state", log: .silent, counters: CounterRegistry(), time: time)
        let calls = try await state.calls(of: "itunes", since: .distantPast)
        #expect(calls.count == 1)
        await state.close()
    }
}
