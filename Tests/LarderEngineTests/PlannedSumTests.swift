// What the parts of an answer determine for the whole: the shortest lifetime, the greatest age, and what is missing.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import Testing

@testable import LarderEngine

@Suite struct PlannedSumTests {
    private func call(_ role: PlannedCall.Role) -> PlannedCall {
        PlannedCall("thing", UpstreamRequest(path: "/thing"), role: role)
    }

    private func served(
        at seconds: Int64, freshFor: Int64, age: Int64 = 0, isStored: Bool = true, failure: UpstreamFailure? = nil
    ) -> Result<Served, UpstreamFailure> {
        let response = WallTime(seconds: seconds)
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [KeyParameter("n", String(seconds))])
        let entry = StoredResponse(
            key: key, layer: .raw, provider: "p", endpoint: "e", requestTime: response + .seconds(-1),
            responseTime: response, initialAge: age, freshUntil: response + .seconds(freshFor),
            staleUntil: response + .seconds(freshFor * 2))
        return .success(
            Served(
                entry, Provenance(outcome: .miss, forward: .uriMiss, isStored: isStored, failure: failure)))
    }

    private func failed(_ failure: FailureClass) -> Result<Served, UpstreamFailure> {
        .failure(UpstreamFailure(provider: "p", failure: failure, detail: "\(failure)"))
    }

    @Test func theWholeIsAsOldAsItsOldestPartAndFreshAsLongAsItsFirstToEnd() {
        var sum = PlannedSum()
        _ = sum.add(served(at: 1000, freshFor: 60), of: call(.subject))
        _ = sum.add(served(at: 900, freshFor: 300), of: call(.part))
        _ = sum.add(served(at: 990, freshFor: 500, age: 95_000), of: call(.part))
        #expect(sum.freshUntil == WallTime(seconds: 1060))
        #expect(sum.staleUntil == WallTime(seconds: 1120))
        #expect(sum.responseTime == WallTime(seconds: 990) && sum.initialAge == 95_000)
        #expect(sum.parents.count == 3 && sum.subjects.count == 1 && sum.haveRows)
    }

    /// The client asked for a fresh answer and the provider failed. The stored response is still fresh.
    @Test func aStoredPartThatCoveredForAFailureHasItsRow() {
        let entry = StoredResponse(
            key: CacheKey(bytes: [1]), layer: .raw, provider: "p", endpoint: "e", requestTime: WallTime(seconds: 1),
            responseTime: WallTime(seconds: 1), freshUntil: WallTime(seconds: 2), staleUntil: WallTime(seconds: 3))
        #expect(Served(entry, Provenance(outcome: .hit, forward: .request)).hasRow)
        #expect(!Served(entry, Provenance(outcome: .miss, forward: .uriMiss)).hasRow)
    }

    @Test func anAidCountsNeitherForAgeNorAsMissing() {
        var sum = PlannedSum()
        _ = sum.add(served(at: 1000, freshFor: 60), of: call(.subject))
        let none = sum.add(failed(.unreachable), of: call(.aid))
        _ = sum.add(served(at: 10, freshFor: 20, isStored: false), of: call(.aid))
        #expect(none == nil)
        #expect(sum.missing == 0 && sum.lack == nil && sum.haveRows && sum.parents.count == 1)
        #expect(sum.freshUntil == WallTime(seconds: 1060))
    }

    @Test func aSubjectThatFailsEndsTheWholeAndAPartIsCounted() {
        var sum = PlannedSum()
        #expect(sum.add(failed(.limited), of: call(.subject))?.failure == .limited)
        #expect(sum.missing == 0)
        let none = sum.add(failed(.broken), of: call(.part))
        #expect(none == nil)
        #expect(sum.missing == 1 && sum.lack?.failure == .broken && !sum.lacksWholeProvider)
        _ = sum.add(failed(.suspended), of: call(.part))
        _ = sum.add(failed(.timedOut), of: call(.part))
        #expect(sum.missing == 3 && sum.lack?.failure == .suspended && sum.lacksWholeProvider)
    }

    @Test func whatIsStaleOrWasNotKeptIsSaid() {
        var sum = PlannedSum()
        let why = UpstreamFailure(provider: "p", failure: .broken, detail: "why")
        _ = sum.add(served(at: 1000, freshFor: 60, failure: why), of: call(.subject))
        _ = sum.add(served(at: 1000, freshFor: 60, isStored: false), of: call(.part))
        #expect(sum.covering?.detail == "why" && sum.worn == nil)
        #expect(!sum.haveRows)
    }

    @Test func aPartThatAloneCannotBeRefreshedDoesNotMakeTheWholeStale() {
        var sum = PlannedSum()
        _ = sum.add(served(at: 1000, freshFor: 60), of: call(.subject))
        let broken = UpstreamFailure(provider: "p", failure: .broken, detail: "broken")
        _ = sum.add(served(at: 500, freshFor: 60, failure: broken), of: call(.part))
        #expect(sum.covering == nil && sum.worn?.detail == "broken" && sum.missing == 0)
        #expect(sum.freshUntil == WallTime(seconds: 1060) && sum.responseTime == WallTime(seconds: 500))
        let down = UpstreamFailure(provider: "p", failure: .unreachable, detail: "down")
        _ = sum.add(served(at: 500, freshFor: 60, failure: down), of: call(.part))
        #expect(sum.covering?.detail == "down" && sum.freshUntil == WallTime(seconds: 560))
    }
}
