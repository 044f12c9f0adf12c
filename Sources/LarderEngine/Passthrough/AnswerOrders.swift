// The order of the answers that are under way (`AnswerOrder`), for all URLs. An answer keeps its place as long as its
// flight, its write, or a request that was told of it exists. Their number is bounded, and so is the number of places.
import LarderCache
import LarderCore

/// The place of one answer among those of its URL; its end takes it out.
final class AnswerPlace: Sendable {
    private let orders: AnswerOrders
    private let url: Digest
    private let number: UInt64

    fileprivate init(_ orders: AnswerOrders, _ url: Digest, _ number: UInt64) {
        self.orders = orders
        self.url = url
        self.number = number
    }

    deinit { orders.leave(url, number) }

    /// A newer answer took its place, or says that there is none.
    var isOvertaken: Bool { orders.isOvertaken(url, number) }

    /// Nobody is to join its flight.
    var isWithdrawn: Bool { orders.isWithdrawn(url, number) }

    /// Overtakes what is older.
    /// - Parameter withdraws: nobody joins it either: the newer answer is not stored.
    /// - Returns: the keys of those that are being written.
    func overtake(_ reach: AnswerOrder.Reach, withdraws: Bool = true) -> [CacheKey] {
        orders.overtake(url, by: number, reach, withdraws)
    }

    /// It is stored as a part or not at all: it overtakes no older one of the same representation.
    func spareSame() { orders.spareSame(url, number) }

    /// Whether the answer may be written; it counts as being written from here on, and overtakes what is older.
    func beginWriting(overtaking reach: AnswerOrder.Reach?) -> Bool { orders.beginWriting(url, number, reach) }
}

final class AnswerOrders: Sendable {
    private struct State {
        var latest: UInt64 = 0
        var urls: [Digest: AnswerOrder] = [:]
    }
    private let state = Lock(State())

    /// URLs with an answer under way.
    var count: Int { state.withLock { $0.urls.count } }

    /// Whether an answer of the URL is under way.
    func hasAny(_ url: Digest) -> Bool { state.withLock { $0.urls[url] != nil } }

    /// Whether several are.
    func hasSeveral(_ url: Digest) -> Bool { state.withLock { $0.urls[url]?.count ?? 0 > 1 } }

    /// The head of an answer has come.
    /// - Parameters:
    ///   - url: the URL's own key.
    ///   - key: under which the answer is stored, if it is.
    func enter(
        _ url: Digest, _ selection: AnswerOrder.Selection, key: CacheKey, _ representation: AnswerOrder.Representation
    ) -> AnswerPlace {
        let number = state.withLock { state -> UInt64 in
            state.latest += 1
            state.urls[url, default: AnswerOrder()].enter(state.latest, selection, key: key, representation)
            return state.latest
        }
        return AnswerPlace(self, url, number)
    }

    fileprivate func isOvertaken(_ url: Digest, _ number: UInt64) -> Bool {
        state.withLock { $0.urls[url]?.isOvertaken(number) ?? false }
    }

    fileprivate func isWithdrawn(_ url: Digest, _ number: UInt64) -> Bool {
        state.withLock { $0.urls[url]?.isWithdrawn(number) ?? false }
    }

    fileprivate func overtake(
        _ url: Digest, by number: UInt64, _ reach: AnswerOrder.Reach, _ withdraws: Bool
    ) -> [CacheKey] {
        state.withLock { $0.urls[url]?.overtake(by: number, reach, withdraws: withdraws) ?? [] }
    }

    fileprivate func spareSame(_ url: Digest, _ number: UInt64) {
        state.withLock { $0.urls[url]?.spareSame(number) }
    }

    fileprivate func beginWriting(_ url: Digest, _ number: UInt64, _ reach: AnswerOrder.Reach?) -> Bool {
        state.withLock { $0.urls[url]?.beginWriting(number, overtaking: reach) ?? false }
    }

    fileprivate func leave(_ url: Digest, _ number: UInt64) {
        state.withLock { state in
            state.urls[url]?.leave(number)
            if state.urls[url]?.isEmpty ?? false { state.urls[url] = nil }
        }
    }
}
