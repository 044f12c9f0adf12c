// Asynchronous searches as values: their states, which changes count, and which searches are still known.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct LiveSearchTests {
    private func search(_ names: String...) -> LiveSearch {
        LiveSearch(id: "x", query: Bytes(text: "{}"), sort: .relevance, names: names)
    }

    private func answer(_ provider: String, _ results: String) -> SourceAnswer {
        let count = results.split(separator: ",").count { $0 != "[]" }
        var answer = SourceAnswer(
            provider: provider, failure: UpstreamFailure(provider: provider, failure: .timedOut, detail: "late"))
        answer.failure = nil
        answer.normalised = NormalisedEntry(
            NormalisedAnswer(results: Bytes(text: results), count: count), query: Bytes(text: "{}"))
        return answer
    }

    private func failure(_ provider: String, _ failure: FailureClass = .timedOut) -> SourceAnswer {
        SourceAnswer(provider: provider, failure: UpstreamFailure(provider: provider, failure: failure, detail: "why"))
    }

    private func whole() -> LiveSearch.Conclusion {
        let answer = Answer(
            fields: [:], body: .bytes(Bytes(text: #"{"state":"results","count":1}"#)), bornAt: WallTime(seconds: 0),
            freshUntil: WallTime(seconds: 60), provenance: Provenance(outcome: .miss), provider: "search")
        return LiveSearch.Conclusion(answer, count: 1)
    }

    @Test func theStateIsThatOfTheSameSearchWhoseClientWaits() {
        let cases: [([SourceAnswer], LiveSearch.State)] = [
            ([answer("a", "[1]"), answer("b", "[]")], .results), ([answer("a", "[]"), answer("b", "[]")], .noResults),
            ([answer("a", "[1]"), failure("b")], .partial), ([answer("a", "[]"), failure("b")], .partial),
        ]
        for (answers, state) in cases {
            var search = search("a", "b")
            for (place, answer) in answers.enumerated() {
                let isNew = search.arrived(place, answer)
                #expect(isNew && search.state == .loading)
            }
            let ends = search.conclude(whole())
            #expect(ends && search.state == state)
        }
    }

    @Test func anEventShowsOfTheResultsWhatIsWanted() throws {
        var query = QueryParameters([.init("fields", "title")])
        let shape = try ResultShape(takenOff: &query)
        let source = answer("a", #"[{"id":"a:b:1","kind":"b","title":"t"}]"#)
        let event = LiveEnvelope.sourceEvent(source, shape).lossyText
        #expect(event.contains(#""results":[{"id":"a:b:1","title":"t"}]"#), "\(event)")
        #expect(LiveEnvelope.sourceEvent(source).lossyText.contains(#""kind":"b""#))
    }

    @Test func nothingUsableIsFailedWithItsProblem() {
        var search = search("a")
        _ = search.arrived(0, failure("a", .limited))
        let ends = search.conclude(.init(problem: Bytes(text: #"{"status":429}"#), at: WallTime(seconds: 0)))
        #expect(ends && search.state == .failed)
        let text = LiveEnvelope.render(search, results: Bytes(text: "[]"), count: 0).lossyText
        #expect(text.contains(#""state":"failed""#) && text.contains(#""problem":{"status":429}"#))
        #expect(text.contains(#""class":"limited""#))
    }

    @Test func afterItsEndNothingChangesASearch() {
        for cancels in [true, false] {
            var search = search("a", "b")
            _ = search.arrived(0, answer("a", "[1]"))
            let again = search.arrived(0, failure("a"))
            let beyond = search.arrived(2, failure("c"))
            #expect(!again && !beyond)
            if cancels {
                let isCancelled = search.cancel()
                #expect(isCancelled && search.state == .cancelled)
            } else {
                _ = search.arrived(1, answer("b", "[1]"))
                _ = search.conclude(whole())
            }
            let state = search.state
            let changes = [search.arrived(1, answer("b", "[1]")), search.conclude(whole()), search.cancel()]
            #expect(changes == [false, false, false])
            #expect(search.state == state)
        }
    }

    @Test func whatHasNotComeIsLoadingAndAfterwardsCancelled() throws {
        var search = search("a", "b")
        _ = search.arrived(1, answer("b", "[1]"))
        func states() throws -> [String?] {
            let value = try JSON.parse(LiveEnvelope.render(search, results: Bytes(text: "[1]"), count: 1))
            #expect(value["id"]?.string == "x" && value["events"]?.string == "/v1/searches/x/events")
            return [value["state"]?.string] + (value["sources"]?.elements.map { $0["state"]?.string } ?? [])
        }
        #expect(try states() == ["loading", "loading", "results"])
        _ = search.cancel()
        #expect(try states() == ["cancelled", "cancelled", "results"])
    }

    @Test func anEndedSearchShowsTheEnvelopeItWouldHaveAnsweredAndHoldsItOnce() throws {
        var search = search("a")
        _ = search.arrived(0, answer("a", "[1]"))
        _ = search.conclude(whole())
        let text = LiveEnvelope.render(search, results: Bytes(text: "[9]"), count: 9).lossyText
        #expect(text == #"{"id":"x","events":"/v1/searches/x/events","state":"results","count":1}"#)
        #expect(search.size == whole().body.count)
        _ = try JSON.parse(Bytes(text: text))
    }
}

@Suite struct RecentSearchesTests {
    private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: 0) + .seconds(seconds) }

    @Test func theOldestThatHasEndedMakesRoomAndWhatIsUnderWayNever() {
        var known = RecentSearches<Int>(limits: SearchLimits(count: 3, bytes: 1000, age: .seconds(60)))
        for (place, id) in ["a", "b", "c"].enumerated() {
            let begins = known.begin(id, place, now: at(0))
            #expect(begins)
        }
        let full = known.begin("d", 3, now: at(1))
        #expect(!full && known.count == 3)
        known.end("b", bytes: 10, now: at(2))
        known.end("a", bytes: 10, now: at(3))
        let begins = known.begin("d", 3, now: at(4))
        #expect(begins)
        #expect(known["b"] == nil && known["a"] == 0 && known["c"] == 2 && known["d"] == 3)
        #expect(known.dropped == 1 && known.bytes == 10)
    }

    @Test func whatHasEndedIsKnownForAWhile() {
        var known = RecentSearches<Int>(limits: SearchLimits(count: 3, bytes: 1000, age: .seconds(60)))
        _ = known.begin("a", 1, now: at(0))
        _ = known.begin("b", 2, now: at(0))
        known.end("a", bytes: 10, now: at(10))
        known.expire(at(69))
        #expect(known["a"] == 1)
        known.expire(at(70))
        #expect(known["a"] == nil && known["b"] == 2 && known.bytes == 0)
        #expect(known.dropped == 0, "its time was over")
    }

    @Test func theBytesOfWhatHasEndedAreBounded() {
        var known = RecentSearches<Int>(limits: SearchLimits(count: 10, bytes: 100, age: .seconds(60)))
        for (place, id) in ["a", "b", "c"].enumerated() { _ = known.begin(id, place, now: at(0)) }
        known.end("a", bytes: 60, now: at(1))
        known.end("b", bytes: 60, now: at(2))
        #expect(known["a"] == nil && known["b"] == 1 && known.bytes == 60)
        known.end("c", bytes: 500, now: at(3))
        #expect(known["b"] == nil && known["c"] == 2, "one alone may be larger")
        known.end("c", bytes: 1, now: at(4))
        #expect(known.bytes == 500, "it ends once")
        known.remove("c")
        #expect(known.bytes == 0 && known.count == 0)
    }

    @Test func aCorrectedSizeCountsAndMayDropOlderOnes() {
        var known = RecentSearches<Int>(limits: SearchLimits(count: 10, bytes: 100, age: .seconds(60)))
        for (place, id) in ["a", "b", "c"].enumerated() { _ = known.begin(id, place, now: at(0)) }
        known.end("a", bytes: 40, now: at(1))
        known.end("b", bytes: 40, now: at(2))
        known.resize("b", bytes: 50)
        #expect(known["a"] == 0 && known.bytes == 90)
        known.resize("b", bytes: 70)
        #expect(known["a"] == nil && known["b"] == 1 && known.bytes == 70 && known.dropped == 1)
        known.resize("c", bytes: 10)
        known.resize("a", bytes: 10)
        #expect(known.bytes == 70, "one is under way, and one is forgotten")
        known.remove("b")
        #expect(known.bytes == 0)
    }
}
