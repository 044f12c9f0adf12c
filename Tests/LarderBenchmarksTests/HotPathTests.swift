// How the check of the hot path reads callgrind's files and mangled names.
import Testing

@testable import LarderBenchmarks

@Suite struct HotPathTests {
    /// A dump in callgrind's format: names by number after their first use, costs after positions, and calls with their
    /// own cost.
    private func dump(_ times: Int) -> CallgrindProfile {
        CallgrindProfile(
            """
            # callgrind format
            version: 1
            events: Ir

            fl=(1) Connection.swift
            fn=(1) answer
            16 \(100 * times)
            +3 \(10 * times)
            cfi=(2) malloc.c
            cfn=(2) malloc
            calls=\(times) 4
            * \(500 * times)

            fn=(2)
            4 \(20 * times)
            cfn=(2)
            calls=\(times) 4
            +1 1

            fn=(3) walk'2
            7 5
            cfn=(4) swift_allocObject
            calls=\(2 * times) 4
            * 9

            totals: 12345
            """)
    }

    @Test func costsAreThoseOfTheFunctionItself() {
        let profile = dump(1)
        #expect(profile.functions["answer"]?.instructions == 110)
        #expect(profile.functions["malloc"]?.instructions == 20)
        #expect(profile.functions["malloc"]?.calls == 2)
        #expect(profile.functions["walk"]?.instructions == 5, "the rounds of a recursion are one function")
        #expect(profile.makers == ["walk": 2])
    }

    @Test func whatBothDumpsHaveFallsOut() {
        let cost = dump(100).perRequest(until: dump(200), requests: 100)
        #expect(cost.instructions == 130)
        #expect(cost.allocations == 2)
        #expect(cost.functions["walk"] == nil, "what does not grow costs nothing")
        #expect(cost.makers == ["walk": 2])
        #expect(cost.reached.contains("malloc"))
    }

    /// A loop that answers, and a store whose work on a timer falls into the second count only.
    private var threads: (first: ThreadProfiles, second: ThreadProfiles) {
        let store = CallgrindProfile("fn=(1) sqlite3_step\n3 5000\n")
        return (
            ThreadProfiles(threads: ["02": dump(100)]), ThreadProfiles(threads: ["02": dump(200), "05": store])
        )
    }

    @Test func aHitCostsWhatItsOwnThreadDoes() {
        let (first, second) = threads
        #expect(second.busiest == "02")
        let cost = first.perRequest(until: second, requests: 100, isOnOneThread: true)
        #expect(cost.instructions == 130)
        #expect(cost.allocations == 2)
        #expect(cost.makers == ["walk": 2])
    }

    @Test func otherRequestsCostWhatAllThreadsDo() {
        let (first, second) = threads
        #expect(first.perRequest(until: second, requests: 100, isOnOneThread: false).instructions == 180)
    }

    @Test(arguments: [
        "Swift.Array.append(__owned A) -> ()", "static LarderCore.Text.of<A where A: Swift.Collection>(A) -> Swift.Int",
        "LarderIO.LoopBound.value.getter : A", "Swift.UnsafeBufferPointer.Iterator.next() -> A?",
        "Swift.CheckedContinuation.init(continuation: Swift.UnsafeContinuation<A, B>) -> ()",
        "closure #1 (A1) -> Swift.Bool in Some.thing",
    ])
    func genericsAsTheyWereWrittenAreSeen(_ name: String) {
        #expect(HotPathGenerics.objection(mangled: "$s", demangled: name) == "an unspecialised generic")
    }

    @Test(arguments: [
        "generic specialization <Swift.UInt8> of Swift.Array.append(__owned A) -> ()",
        "function signature specialization <Arg[0] = Dead> of generic specialization <Swift.Int> of Swift.Set.f(A) -> ()",
        "generic not re-abstracted specialization <Swift.String> of closure #1 (A.Element) -> Swift.Bool in X",
        "LarderServer.Connection.answerFromMemory(LarderHTTP.RequestHead, Swift.UnsafeBufferPointer<Swift.UInt8>) -> ()",
        "malloc", "swift::runtime::AccessSet::insert(swift::runtime::Access*, void*)",
        "LarderHTTP.A9.b(Swift.Int) -> ()",
    ])
    func theSpecialisedAndThePlainAreNot(_ name: String) {
        #expect(HotPathGenerics.objection(mangled: "$s", demangled: name) == nil)
    }

    @Test(arguments: [
        ("swift_allocObject", "swift_allocObject"), ("swift_getWitnessTable", "swift_getWitnessTable"),
        ("$sX", "protocol witness for A.f() -> () in conformance B : A in C"),
        ("$sY", "dispatch thunk of Swift.Sequence.makeIterator() -> A.Iterator"),
        ("$sZ", "lazy protocol witness table accessor for type X and conformance X : Y in Z"),
    ])
    func lookUpsAndTablesAreSeen(_ mangled: String, _ demangled: String) {
        #expect(HotPathGenerics.objection(mangled: mangled, demangled: demangled) != nil)
    }

    @Test func aPermissionNeedsItsCallsAndItsReason() throws {
        let rows = try HotPathGenerics.allowed("# a comment\nReadySource.ready | 1 | by design\n")
        #expect(rows.count == 1)
        let name = "protocol witness for LarderCore.ReadySource.ready(X) -> Y"
        #expect(rows[0].covers(mangled: "$s", demangled: name, calls: 1.01))
        #expect(!rows[0].covers(mangled: "$s", demangled: name, calls: 2))
        #expect(!rows[0].covers(mangled: "$s", demangled: "malloc", calls: 1))
        for text in ["ReadySource.ready | 1 |", "ReadySource.ready | by design", "ReadySource.ready"] {
            #expect(throws: Failure.self) { try HotPathGenerics.allowed(text) }
        }
    }

    @Test func fivePercentAboveALimitIsAFailure() throws {
        let limits = try HotPathLimits("# case\nmemory 1000 0.0 20\n")
        func findings(_ instructions: Double, _ mallocs: Double) -> (failures: [String], hints: [String]) {
            var cost = RequestCost()
            cost.functions["f"] = RequestCost.Function(instructions: instructions, calls: 1)
            cost.functions["malloc"] = RequestCost.Function(instructions: 0, calls: mallocs)
            cost.functions["swift_retain"] = RequestCost.Function(instructions: 0, calls: 20)
            return limits.findings(.memory, cost)
        }
        #expect(findings(1040, 0).failures.isEmpty)
        #expect(findings(1060, 0).failures.count == 1)
        #expect(findings(1000, 1).failures.count == 1, "one allocation more is a failure where there was none")
        #expect(findings(900, 0).hints.count == 1)
        #expect(limits.findings(.sqlite, RequestCost()).failures.count == 1, "a case without a limit is not held")
    }

    @Test func whatIsWrittenAsLimitsIsReadAgain() throws {
        var cost = RequestCost()
        cost.functions["malloc"] = RequestCost.Function(instructions: 500, calls: 2)
        let limits = try HotPathLimits(HotPathLimits.text([.memory: cost, .sqlite: cost]))
        #expect(limits.rows[.memory] == HotPathLimits.Row(instructions: 500, allocations: 2, references: 0))
        #expect(limits.rows.count == 2)
        #expect(throws: Failure.self) { try HotPathLimits("memory 12\n") }
    }

    @Test(arguments: [(0.9, 0.85, "met"), (0.68, 0.85, "missed by 20.0 %")])
    func aRatioBelowItsGoalSaysByHowMuch(_ found: Double, _ goal: Double, _ word: String) {
        #expect(Verdict.word(found, atLeast: goal) == word)
    }

    @Test(arguments: [(200.0, 200.0, "met"), (300, 200, "missed by 50.0 %"), (3, 0, "missed by 3")])
    func aFigureAboveItsGoalSaysByHowMuch(_ found: Double, _ goal: Double, _ word: String) {
        #expect(Verdict.word(found, atMost: goal) == word)
    }
}
