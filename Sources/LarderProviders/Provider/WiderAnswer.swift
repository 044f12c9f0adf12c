// The stored answer to one question may hold the answer to another: ten results are among the fifty that were fetched
// before, a filtered list is part of the whole list. The provider names such questions as values. The daemon checks
// whether their answers are stored and fresh; it makes no upstream call for this.
import LarderCore

/// Another question whose raw answer may hold the requested results.
public struct WiderAnswer: Sendable {
    /// The request in canonical form (see `Provider.canonical`), of the same endpoint.
    public var request: UpstreamRequest
    /// Reads this question's results from that answer, whose content coding is undone. Nil if it does not hold all of
    /// them.
    public var read: @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer?

    public init(
        _ request: UpstreamRequest,
        read: @escaping @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer?
    ) {
        self.request = request
        self.read = read
    }
}

/// A range of an upstream list: `count` records from `start`, fewer if the list ends earlier.
struct ListStretch: Sendable, Hashable {
    var start: Int
    var count: Int

    var end: Int { start + count }

    /// Lengths that people and programs commonly ask for. Each one costs a look-up in the filter of stored keys.
    private static let usualCounts = [5, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200]

    /// The indices of this range within the `records` records of an answer for `stored`; nil if the answer does not
    /// hold the whole range. An answer with fewer records than requested marks the end of the list.
    func places(in stored: ListStretch, records: Int) -> Range<Int>? {
        guard start >= stored.start, end <= stored.end || records < stored.count else { return nil }
        let first = min(start - stored.start, records)
        return first..<min(first + count, records)
    }

    /// Ranges of other lengths that may hold this one, for an API that can begin at any record.
    func widerAnywhere(longest: Int) -> [ListStretch] {
        let starts = start == 0 ? [0] : [0, start]
        return Self.usualCounts.filter { $0 <= longest }.flatMap { count in
            starts.map { ListStretch(start: $0, count: count) }
        }.filter { $0 != self }
    }

    /// The same for an API with pages: for each page length, the page on which this range begins.
    func widerPages(longest: Int) -> [ListStretch] {
        Self.usualCounts.filter { $0 <= longest }.map { ListStretch(start: start / $0 * $0, count: $0) }
            .filter { $0 != self }
    }
}
