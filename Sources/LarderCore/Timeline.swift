// The durations of the stages of one request, for its explanation. The code that performs a stage records it when the
// stage ends. Some stages end after the response has been sent: the rest of a body, the commit, the write to the
// client.
//
// A fetch that several requests share appears in the timeline of the request that caused it. The others record their
// wait for it.

/// The stages of one request. Any thread may record one.
public final class Timeline: Sendable {
    /// The timeline of the request that the task works for; nil if the work belongs to no request.
    @TaskLocal public static var current: Timeline?

    /// The stages of a request. Those of a transfer use the words of its metrics.
    public enum Stage: String, Sendable, CaseIterable {
        /// Looking up the entry in memory and database.
        case lookUp
        /// Waiting for the fetch of another request.
        case join
        /// Waiting of a call for its place or for its budget.
        case wait
        /// Resolving the host name.
        case name
        /// Making the TCP connection.
        case connect
        /// The TLS handshake.
        case tls
        /// From the request to the first byte of the upstream's response.
        case answer
        /// From the first byte of the upstream's response to its last.
        case body
        /// Classifying the upstream's response.
        case classify
        /// Making results from the response.
        case normalise
        /// From the acceptance of the response to its commit.
        case commit
        /// From the end of the handler to the last byte written to the socket.
        case write
    }

    /// One stage, from its beginning to its end.
    public struct Span: Sendable, Equatable {
        public var stage: Stage
        /// The provider that the stage concerns; nil if it concerns the request as a whole.
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

    /// The number of spans that are kept. A list of many items has more.
    public static let limit = 128

    /// When the handler began with the request.
    public let began: MonotonicTime
    private let state = Lock((spans: [Span](), leftOut: 0))

    public init(began: MonotonicTime) {
        self.began = began
    }

    public func note(_ stage: Stage, _ provider: String?, from began: MonotonicTime, to ended: MonotonicTime) {
        state.withLock { state in
            guard state.spans.count < Self.limit else { return state.leftOut += 1 }
            // A miss has about six stages.
            if state.spans.isEmpty { state.spans.reserveCapacity(8) }
            state.spans.append(Span(stage: stage, provider: provider, began: began, ended: max(began, ended)))
        }
    }

    /// The stages that have ended, ordered by their beginning, and how many more there were than are kept.
    public func told() -> (spans: [Span], leftOut: Int) {
        let (spans, leftOut) = state.withLock { $0 }
        let order = spans.indices.sorted { left, right in
            (spans[left].began, left) < (spans[right].began, right)
        }
        return (order.map { spans[$0] }, leftOut)
    }
}

extension TimeSource {
    /// Runs the body and records how long it took, if the task has a timeline.
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
