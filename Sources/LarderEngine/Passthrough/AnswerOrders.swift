// Orders the responses in progress (`AnswerOrder`) of each URL. A response keeps its place while its flight, its write,
// or a request that was given the response exists. All of these are bounded in number, and so are the places.
import LarderCache
import LarderCore

/// The place of one response in the order of its URL. `deinit` removes the response from the order.
final class AnswerPlace: Sendable {
    private let orders: AnswerOrders
    private let url: Digest
    /// The number of the response's arrival.
    let number: UInt64

    fileprivate init(_ orders: AnswerOrders, _ url: Digest, _ number: UInt64) {
        self.orders = orders
        self.url = url
        self.number = number
    }

    deinit { orders.leave(url, number) }

    private func ask<Result: Sendable>(_ question: (inout AnswerOrder) -> Result) -> Result? {
        orders.ask(url, question)
    }

    /// Whether a newer response replaced this one, or says that the resource does not exist.
    var isOvertaken: Bool { ask { $0.isOvertaken(number) } ?? false }

    /// Whether new requests must not join this response's flight.
    var isWithdrawn: Bool { ask { $0.isWithdrawn(number) } ?? false }

    /// Marks older responses of the URL as overtaken.
    /// - Parameter withdraws: whether requests must not join the older flights either, because the newer response is
    ///   not stored.
    /// - Returns: the keys of newly overtaken responses that are being written or have been written.
    func overtake(_ reach: AnswerOrder.Reach, withdraws: Bool = true) -> [CacheKey] {
        ask { $0.overtake(by: number, reach, withdraws: withdraws) } ?? []
    }

    /// Notes that this response is stored as a part or not at all. It overtakes no older one of the same
    /// representation.
    func spareSame() { _ = ask { $0.spareSame(number) } }

    /// Whether the response may be written. If so, it counts as being written from now on and overtakes older ones.
    func beginWriting(overtaking reach: AnswerOrder.Reach?) -> Bool {
        ask { $0.beginWriting(number, overtaking: reach) } ?? false
    }
}

/// The responses in progress of all URLs. Each URL has its own order.
final class AnswerOrders: Sendable {
    /// The order of one URL. A class: a value in a dictionary would be moved out and in again for each change.
    private final class Order {
        var order = AnswerOrder()
    }
    private struct State {
        var urls: [Digest: Order] = Dictionary(minimumCapacity: 8)
    }
    private let state = Lock(State())
    private let numbers: ArrivalNumbers

    init(_ numbers: ArrivalNumbers) { self.numbers = numbers }

    /// The number of URLs with a response in progress.
    var count: Int { state.withLock { $0.urls.count } }

    /// Whether the URL has a response in progress.
    func hasAny(_ url: Digest) -> Bool { state.withLock { $0.urls[url] != nil } }

    /// Whether the URL has more than one response in progress.
    func hasSeveral(_ url: Digest) -> Bool { state.withLock { $0.urls[url]?.order.count ?? 0 > 1 } }

    /// Registers a response whose head has arrived.
    /// - Parameters:
    ///   - url: the digest of the URL's own key.
    ///   - key: the key under which the response is stored, if it is stored.
    func enter(
        _ url: Digest, _ selection: AnswerOrder.Selection, key: CacheKey, _ representation: AnswerOrder.Representation
    ) -> AnswerPlace {
        let number = state.withLock { state -> UInt64 in
            // Taken under the lock, so that the responses of one URL enter in the order of their numbers.
            let number = numbers.next()
            let known = state.urls[url] ?? Order()
            known.order.enter(number, selection, key: key, representation)
            state.urls[url] = known
            return number
        }
        return AnswerPlace(self, url, number)
    }

    fileprivate func ask<Result: Sendable>(_ url: Digest, _ question: (inout AnswerOrder) -> Result) -> Result? {
        state.withLock { state in state.urls[url].map { question(&$0.order) } }
    }

    fileprivate func leave(_ url: Digest, _ number: UInt64) {
        state.withLock { state in
            guard let known = state.urls[url] else { return }
            known.order.leave(number)
            if known.order.isEmpty { state.urls[url] = nil }
        }
    }
}
