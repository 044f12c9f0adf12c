// A search without a waiting client, as a value: its answers so far and how it ended. Each mutating method returns
// whether it changed anything. After the end nothing changes.
import LarderCache
import LarderCore
import LarderProviders

/// The state of a live search.
public struct LiveSearch: Sendable {
    /// The state as named in answers and events.
    public enum State: String, Sendable, CaseIterable {
        case loading
        case results
        case noResults
        case allDropped
        case partial
        case failed
        case cancelled
    }

    /// The end of the search: what a client that waits would have been answered.
    public struct Conclusion: Sendable {
        /// The envelope.
        var body: Bytes
        var count: Int
        /// How the answer came to be, as in `Provenance.outcome`.
        public var outcome: CacheOutcome
        /// The instant at which the answer's age was zero.
        public var bornAt: WallTime
        /// When the first source's answer is no longer fresh.
        public var freshUntil: WallTime
        /// Why the search failed, as problem JSON (RFC 9457); nil if it did not.
        public var problem: Bytes?

        /// An answer made from all sources.
        public init(body: Bytes, count: Int, outcome: CacheOutcome, bornAt: WallTime, freshUntil: WallTime) {
            self.body = body
            self.count = count
            self.outcome = outcome
            self.bornAt = bornAt
            self.freshUntil = freshUntil
        }

        /// A failure: no source gave a usable answer.
        public init(problem: Bytes, at now: WallTime) {
            body = []
            count = 0
            outcome = .none
            bornAt = now
            freshUntil = now
            self.problem = problem
        }
    }

    let id: String
    /// The canonical query, a JSON object.
    let query: Bytes
    /// The order of the results.
    public let sort: SortOrder
    /// The selected members of the results. The results in `answers` are whole.
    public let shape: ResultShape
    /// The sources' names, in the order of the question.
    let names: [String]
    private(set) var state = State.loading
    /// The answers so far, each at its source's place.
    public private(set) var answers: [SourceAnswer?]
    /// Nil until the search has ended.
    public private(set) var conclusion: Conclusion?

    init(id: String, query: Bytes, sort: SortOrder, names: [String], shape: ResultShape = .whole) {
        self.shape = shape
        self.id = id
        self.query = query
        self.sort = sort
        self.names = names
        answers = Array(repeating: nil, count: names.count)
    }

    /// Records one source's answer.
    mutating func arrived(_ place: Int, _ answer: SourceAnswer) -> Bool {
        guard state == .loading, answers.indices.contains(place), answers[place] == nil else { return false }
        answers[place] = answer
        return true
    }

    /// Ends the search with the answer made from all sources.
    mutating func conclude(_ conclusion: Conclusion) -> Bool {
        guard state == .loading else { return false }
        let sources = answers.compactMap { $0 }
        guard sources.count == answers.count, conclusion.problem == nil else {
            state = .failed
            self.conclusion = conclusion
            return true
        }
        state = State(rawValue: Envelope.state(sources)) ?? .failed
        self.conclusion = conclusion
        // The envelope in `conclusion` has the results.
        for place in answers.indices { answers[place]?.normalised?.results = [] }
        return true
    }

    /// Cancels the search.
    mutating func cancel() -> Bool {
        guard state == .loading else { return false }
        state = .cancelled
        return true
    }

    /// The size of the results it holds, in bytes.
    var size: Int {
        (conclusion?.body.count ?? 0) + answers.reduce(0) { $0 + ($1?.normalised?.results.count ?? 0) }
    }
}
