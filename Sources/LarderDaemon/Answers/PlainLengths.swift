// The lengths of coded bodies after decoding. Finding the length takes one decoding. The length is remembered by the
// digest of the coded bytes, so it stays correct whatever happens to the entry.
import LarderCore
import LarderHTTP

/// The plain lengths of the bodies that were measured last.
final class PlainLengths: Sendable {
    fileprivate struct State {
        var lengths: [Digest: Int64?] = [:]
        /// In order of arrival. When the list is full, the oldest is at `next`.
        var order: [Digest] = []
        var next = 0
    }
    private let state = Lock(State())
    private let capacity: Int

    /// - Parameter capacity: the number of bodies to remember; about 50 bytes each.
    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// The plain length. Nil if the body cannot be decoded or exceeds `limit`. The first call for a body takes as long
    /// as decoding it, so do not call this on a loop.
    func length(of body: Bytes, coding: String, limit: InflationLimit = .standard) -> Int64? {
        let digest = Digest(of: body)
        if let known = state.withLock({ $0.lengths[digest] }) { return known }
        let length = try? ContentCoding.plainLength(of: body, coding: coding, limit: limit)
        state.withLock { $0.keep(length, digest, capacity) }
        return length
    }

    /// The number of bodies remembered now.
    var count: Int { state.withLock { $0.lengths.count } }
}

extension PlainLengths.State {
    fileprivate mutating func keep(_ length: Int64?, _ digest: Digest, _ capacity: Int) {
        guard lengths.updateValue(length, forKey: digest) == nil else { return }
        guard order.count == capacity else { return order.append(digest) }
        lengths[order[next]] = nil
        order[next] = digest
        next = (next + 1) % capacity
    }
}
