// What took how long in one request, for its explanation. Stages are noted where they end, by whoever performs them; some end
// after the answer has gone out: the rest of a body, the commit, the write to the client.
//
// A fetch that several requests share is in the timeline of the one that caused it. The others have their wait for it.

/// The stages of one request. Any thread may note one.
public final class Timeline: Sendable {
    /// The request that a task works for; nil where nobody asked.
    @TaskLocal public static var current: Timeline?

    /// What a request may spend its time with. Those of a transfer have the words of its metrics.
    public enum Stage: String, Sendable, CaseIterable {
        /// Memory and database were asked.
        case lookUp
        /// It waited for the fetch of another request.
        case join
        /// A call waited for its place or for its budget.
        case wait
        /// The host's name was looked up.
        case name
        /// The TCP connection was made.
        case connect
        /// The TLS handshake was done.
        case tls
        /// From the request to the first byte of the answer.
        case answer
        /// From the first byte of the answer to its last.
        case body
        /// It was judged what the answer is.
        case classify
        /// Results were made of it.
        case normalise
        /// From the acceptance of the answer to its commit.
        case commit
        /// From the end of the handler to the last byte written to the socket.
        case write
    }

    /// One stage, from its beginning to its end.
    public struct Span: Sendable, Equatable {
        public var stage: Stage
        /// For which provider; nil where it concerns the request as a whole.
        public var provider: String?
        public var began: MonotonicTime
        public var ended: MonotonicTime

        public init(stage: Stage, provider: String?, began: MonotonicTime, ended: MonotonicTime) {
            self.stage = stage
            self.provider = provider
            self.began = began
            self.ended = ended
        }
    }

    /// Spans that are kept; a list of many items has more.
    public static let limit = 128

    /// When the request was handed to its task.
    public let began: MonotonicTime
    private let state = Lock((spans: [Span](), leftOut: 0))

    public init(began: MonotonicTime) {
        self.began = began
    }

    public func note(_ stage: Stage, _ provider: String?, from began: MonotonicTime, to ended: MonotonicTime) {
        state.withLock { state in
            guard state.spans.count < Self.limit else { return state.leftOut += 1 }
            state.spans.append(Span(stage: stage, provider: provider, began: began, ended: max(began, ended)))
        }
    }

    /// The stages that have ended, in the order in which they began, and how many more there were than are kept.
    public func told() -> (spans: [Span], leftOut: Int) {
        let (spans, leftOut) = state.withLock { $0 }
        let order = spans.indices.sorted { left, right in
            (spans[left].began, left) < (spans[right].began, right)
        }
        return (order.map { spans[$0] }, leftOut)
    }
}

extension TimeSource {
    /// Notes how long something took, where a request's timeline is kept.
    public func timing<Result>(
        _ stage: Timeline.Stage, _ provider: String?, _ body: () async -> Result
    ) async -> Result {
        guard let timeline = Timeline.current else { return await body() }
        let began = monotonic()
        let result = await body()
        timeline.note(stage, provider, from: began, to: monotonic())
        return result
    }
}
