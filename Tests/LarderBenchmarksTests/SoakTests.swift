// A soak finds only what its model can distinguish, and can be repeated only if all of it follows from the seed.
import Glibc
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct SoakLedgerTests {
    private let resource = SoakResource(.steady, .hour, 3)

    @Test func whatWasNeverInvalidatedMayBeAnyVersionOfTheOrigins() {
        var ledger = SoakLedger()
        #expect(ledger.judge(resource, version: 1, least: ledger.least(resource)) == .allowed)
        #expect(ledger.raise(resource) == 2)
        #expect(ledger.judge(resource, version: 1, least: ledger.least(resource)) == .allowed)
        #expect(ledger.judge(resource, version: 2, least: ledger.least(resource)) == .allowed)
        #expect(ledger.judge(resource, version: 3, least: ledger.least(resource)) == .unknown(current: 2))
    }

    @Test func afterAnAcknowledgementNothingOlderMayCome() {
        var ledger = SoakLedger()
        let before = ledger.least(resource)
        let version = ledger.raise(resource)
        ledger.acknowledge(resource, version: version, cause: "PUT")
        #expect(ledger.judge(resource, version: 1, least: ledger.least(resource)) == .stale(least: 2))
        #expect(ledger.cause(resource) == "PUT")
        // A request sent before the acknowledgement may still get an older version.
        #expect(ledger.judge(resource, version: 1, least: before) == .allowed)
    }

    @Test func aLaterAcknowledgementOfAnEarlierVersionLowersNothing() {
        var ledger = SoakLedger()
        _ = ledger.raise(resource)
        let latest = ledger.raise(resource)
        ledger.acknowledge(resource, version: latest, cause: "second")
        ledger.acknowledge(resource, version: 2, cause: "first")
        #expect(ledger.least(resource) == 3)
        #expect(ledger.cause(resource) == "second")
        #expect(ledger.least(SoakResource(.shaky, .hour, 3)) == 1)
    }
}

@Suite struct SoakWorldTests {
    @Test func everyByteOfABodyFollowsFromItsName() {
        let resource = SoakResource(.steady, .large, 1)
        let whole = SoakBody(resource, language: "en", version: 4).bytes(from: 0, count: 5000)
        let body = SoakBody(resource, language: "de", version: 4)
        #expect(body.bytes(from: 0, count: 5000) == whole, "one answer for all languages")
        for place in [0, 1, 7, 8, 9, 1234, 4999] {
            #expect(body.bytes(from: place, count: 5000 - place) == Bytes(whole[place...]))
        }
        #expect(SoakBody(resource, language: "en", version: 5).bytes(from: 0, count: 64) != Bytes(whole.prefix(64)))
        let vary = SoakResource(.steady, .vary, 1)
        let english = SoakBody(vary, language: "en", version: 1)
        #expect(english.key != SoakBody(vary, language: "de", version: 1).key)
    }

    @Test func aWrongByteIsToldWithItsPlace() {
        let body = SoakBody(SoakResource(.shaky, .hour, 9), language: "en", version: 1)
        var bytes = body.bytes(from: 100, count: 300)
        #expect(bytes.withUnsafeBufferPointer { body.firstWrong($0, at: 100) } == nil)
        bytes[42] ^= 1
        #expect(bytes.withUnsafeBufferPointer { body.firstWrong($0, at: 100) } == 142)
    }

    @Test func aPathIsReadBackAsItsResource() {
        for resource in SoakResource.all(of: .shaky) + [SoakResource(.shaky, .once, 20_000_001)] {
            #expect(SoakResource(.shaky, path: resource.path) == resource)
            #expect(resource.size > 0)
        }
        for path in ["/", "/hour/g0", "/hour/g1/0", "/hour/g0/-1", "/day/g0/0", "/hour/g0/0/0"] {
            #expect(SoakResource(.steady, path: path) == nil, "\(path)")
        }
    }
}

@Suite struct SoakScheduleTests {
    @Test func theSameSeedGivesTheSameSchedule() {
        #expect(SoakSchedule(seed: 5, seconds: 600).entries == SoakSchedule(seed: 5, seconds: 600).entries)
        #expect(SoakSchedule(seed: 5, seconds: 600).entries != SoakSchedule(seed: 6, seconds: 600).entries)
        var (one, two) = (SoakSteps(seed: 5, client: 1), SoakSteps(seed: 5, client: 1))
        var other = SoakSteps(seed: 5, client: 2)
        let steps = (0..<300).map { _ in one.next() }
        #expect(steps == (0..<300).map { _ in two.next() })
        #expect(steps != (0..<300).map { _ in other.next() })
    }

    @Test(arguments: [30, 60, 600, 3600])
    func oneProcessIsComparedWithItself(_ seconds: Int) {
        for seed in 0..<50 {
            let entries = SoakSchedule(seed: UInt64(seed), seconds: seconds).entries
            #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.milliseconds <= $1.milliseconds })
            let rests = entries.filter { $0.event == .rest }
            #expect(rests.count == 2 && entries.last?.event == .rest)
            let later = entries.drop { $0.event != .rest }
            #expect(!later.contains { [.restart, .kill].contains($0.event) }, "seed \(seed)")
            // At each rest the disk is empty, the clock is right and the origin is healthy.
            let before = entries.prefix { $0.event != .rest }.suffix(3).map(\.event)
            #expect(before == [.emptyDisk, .resetClock, .faults(perMille: 0)])
        }
    }

    @Test func aLongScheduleHoldsEverything() {
        let events = SoakSchedule(seed: 1, seconds: 600).entries.map(\.event)
        for wanted in [SoakEvent.restart, .kill, .reload, .fillDisk(free: 0), .emptyDisk, .faults(perMille: 300)] {
            #expect(events.contains(wanted), "\(wanted)")
        }
        #expect(events.contains { if case .stepClock(let seconds) = $0 { seconds < 0 } else { false } })
        #expect(events.contains { if case .stepClock(let seconds) = $0 { seconds > 0 } else { false } })
    }

    @Test func clientsDoEverything() {
        var steps = SoakSteps(seed: 1, client: 0)
        let all = (0..<20_000).map { _ in steps.next() }
        func share(_ test: (SoakStep) -> Bool) -> Int { all.count(where: test) }
        #expect((300...900).contains(share { if case .write = $0 { true } else { false } }))
        #expect(share { if case .purgeURL(_, true) = $0 { true } else { false } } > 20)
        #expect(share { if case .purgeGroup = $0 { true } else { false } } > 5)
        #expect(share { if case .purgeProvider = $0 { true } else { false } } > 0)
        #expect(share { if case .look = $0 { true } else { false } } > 50)
        #expect(share { if case .get(_, _, .leave) = $0 { true } else { false } } > 200)
        #expect(share { if case .get(_, _, .slow) = $0 { true } else { false } } > 200)
        for step in all {
            guard case .get(let resource, _, .range(let first, let last)) = step else { continue }
            #expect(first >= 0 && first <= last && last < resource.size)
        }
    }
}

@Suite struct SoakJudgementTests {
    @Test func aPlateauGrowsOnlyBeyondItsTolerance() {
        let early = SoakPlateau(milliseconds: 0, process: 1, residentKibibytes: 100_000, descriptors: 40, threads: 10)
        var late = early
        late.residentKibibytes = 136_384
        (late.descriptors, late.threads) = (60, 12)
        #expect(late.growth(since: early).isEmpty)
        late.residentKibibytes += 1
        (late.descriptors, late.threads) = (61, 13)
        #expect(late.growth(since: early).count == 3)
        #expect(early.growth(since: late).isEmpty)
    }

    @Test func anErrorLineIsAFindingUnlessTheDiskExplainsIt() {
        let line =
            #"{"time":"t","level":"error","label":"larder","message":"purge failed","values":{"error":"disk is full"}}"#
        #expect(SoakLog(line, SoakLog.Circumstances(diskWasShort: true)).errors.isEmpty)
        #expect(SoakLog(line, SoakLog.Circumstances()).errors == [line])
        let warning = #"{"time":"t","level":"warning","message":"m"}"#
        #expect(SoakLog(warning, SoakLog.Circumstances()).errors.isEmpty)
        #expect(SoakLog(warning, SoakLog.Circumstances()).warnings == 1)
        let crash = "Fatal error: Index out of range"
        #expect(SoakLog(crash, SoakLog.Circumstances(diskWasShort: true)).errors == [crash])
    }

    @Test func theCommandLineIsCheckedWhole() throws {
        let arguments = try SoakArguments(["--seconds", "60", "--seed", "7"], seed: 1)
        #expect(arguments.seconds == 60 && arguments.seed == 7)
        #expect(try SoakArguments([], seed: 9).seed == 9)
        for words in [["--seconds", "5"], ["--seconds"], ["--seed", "x"], ["--rate", "0"], ["--unknown", "1"]] {
            #expect(throws: Failure.self, "\(words)") { try SoakArguments(words, seed: 1) }
        }
    }

    @Test func faultsComeAtTheirRateAndFromTheSeed() {
        var faults = SoakFaults(seed: 3)
        #expect((0..<1000).allSatisfy { faults.next(at: $0) == nil })
        faults.perMille = 300
        let met = (0..<10_000).count { faults.next(at: $0) != nil }
        #expect((2700...3300).contains(met))
        #expect(faults.count == met && faults.last != nil)
    }
}

@Suite struct SoakThreadFiguresTests {
    private let smaps = """
        7f0000000000-7f0000001000 ---p 00000000 00:00 0
        Size:                  4 kB
        Rss:                   0 kB
        7f0000001000-7f0000801000 rw-p 00000000 00:00 0
        Size:               8192 kB
        Rss:                 212 kB
        """

    @Test func aStackIsTheMappingOfTheStackPointer() {
        let mappings = SoakThreadFigures.mappings(smaps)
        let call = "232 0x4 0x7f0000700000 0x400 0xffffffff 0x0 0x0 0x7f0000700ff0 0x7f1111111111\n"
        #expect(SoakThreadFigures.stack(call, in: mappings) == 212)
        #expect(SoakThreadFigures.stack("running\n", in: mappings) == 0)
    }

    @Test func timeIsReadBehindANameWithSpacesAndBrackets() {
        let fields = (4...30).map(String.init).joined(separator: " ")
        // User time is the 14th field and system time the 15th.
        let hertz = sysconf(Int32(_SC_CLK_TCK))
        #expect(SoakThreadFigures.milliseconds("7 (a) b (c)) S \(fields)") == (14 + 15) * 1000 / hertz)
    }

    @Test func theOwnThreadsAreSeen() {
        let threads = SoakThreadFigures.all(of: getpid())
        #expect(threads["\(getpid())"] != nil)
    }

    @Test func aDeepStackAndABusyThreadAreFindings() {
        var plateau = SoakPlateau(milliseconds: 0, process: 1, residentKibibytes: 0, descriptors: 0, threads: 2)
        #expect(plateau.excesses.isEmpty)
        let before = ["1": SoakThreadFigures(name: "loop-0", milliseconds: 100, stackKibibytes: 80)]
        let after = ["1": SoakThreadFigures(name: "loop-0", milliseconds: 700, stackKibibytes: 7000)]
        plateau.compare(after, with: before, over: 5000)
        #expect(plateau.busiestPercent == 12)
        #expect(plateau.excesses.count == 2)
        #expect(plateau.excesses.allSatisfy { $0.contains("loop-0") })
    }
}
