// Limits the number of open request streams. Each looks at the rings of every loop five times a second, so the limit is
// lower than for other event streams, which only wait for news. The last places are for clients with authority on the
// Unix socket: nobody keeps the machine's owner from looking.
import LarderCore
import LarderEngine

/// The places for request streams.
final class RequestStreamPlaces: Sendable {
    /// The default limit. An open console takes one place, and so do `larder log` and `larder top`.
    static let standard = 32

    static let refusals = MetricFamily(
        "larder_request_streams_refused_total", help: "Streams of the request log refused because too many were open.")

    /// The places that only clients with authority on the Unix socket get.
    static let reserved = 4

    /// A stream's place. It becomes free when the last reference to this object is gone.
    final class Place: Sendable {
        private let places: RequestStreamPlaces

        fileprivate init(_ places: RequestStreamPlaces) {
            self.places = places
        }

        deinit { places.taken.withLock { $0 -= 1 } }
    }

    private let limit: Int
    private let reserved: Int
    private let taken = Lock(0)
    private let refused: CounterCell

    init(limit: Int = standard, reserved: Int = reserved, counters: CounterRegistry) {
        self.limit = limit
        self.reserved = reserved
        refused = counters.cell(Self.refusals)
    }

    /// Takes a place for one more stream.
    /// - Parameter isOwner: whether the client has authority on the Unix socket.
    /// - Throws: 503 if all of its places are taken.
    func take(isOwner: Bool) throws(ClientFacingError) -> Place {
        let limit = isOwner ? limit : limit - reserved
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        if isFree { return Place(self) }
        refused.add()
        throw ClientFacingError(
            status: 503, code: FailureClass.overloaded.rawValue,
            detail: "Too many streams of requests are open: at most \(limit) are permitted.", retryable: true,
            retryAfter: 15)
    }
}
