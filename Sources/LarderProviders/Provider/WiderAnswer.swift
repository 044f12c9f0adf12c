// A question may be answered by the stored answer of another one: ten results by the fifty that were fetched before, a
// filtered list by the whole. Which other questions those are is a fact of the provider, a value; the daemon looks whether
// their answers are stored and fresh, and makes no call for it.
import LarderCore

/// Another question whose raw answer may hold what is asked for.
public struct WiderAnswer: Sendable {
    /// In the form that `canonical` gives, of the same endpoint.
    public var request: UpstreamRequest
    /// Reads the question's own results out of that answer, its content coding undone; nil where it does not hold them all.
    public var read: @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer?

    public init(
        _ request: UpstreamRequest,
        read: @escaping @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer?
    ) {
        self.request = request
        self.read = read
    }
}

/// A stretch of a list that is upstream: so many from a place on, fewer where the list ends.
struct ListStretch: Sendable, Hashable {
    var start: Int
    var count: Int

    var end: Int { start + count }

    /// Lengths that people and programs ask for. Each costs a look into the filter of stored keys.
    private static let usualCounts = [5, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200]

    /// Where in an answer for `stored`, which has so many records, this stretch lies; nil where not all of it does. What is
    /// shorter than it was asked for ends where the list ends.
    func places(in stored: ListStretch, records: Int) -> Range<Int>? {
        guard start >= stored.start, end <= stored.end || records < stored.count else { return nil }
        let first = min(start - stored.start, records)
        return first..<min(first + count, records)
    }

    /// Stretches of other lengths that may hold this one, of an API that can begin anywhere.
    func widerAnywhere(longest: Int) -> [ListStretch] {
        let starts = start == 0 ? [0] : [0, start]
        return Self.usualCounts.filter { $0 <= longest }.flatMap { count in
            starts.map { ListStretch(start: $0, count: count) }
        }.filter { $0 != self }
    }

    /// The same of an API that has pages: the page of each length on which this stretch begins.
    func widerPages(longest: Int) -> [ListStretch] {
        Self.usualCounts.filter { $0 <= longest }.map { ListStretch(start: start / $0 * $0, count: $0) }
            .filter { $0 != self }
    }
}
