// The explanations of recent requests, for `/v1/explain` and `/v1/requests`. Their number is bounded. Each takes a few
// hundred bytes, and at most about six thousand. Requests that only look at this daemon have a small log of their own.
// Otherwise an open console would push out the requests that it shows.
import LarderCore
import LarderHTTP
import LarderServer

/// The most recent explanations; the oldest is dropped first. Memory hits are not here: the loops record those.
final class ExplanationLog: Sendable {
    /// Enough explanations for a person to ask about a request just seen. Each takes a few hundred bytes.
    static let capacity = 1024
    /// The capacity for requests that only look at this daemon.
    static let lookingCapacity = 128

    /// A ring of explanations with an index by request id.
    private struct Pages {
        var capacity: Int
        var slots: [Explanation] = []
        var next = 0
        var places: [RequestID: Int] = Dictionary(minimumCapacity: 8)
        /// The number of requests answered, and the ids of the last ones in the order of their answers.
        var answered: UInt64 = 0
        var order: [RequestID] = []

        init(_ capacity: Int) {
            self.capacity = capacity
        }

        mutating func change(_ id: RequestID, _ now: WallTime, _ body: (inout Explanation) -> Void) {
            if let place = places[id] { return body(&slots[place]) }
            var fresh = Explanation(id: id, at: now)
            body(&fresh)
            if slots.count < capacity {
                places[id] = slots.count
                slots.append(fresh)
                return
            }
            places[slots[next].id] = nil
            slots[next] = fresh
            places[id] = next
            next = (next + 1) % capacity
        }

        func find(_ id: RequestID) -> Explanation? { places[id].map { slots[$0] } }

        /// Assigns the next answer number to the request, and its slot in `order`.
        mutating func number(_ id: RequestID) -> UInt64 {
            let place = Int(answered % UInt64(capacity))
            if order.count < capacity { order.append(id) } else { order[place] = id }
            answered += 1
            return answered
        }
    }

    private struct Entry {
        var part: ExplainedPart
        var request: KeptRequest?
    }

    private struct Ready {
        /// What memory keeps ready, by the entry's digest. A loop's record of a hit names nothing else.
        var entries: [Digest: Entry] = [:]
        var order: [Digest] = []
    }

    private let pages = Lock(Pages(capacity))
    private let looking = Lock(Pages(lookingCapacity))
    private let kept = Lock(Ready())

    /// Adds one source's part.
    func note(_ id: RequestID, at now: WallTime, _ part: ExplainedPart) {
        pages.withLock { $0.change(id, now) { $0.parts.append(part) } }
    }

    /// Notes that an error ended the request. If the provider's part is already known, the error adds nothing.
    func note(_ id: RequestID, at now: WallTime, _ error: ClientFacingError) {
        pages.withLock { $0.change(id, now) { Self.add(error, to: &$0) } }
    }

    private static func add(_ error: ClientFacingError, to explanation: inout Explanation) {
        guard error.failure != nil || error.provider != nil else {
            explanation.refusal = Explanation.Refusal(
                code: error.code, detail: error.detail, parameter: error.parameter, allowed: error.allowed)
            return
        }
        let provider = error.provider ?? ""
        // If several sources failed, each part has its own failure. The error sums them up under the first one's name.
        let isSum = explanation.parts.count > 1
        guard
            !explanation.parts.contains(where: {
                $0.provider == provider && ($0.detail == error.detail || isSum && $0.failure != nil)
            })
        else { return }
        var part = ExplainedPart(provider: provider)
        part.failure = error.failure
        part.detail = error.detail
        explanation.parts.append(part)
    }

    /// Completes the explanation of an answered request.
    /// - Parameter isLooking: whether the request only looked at this daemon.
    func close(
        _ id: RequestID, at now: WallTime, isLooking: Bool = false, _ answered: AnsweredRequest,
        _ describe: (inout Explanation) -> Void
    ) {
        // A console page may have asked a source within its own request. Its explanation is then in `pages`.
        let isKnown = isLooking && pages.withLock { $0.find(id) != nil }
        (isLooking && !isKnown ? looking : pages).withLock { pages in
            var answered = answered
            answered.number = pages.number(id)
            pages.change(id, now) { explanation in
                describe(&explanation)
                explanation.answered = answered
            }
        }
    }

    func find(_ id: RequestID) -> Explanation? {
        pages.withLock { $0.find(id) } ?? looking.withLock { $0.find(id) }
    }

    /// Returns the requests answered after the given number, in the order of their answers, at most the last `limit`.
    /// Requests that only looked at this daemon are not included.
    /// - Parameter number: nil for the last requests, of which none counts as missed.
    /// - Returns: the requests, the number of requests ever answered, and the number after `number` that are left out.
    func answered(
        after number: UInt64?, atMost limit: Int
    ) -> (requests: [Explanation], answered: UInt64, missed: Int) {
        pages.withLock { pages in
            let kept = UInt64(min(limit, pages.order.count))
            let first = max(number ?? 0, pages.answered - kept)
            let found = (first..<max(first, pages.answered)).compactMap { place in
                pages.places[pages.order[Int(place % UInt64(pages.capacity))]].map { pages.slots[$0] }
            }
            let missed = number.map { Int(clamping: pages.answered - min($0, pages.answered)) - found.count } ?? 0
            return (found, pages.answered, missed)
        }
    }

    // MARK: What is kept ready

    /// Notes that an answer is kept ready in memory.
    func keep(_ digest: Digest, _ part: ExplainedPart, for request: KeptRequest?) {
        kept.withLock { kept in
            let entry = Entry(part: part, request: request)
            if kept.entries.updateValue(entry, forKey: digest) == nil { kept.order.append(digest) }
            guard kept.order.count > 2 * Self.capacity else { return }
            for old in kept.order.prefix(Self.capacity) { kept.entries[old] = nil }
            kept.order.removeFirst(Self.capacity)
        }
    }

    /// The notes on an entry that memory answers from, with the request whose answer was kept.
    func request(_ digest: Digest) -> (part: ExplainedPart, request: KeptRequest?)? {
        kept.withLock { kept in kept.entries[digest].map { ($0.part, $0.request) } }
    }
}
