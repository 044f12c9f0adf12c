// Variants of one URL: which requests select the same variant, which variant is chosen, and decoding of arbitrary bytes
// as an index.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct VariantIndexTests {
    func select(_ names: [String], _ fields: HeaderFields) -> Digest {
        VariantIndex.selection(names: names, requestFields: fields)
    }

    @Test(
        arguments: [
            (["X"], ["X": "a, b"], ["x": "a,b"]), (["X"], ["X": "a", "x": "b"], ["X": " a ,\tb"]),
            (["Accept-Language"], ["Accept-Language": "de-DE, en"], ["accept-language": "DE-de,EN"]),
            (["Accept-Encoding"], ["Accept-Encoding": "GZIP"], ["Accept-Encoding": "gzip"]),
            (["X"], ["Y": "1"], ["Y": "2"]), ([], ["X": "1"], [:]),
        ] as [([String], HeaderFields, HeaderFields)])
    func equivalentRequestsSelectTheSame(_ names: [String], _ one: HeaderFields, _ other: HeaderFields) {
        #expect(select(names, one) == select(names, other))
    }

    @Test func orderAndCaseOfNamesDoNotMatter() {
        #expect(select(["B", "a", "A"], ["A": "1", "B": "2"]) == select(["a", "b"], ["b": "2", "a": "1"]))
    }

    @Test func differentRequestsSelectDifferently() {
        let values: [HeaderFields] = [
            [:], ["X": ""], ["X": "a"], ["X": "A"], ["X": "a,b"], ["X": "b,a"], ["X": "\"a,b\""], ["X": "ab"],
            ["X": "a", "Y": "b"], ["Y": "a"], ["Y": "a,b"], ["X": "a,b", "Y": ""], ["X": "", "Y": "a"],
        ]
        #expect(Set(values.map { select(["x", "y"], $0) }).count == values.count)
        #expect(select(["x"], [:]) != select(["y"], [:]))
        #expect(select(["ab", "c"], [:]) != select(["a", "bc"], [:]))
    }

    @Test func newestMatchComesFirstEachByItsOwnNames() {
        var index = VariantIndex()
        let request: HeaderFields = ["A": "1", "B": "2"]
        let first = index.add(vary: ["A"], requestFields: request, receivedAt: Sample.now).selection
        let second = index.add(vary: ["A", "B"], requestFields: request, receivedAt: Sample.now + .seconds(1)).selection
        let other = index.add(vary: ["A"], requestFields: ["A": "9"], receivedAt: Sample.now + .seconds(2)).selection
        #expect(index.candidates(for: request) == [second, first])
        #expect(index.candidates(for: ["A": "1"]) == [first])
        #expect(index.candidates(for: ["A": "9", "B": "2"]) == [other])
        #expect(index.candidates(for: [:]) == [])
        let again = index.add(vary: ["a"], requestFields: request, receivedAt: Sample.now + .seconds(3))
        #expect(again.dropped == [])
        #expect(index.variants.count == 3)
        #expect(index.candidates(for: request) == [first, second])
        index.remove(first)
        #expect(index.candidates(for: request) == [second])
    }

    /// A response of this many seconds ago, as its `Date` tells it.
    private func dated(_ seconds: Int64) -> HeaderFields {
        ["Date": HTTPDate.format(Sample.now + .seconds(-seconds))]
    }

    @Test func ofTwoMatchesTheOneWithTheLaterDateComesFirst() {
        var index = VariantIndex()
        let request: HeaderFields = ["A": "1", "B": "2"]
        let late = index.add(
            vary: ["A"], requestFields: request, receivedAt: Sample.now, answerFields: dated(5),
            now: Sample.now + .seconds(200)
        ).selection
        let early = index.add(
            vary: ["B"], requestFields: request, receivedAt: Sample.now + .seconds(1), answerFields: dated(500),
            now: Sample.now + .seconds(200)
        ).selection
        #expect(index.candidates(for: request) == [late, early])
        #expect(!index.isChosen(early, byOnly: ["b"]) && index.isChosen(late, byOnly: ["a"]))
        #expect(VariantIndex(decoding: index.encoded()) == index)
        expectOnlyWhole(index.encoded(), index)
    }

    @Test func aDateAheadOfTheReceiptCountsAsTheReceipt() {
        var index = VariantIndex()
        let request: HeaderFields = ["A": "1", "B": "2"]
        let ahead = index.add(
            vary: ["A"], requestFields: request, receivedAt: Sample.now, answerFields: dated(-900),
            now: Sample.now + .seconds(200)
        ).selection
        let later = index.add(
            vary: ["B"], requestFields: request, receivedAt: Sample.now + .seconds(2), answerFields: dated(-1),
            now: Sample.now + .seconds(200)
        ).selection
        #expect(index.candidates(for: request) == [later, ahead])
    }

    @Test func aValidatedVariantGoesBeforeThoseReceivedEarlierOnly() {
        var index = VariantIndex()
        let request: HeaderFields = ["A": "1", "B": "2", "C": "3"]
        func add(_ name: String, _ received: Int64, _ ago: Int64) -> Digest {
            index.add(
                vary: [name], requestFields: request, receivedAt: Sample.now + .seconds(received),
                answerFields: dated(ago), now: Sample.now + .seconds(200)
            ).selection
        }
        let (first, validated, later) = (add("A", 0, 5), add("B", 10, 500), add("C", 20, 4))
        index.lead(validated)
        #expect(index.candidates(for: request) == [later, validated, first])
        #expect(VariantIndex(decoding: index.encoded()) == index)
    }

    @Test func beyondTheLimitTheVariantReceivedFirstLeavesWhateverItsDate() {
        var index = VariantIndex()
        for number in 0..<VariantIndex.limit {
            _ = index.add(
                vary: ["X"], requestFields: ["X": "\(number)"], receivedAt: Sample.now + .seconds(Int64(number)),
                answerFields: dated(Int64(number)), now: Sample.now + .seconds(200))
        }
        let first = select(["x"], ["X": "0"])
        let new = index.add(
            vary: ["X"], requestFields: ["X": "new"], receivedAt: Sample.now + .seconds(100), answerFields: dated(9000),
            now: Sample.now + .seconds(200))
        #expect(new.dropped == [first] && index.variants.last?.selection == new.selection)
    }

    @Test func oldestVariantLeavesBeyondTheLimit() {
        var index = VariantIndex()
        var selections: [Digest] = []
        for number in 0..<VariantIndex.limit + 2 {
            let added = index.add(
                vary: ["X"], requestFields: ["X": "\(number)"], receivedAt: Sample.now + .seconds(Int64(number)))
            #expect(added.dropped == (number < VariantIndex.limit ? [] : [selections[number - VariantIndex.limit]]))
            selections.append(added.selection)
        }
        #expect(index.variants.count == VariantIndex.limit)
        #expect(VariantIndex(decoding: index.encoded()) == index)
    }

    @Test func aVariantIsInDoubtUntilItIsNotedAgain() {
        var index = VariantIndex()
        let first = index.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now).selection
        let empty = index.add(
            vary: ["A"], requestFields: ["A": "2"], receivedAt: Sample.now, putsOthersInDoubt: true
        ).selection
        #expect(index.isInDoubt(first) && !index.isInDoubt(empty))
        #expect(VariantIndex(decoding: index.encoded()) == index)
        _ = index.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now)
        #expect(!index.isInDoubt(first))
    }

    @Test func aVariantThatIsNotedLateIsInDoubtWhereItWasReceivedBefore() {
        var index = VariantIndex()
        _ = index.add(
            vary: ["A"], requestFields: ["A": "2"], receivedAt: Sample.now + .seconds(1), putsOthersInDoubt: true)
        var read = VariantIndex(decoding: index.encoded()) ?? VariantIndex()
        #expect(read == index)
        let late = read.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now).selection
        #expect(read.isInDoubt(late))
        let again = read.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now + .seconds(2)).selection
        #expect(!read.isInDoubt(again))
    }

    @Test func anAbsenceThatIsNotedLatePutsNothingInDoubtThatWasReceivedAfterIt() {
        var index = VariantIndex()
        let newer = index.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now + .seconds(2)).selection
        let older = index.add(vary: ["A"], requestFields: ["A": "3"], receivedAt: Sample.now).selection
        _ = index.add(
            vary: ["A"], requestFields: ["A": "2"], receivedAt: Sample.now + .seconds(1), putsOthersInDoubt: true)
        #expect(!index.isInDoubt(newer) && index.isInDoubt(older))
    }

    @Test func anAbsenceOfBeforeTheClockWasSetBackIsNoReasonForDoubt() {
        var index = VariantIndex()
        let hour = Duration.seconds(3600)
        let ahead = index.add(
            vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now + hour, now: Sample.now + hour
        ).selection
        _ = index.add(
            vary: ["A"], requestFields: ["A": "2"], receivedAt: Sample.now + hour, putsOthersInDoubt: true,
            now: Sample.now + hour)
        let later = index.add(vary: ["A"], requestFields: ["A": "3"], receivedAt: Sample.now, now: Sample.now).selection
        #expect(!index.isInDoubt(later))
        _ = index.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now + hour, now: Sample.now + hour)
        _ = index.add(
            vary: ["A"], requestFields: ["A": "4"], receivedAt: Sample.now, putsOthersInDoubt: true, now: Sample.now)
        #expect(index.isInDoubt(ahead), "its instant is ahead of the clock")
    }

    @Test func anIndexWithoutDoubtIsWrittenAsItWasBeforeThereWasAny() {
        var index = VariantIndex()
        _ = index.add(vary: ["A"], requestFields: ["A": "1"], receivedAt: Sample.now)
        #expect(index.encoded().first == 1)
        #expect(VariantIndex(decoding: [2] + index.encoded().dropFirst() + [0]) == nil)
    }

    @Test func onlyWhatWasWrittenIsRead() {
        var index = VariantIndex()
        #expect(VariantIndex(decoding: index.encoded()) == index)
        _ = index.add(vary: ["accept-language", "x"], requestFields: ["X": "1"], receivedAt: Sample.now)
        _ = index.add(vary: [], requestFields: [:], receivedAt: WallTime(milliseconds: -5))
        var bytes = index.encoded()
        expectOnlyWhole(bytes, index)
        _ = index.add(vary: ["x"], requestFields: [:], receivedAt: Sample.now, putsOthersInDoubt: true)
        bytes = index.encoded()
        expectOnlyWhole(bytes, index)
        #expect(VariantIndex(decoding: [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(VariantIndex(decoding: [1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        var random = FixedRandom(state: 7)
        for _ in 0..<3000 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            // A decoded index encodes to the same bytes.
            if let read = VariantIndex(decoding: damaged) { #expect(read.encoded() == damaged) }
        }
    }

    private func expectOnlyWhole(_ bytes: Bytes, _ index: VariantIndex) {
        #expect(VariantIndex(decoding: bytes) == index)
        #expect(VariantIndex(decoding: bytes + [0]) == nil)
        for count in 0..<bytes.count { #expect(VariantIndex(decoding: Bytes(bytes[..<count])) == nil) }
    }

    @Test func aVariantIsChosenByTheFieldsOfNewerOnesToo() {
        var index = VariantIndex()
        let older = index.add(
            vary: ["accept-encoding"], requestFields: ["X-B": "1"], receivedAt: Sample.now
        ).selection
        #expect(index.isChosen(older, byOnly: ["accept-encoding"]))
        let newer = index.add(
            vary: ["x-b"], requestFields: ["X-B": "2"], receivedAt: Sample.now + .seconds(1)
        ).selection
        #expect(!index.isChosen(older, byOnly: ["accept-encoding"]))
        #expect(index.isChosen(newer, byOnly: ["accept-encoding", "x-b"]))
    }

    @Test func aVariantIsNotChosenByTheFieldsOfOlderOnes() {
        var index = VariantIndex()
        _ = index.add(vary: ["x-b"], requestFields: ["X-B": "2"], receivedAt: Sample.now)
        let newer = index.add(
            vary: ["accept-encoding"], requestFields: [:], receivedAt: Sample.now + .seconds(1)
        ).selection
        #expect(index.isChosen(newer, byOnly: ["accept-encoding"]))
    }
}

extension VariantIndex {
    /// Adds a variant with a clock that is ahead of all instants.
    fileprivate mutating func add(
        vary names: [String], requestFields: HeaderFields, receivedAt: WallTime, putsOthersInDoubt: Bool = false
    ) -> (selection: Digest, dropped: [Digest]) {
        add(
            vary: names, requestFields: requestFields, receivedAt: receivedAt, putsOthersInDoubt: putsOthersInDoubt,
            now: Sample.now + .seconds(86_400))
    }
}
