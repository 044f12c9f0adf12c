// A search that nobody waits for, as a value: what has come of it so far and how it ended. Every change says whether it
// was one: after its end nothing changes it any more.
import LarderCache
import LarderCore
import LarderProviders

/// What has come of a search so far.
public struct LiveSearch: Sendable {
    /// The word for it in answers and events.
    public enum State: String, Sendable, CaseIterable {
        case loading
        case results
        case noResults
        case allDropped
        case partial
        case failed
        case cancelled
    }

    /// What the same search would have answered to who waits for it.
    public struct Conclusion: Sendable {
        /// The envelope.
        var body: Bytes
        var count: Int
        /// What it cost, as `Provenance.outcome`.
        public var outcome: CacheOutcome
        /// When the answer's age was zero.
        public var bornAt: WallTime
        /// When the first of its sources is no longer fresh.
        public var freshUntil: WallTime
        /// The sources are a failure's: this is why (RFC 9457), as JSON.
        public var problem: Bytes?

        /// What an answer says that was made of all sources.
        public init(body: Bytes, count: Int, outcome: CacheOutcome, bornAt: WallTime, freshUntil: WallTime) {
            self.body = body
            self.count = count
            self.outcome = outcome
            self.bornAt = bornAt
            self.freshUntil = freshUntil
        }

        /// Nothing usable came.
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
    /// In which order results are wanted.
    public let sort: SortOrder
    /// What is wanted of the results; those in `answers` are whole.
    public let shape: ResultShape
    /// The sources' names, in the order of the question.
    let names: [String]
    private(set) var state = State.loading
    /// What has come, at the place of its source.
    public private(set) var answers: [SourceAnswer?]
    /// Nil before its end.
    public private(set) var conclusion: Conclusion?

    init(id: String, query: Bytes, sort: SortOrder, names: [String], shape: ResultShape = .whole) {
        self.shape = shape
        self.id = id
        self.query = query
        self.sort = sort
        self.names = names
        answers = Array(repeating: nil, count: names.count)
    }

    /// One source's answer is there.
    mutating func arrived(_ place: Int, _ answer: SourceAnswer) -> Bool {
        guard state == .loading, answers.indices.contains(place), answers[place] == nil else { return false }
        answers[place] = answer
        return true
    }

    /// All have come, and this is what they make.
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
        // They are in the envelope.
        for place in answers.indices { answers[place]?.normalised?.results = [] }
        return true
    }

    /// Its client wants it no more.
    mutating func cancel() -> Bool {
        guard state == .loading else { return false }
        state = .cancelled
        return true
    }

    /// Bytes of results that it holds.
    var size: Int {
        (conclusion?.body.count ?? 0) + answers.reduce(0) { $0 + ($1?.normalised?.results.count ?? 0) }
    }
}
