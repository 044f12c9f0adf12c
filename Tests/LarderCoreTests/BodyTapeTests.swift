import Glibc
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderCore

@Suite struct BodyTapeTests {
    @Test func aReaderGetsWhatWasAppendedAndTheEnd() async throws {
        let tape = BodyTape()
        let reader = try #require(tape.reader())
        #expect(tape.add([1, 2]))
        #expect(try await reader.next() == [1, 2])
        #expect(tape.add([3]))
        tape.finish()
        #expect(try await reader.next() == [3])
        #expect(try await reader.next() == nil)
        #expect(tape.whole == [1, 2, 3])
        #expect(tape.add([4]))
        #expect(tape.count == 3)
    }

    @Test func aFailureComesAfterWhatWasThere() async throws {
        let tape = BodyTape()
        let reader = try #require(tape.reader())
        _ = tape.add([1])
        tape.fail(BodyFailure("cut"))
        tape.finish()
        #expect(try await reader.next() == [1])
        await #expect(throws: BodyFailure("cut")) { _ = try await reader.next() }
        #expect(tape.whole == nil && tape.failure == BodyFailure("cut"))
    }

    @Test(arguments: [nil, 3] as [Int64?])
    func aHeldEndThatIsRefusedReachesNoReader(_ promised: Int64?) async throws {
        let tape = BodyTape(promised: promised)
        let reader = try #require(tape.reader())
        tape.holdEnd()
        _ = tape.add([1, 2, 3])
        tape.finish()
        tape.refuse(BodyFailure("bad"))
        tape.release()
        #expect(try await reader.next() == (promised == nil ? [1, 2, 3] : [1, 2]))
        await #expect(throws: BodyFailure("bad")) { _ = try await reader.next() }
        #expect(tape.whole == nil)
    }

    @Test func whoWaitsForAHeldEndHearsThatItIsRefused() async throws {
        let tape = BodyTape()
        let reader = try #require(tape.reader())
        tape.holdEnd()
        tape.finish()
        let waiting = Task { try await reader.next() }
        try await eventually("it waits") { tape.state.withLock { $0.waiting } == 1 }
        tape.refuse(BodyFailure("bad"))
        await #expect(throws: BodyFailure("bad")) { _ = try await waiting.value }
    }

    @Test(arguments: [1, 100, 5000, 70_000])
    func memoryIsBoundedByTheWindowAndRoomIsToldOnce(piece: Int) async throws {
        let tape = BodyTape(window: 64 * 1024)
        let rooms = Atomic(0)
        tape.on(BodyTape.Callbacks(room: { rooms.add(1, ordering: .relaxed) }, deserted: {}))
        let reader = try #require(tape.reader())
        var sent = Bytes()
        while true {
            let bytes = Bytes((0..<piece).map { UInt8(truncatingIfNeeded: sent.count + $0) })
            sent += bytes
            if !tape.add(bytes) { break }
        }
        #expect(tape.held >= 64 * 1024 && tape.held < 64 * 1024 + piece)
        #expect(rooms.load(ordering: .relaxed) == 0)
        var got = Bytes()
        while got.count < sent.count { got += try #require(try await reader.next()) }
        #expect(got == sent)
        #expect(rooms.load(ordering: .relaxed) == 1)
        #expect(tape.add([0]))
    }

    @Test func theSlowestReaderSetsThePaceWithoutAnArchive() async throws {
        let tape = BodyTape(window: 1 << 16)
        let (slow, quick) = (try #require(tape.reader()), try #require(tape.reader()))
        while tape.add(Bytes(repeating: 7, count: 1 << 12)) {}
        var read = 0
        while read < tape.count { read += try #require(try await quick.next()).count }
        #expect(!tape.add([7]))
        slow.abandon()
        #expect(tape.add([7]))
    }

    @Test func withAnArchiveASlowReaderHoldsUpNobodyAndMissesNothing() async throws {
        let tape = BodyTape(window: 1 << 16)
        let archive = Archive()
        tape.keep(in: archive)
        let slow = try #require(tape.reader())
        let archivist = try #require(tape.reader(isArchivist: true))
        var sent = Bytes()
        for number in 0..<200 {
            let bytes = Bytes(repeating: UInt8(truncatingIfNeeded: number), count: 5000)
            sent += bytes
            _ = tape.add(bytes)
            archive.add(try #require(try await archivist.next()))
            tape.archived(to: archive.length)
            #expect(tape.held < (1 << 16) + 5000)
        }
        tape.finish()
        let late = try #require(tape.reader())
        for reader in [slow, late] {
            var got = Bytes()
            while let piece = try await reader.next() { got += piece }
            #expect(got == sent)
        }
        #expect(tape.whole == nil)
    }

    @Test func anArchiveThatEndsLeavesThePaceToTheReaders() async throws {
        let tape = BodyTape(window: 1 << 16)
        let archive = Archive()
        tape.keep(in: archive)
        let reader = try #require(tape.reader())
        let archivist = try #require(tape.reader(isArchivist: true))
        var sent = Bytes()
        for number in 0..<30 {
            let bytes = Bytes(repeating: UInt8(number), count: 5000)
            sent += bytes
            _ = tape.add(bytes)
            archive.add(try #require(try await archivist.next()))
            tape.archived(to: archive.length)
        }
        archivist.abandon()
        tape.archiveEnded()
        var goesOn = true
        while goesOn {
            let bytes = Bytes(repeating: 9, count: 5000)
            sent += bytes
            goesOn = tape.add(bytes)
        }
        var got = Bytes()
        while got.count < sent.count { got += try #require(try await reader.next()) }
        #expect(got == sent)
        // More bytes than the archive holds have passed. A new reader can no longer start at the first byte.
        for _ in 0..<60 {
            _ = tape.add(Bytes(repeating: 9, count: 5000))
            _ = try await reader.next()
        }
        #expect(tape.reader() == nil)
    }

    @Test func aLateReaderStartsAtTheFirstByteWhileThatIsThere() async throws {
        let tape = BodyTape(window: 1 << 16)
        let early = try #require(tape.reader())
        _ = tape.add([1])
        _ = try await early.next()
        let late = try #require(tape.reader())
        #expect(try await late.next() == [1])
        #expect(tape.readers == 2)
        late.abandon()
        while tape.count < 1 << 18 {
            _ = tape.add(Bytes(repeating: 0, count: 5000))
            _ = try await early.next()
        }
        #expect(tape.reader() == nil)
    }

    @Test func onlyASlowestReaderThatHoldsUpOthersIsDropped() async throws {
        let tape = BodyTape(window: 1 << 16)
        let (slow, quick) = (try #require(tape.reader()), try #require(tape.reader()))
        #expect(!tape.dropSlowest())
        while tape.add(Bytes(repeating: 7, count: 1 << 12)) {}
        var read = 0
        while read < tape.count { read += try #require(try await quick.next()).count }
        // No reader waits yet.
        #expect(!tape.dropSlowest())
        let waits = Task { try await quick.next() }
        while !tape.dropSlowest() { await Task.yield() }
        #expect(tape.readers == 1)
        await #expect(throws: BodyFailure.self) { _ = try await slow.next() }
        #expect(tape.add([1]))
        #expect(try await waits.value == [1])
    }

    @Test func theLastReaderToLeaveIsTold() throws {
        let tape = BodyTape()
        let deserted = Atomic(0)
        tape.on(BodyTape.Callbacks(room: {}, deserted: { deserted.add(1, ordering: .relaxed) }))
        let archivist = try #require(tape.reader(isArchivist: true))
        let one = try #require(tape.reader())
        do {
            let two = try #require(tape.reader())
            one.abandon()
            one.abandon()
            #expect(deserted.load(ordering: .relaxed) == 0)
            withExtendedLifetime(two) {}
        }
        // Releasing a reader counts as leaving too.
        #expect(deserted.load(ordering: .relaxed) == 1)
        archivist.abandon()
        #expect(deserted.load(ordering: .relaxed) == 1)
    }

    @Test func cancellingAWaitingTaskEndsItsWait() async throws {
        for spins in 0..<100 {
            let tape = BodyTape()
            let reader = try #require(tape.reader())
            let task = Task { try await reader.next() }
            for _ in 0..<(spins % 7) { await Task.yield() }
            task.cancel()
            await #expect(throws: BodyFailure.self) { _ = try await task.value }
            #expect(tape.readers == 0)
        }
    }

    @Test func noWakeUpIsLostAmongManyThreads() async throws {
        for _ in 0..<20 {
            let tape = BodyTape(window: 1 << 14)
            let rooms = Atomic(0)
            tape.on(BodyTape.Callbacks(room: { rooms.add(1, ordering: .releasing) }, deserted: {}))
            let readers = try (0..<8).map { _ in try #require(tape.reader()) }
            let total = 300_000
            async let produced: Void = onOwnThread {
                var sent = 0
                while sent < total {
                    let count = min(777, total - sent)
                    let bytes = Bytes((0..<count).map { UInt8(truncatingIfNeeded: (sent + $0) / 3) })
                    sent += count
                    // If a call is missing, the producer stays here and the readers wait forever.
                    let before = rooms.load(ordering: .acquiring)
                    if !tape.add(bytes) { while rooms.load(ordering: .acquiring) == before { sched_yield() } }
                }
                tape.finish()
            }
            try await withThrowingTaskGroup { group in
                for reader in readers {
                    group.addTask {
                        var place = 0
                        while let piece = try await reader.next() {
                            for byte in piece {
                                guard byte == UInt8(truncatingIfNeeded: place / 3) else { return -1 }
                                place += 1
                            }
                        }
                        return place
                    }
                }
                for try await count in group { #expect(count == total) }
            }
            try await produced
        }
    }
}

@Suite struct BodyReaderTests {
    @Test func aRangeOfAnotherReadersBodyIsCutOut() async throws {
        let tape = BodyTape()
        let base = try #require(tape.reader())
        for byte in 0..<10 as Range<UInt8> { _ = tape.add([byte]) }
        tape.finish()
        let range = RangeBodyReader(base, range: 3..<7)
        var got = Bytes()
        while let piece = try await range.next() { got += piece }
        #expect(got == [3, 4, 5, 6])
        #expect(tape.readers == 0)
    }

    @Test func aRangeBeyondTheEndIsAFailure() async throws {
        let range = RangeBodyReader(WholeBodyReader([1, 2, 3]), range: 2..<5)
        #expect(try await range.next() == [3])
        await #expect(throws: BodyFailure.self) { _ = try await range.next() }
    }

    @Test func aLargeBodyIsReadInPiecesAndStopsWhenAbandoned() async throws {
        let archive = Archive()
        archive.add(Bytes((0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) }))
        let reader = LargeBodyReader(archive, range: 5..<650_000)
        var got = Bytes()
        while let piece = try await reader.next() {
            #expect(piece.count <= LargeBodyReader.pieceSize)
            got += piece
        }
        #expect(got == archive.bytes(5..<650_000))
        let other = LargeBodyReader(archive)
        _ = try await other.next()
        other.abandon()
        await #expect(throws: BodyFailure.self) { _ = try await other.next() }
    }

    @Test func aTapeThatSomebodyReadsAgainIsNotClosed() throws {
        let tape = BodyTape()
        try #require(tape.reader()).abandon()
        let again = try #require(tape.reader())
        #expect(!tape.closeIfDeserted() && tape.failure == nil)
        again.abandon()
        #expect(tape.closeIfDeserted())
    }

    @Test func aClosedTapeTakesNoReaderAndHasFailedForWhoAsks() {
        let tape = BodyTape()
        #expect(tape.closeIfDeserted())
        #expect(tape.reader() == nil && tape.failure != nil)
    }
}

/// An archive in memory.
private final class Archive: LargeBody {
    private let stored = LarderCore.Lock(Bytes())

    var length: Int64 { stored.withLock { Int64($0.count) } }
    func add(_ bytes: Bytes) { stored.withLock { $0 += bytes } }
    func bytes(_ range: Range<Int>) -> Bytes { stored.withLock { Bytes($0[range]) } }

    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes {
        bytes(Int(offset)..<min(Int(offset) + count, Int(length)))
    }
}

extension BodyTape {
    fileprivate func add(_ bytes: Bytes) -> Bool { bytes.withUnsafeBytes { append($0) } }
}
