// How long a part that is still arriving is kept for clients that may still read it.
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct LiveTapeTests {
    /// Calls the body with the tape of an arriving part, its clock, and a function that gives its loop a turn.
    private func withTape(_ body: (LiveTape, ManualTime, () async -> Void) async throws -> Void) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "home", index: 0, time: time)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        func turn() async {
            for _ in 0..<2 {
                let promise = Promise<Void>()
                loop.post { promise.fulfil() }
                await promise.wait()
            }
        }
        let live = LiveTape(BodyTape())
        live.release(on: loop)
        await turn()
        try await body(live, time, turn)
    }

    @Test func aPartThatIsComingIsKeptForWhoReadsStoredBytesFirst() async throws {
        try await withTape { live, time, turn in
            live.noteReader(1)
            for _ in 0..<3 {
                time.advance(by: .seconds(11))
                await turn()
            }
            #expect(live.tape.readers == 1)
        }
    }

    @Test func itIsLetGoWhenThatReaderHasEnded() async throws {
        try await withTape { live, time, turn in
            live.noteReader(1)
            time.advance(by: .seconds(11))
            await turn()
            live.noteReader(-1)
            time.advance(by: .seconds(11))
            await turn()
            #expect(live.tape.readers == 0)
        }
    }

    @Test func itIsLetGoWhereNobodyReads() async throws {
        try await withTape { live, time, turn in
            time.advance(by: .seconds(11))
            await turn()
            #expect(live.tape.readers == 0)
        }
    }
}
