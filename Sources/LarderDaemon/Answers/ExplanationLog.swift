// What is remembered of the last requests, for `/v1/explain` and `/v1/requests`: so many of them, each a few hundred bytes,
// at most some six thousand.
// Those that only look at this daemon have a small memory of their own, so that an open console does not push out what it
// shows.
import LarderCore
import LarderHTTP
import LarderServer

/// The last explanations, the oldest forgotten first. Memory hits are not here: their loops keep records of their own.
final class ExplanationLog: Sendable {
    /// Enough for a person to ask about what was just seen; a few hundred bytes each.
    static let capacity = 1024
    /// The same for requests that only look at this daemon.
    static let lookingCapacity = 128

    /// A ring of explanations, found by their ids.
    private struct Pages {
        var capacity: Int
        var slots: [Explanation] = []
        var next = 0
        var places: [RequestID: Int] = [:]
        /// How many were answered, and the last of them in the order of their answers.
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

        /// The next number of those that are answered; its place in the order is the id's.
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
        /// What memory was given, by the entry's digest: a loop's record of a hit names no more than that.
        var entries: [Digest: Entry] = [:]
        var order: [Digest] = []
    }

    private let pages = Lock(Pages(capacity))
    private let looking = Lock(Pages(lookingCapacity))
    private let kept = Lock(Ready())

    /// Adds what is known of one source's part.
    func note(_ id: RequestID, at now: WallTime, _ part: ExplainedPart) {
        pages.withLock { $0.change(id, now) { $0.parts.append(part) } }
    }

    /// An error ended the request. Of a provider whose part is known already it says nothing new.
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
        // Of several sources that failed, each has said so; the error sums them up under the first one's name.
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

    /// The request has been answered.
    /// - Parameter isLooking: it only looked at this daemon, and nothing was noted of it before.
    func close(
        _ id: RequestID, at now: WallTime, isLooking: Bool = false, _ answered: AnsweredRequest,
        _ describe: (inout Explanation) -> Void
    ) {
        // A page may have asked a source by its own request.
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

    /// The requests answered after so many, in the order of their answers: at most the last so many. Those that only looked
    /// at this daemon are not among them.
    /// - Parameter number: nil for the last ones, of which none counts as missed.
    /// - Returns: them, how many were ever answered, and how many of those after the number are not among them.
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

    /// An answer is kept ready in memory.
    func keep(_ digest: Digest, _ part: ExplainedPart, for request: KeptRequest?) {
        kept.withLock { kept in
            let entry = Entry(part: part, request: request)
            if kept.entries.updateValue(entry, forKey: digest) == nil { kept.order.append(digest) }
            guard kept.order.count > 2 * Self.capacity else { return }
            for old in kept.order.prefix(Self.capacity) { kept.entries[old] = nil }
            kept.order.removeFirst(Self.capacity)
        }
    }

    /// What is known of an entry that memory answers from.
    func ready(_ digest: Digest) -> ExplainedPart? {
        kept.withLock { $0.entries[digest]?.part }
    }

    /// The same with the request that its answer was kept for.
    func request(_ digest: Digest) -> (part: ExplainedPart, request: KeptRequest?)? {
        kept.withLock { kept in kept.entries[digest].map { ($0.part, $0.request) } }
    }
}
