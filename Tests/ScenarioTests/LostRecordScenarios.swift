// The record of calls is lost or damaged between two runs. The next run counts its budgets as spent for one window.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct LostRecordScenarios {
    private func configuration(_ origin: ScriptedOrigin) -> String {
        """
        providers:
          itunes:
            baseURL: "\(origin.base)"
            rate: 3/min
            quota: off
        """
    }

    private func ask(_ larder: RunningLarder, _ number: Int) async throws -> Int {
        try await larder.get("/v1/itunes/search?q=term\(number)").status
    }

    /// Runs once, spends the budget, changes `state.db`, and runs again. No call may go out before a minute has passed.
    private func lose(_ change: (String) -> Void) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time, directory: directory) { larder async throws in
            for number in 0..<3 { #expect(try await ask(larder, number) == 200) }
        }
        change("\(directory.path)/state/state.db")
        time.advance(by: .seconds(1))
        try await withLarder(configuration(origin), time: time, directory: directory) { larder async throws in
            for number in 3..<8 { #expect(try await ask(larder, number) == 429) }
            #expect(try await ask(larder, 0) == 200, "what is stored needs no budget")
            #expect(origin.requests.count == 3)
            time.advance(by: .seconds(61))
            #expect(try await ask(larder, 3) == 200)
        }
    }

    @Test func anEmptiedRecordBesideAFilledCacheGivesNoBudgetBack() async throws {
        try await lose { path in #expect(truncate(path, 0) == 0) }
    }

    @Test(arguments: 0..<9)
    func aDamagedPageOfTheRecordFailsNoStartAndGivesNoBudgetBack(page: Int) async throws {
        try await lose { path in
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var status = stat()
            #expect(fstat(descriptor, &status) == 0)
            let bytes = Bytes(repeating: 0xAA, count: 4096)
            guard page * 4096 < Int(status.st_size) else { return }
            #expect(pwrite(descriptor, bytes, bytes.count, page * 4096) == bytes.count)
        }
    }
}
