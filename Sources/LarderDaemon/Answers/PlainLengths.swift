// How long coded bodies are once their coding is undone. To tell it, a body must be undone once; it is remembered by the
// coded bytes themselves, so that it is right for as long as it is remembered, whatever becomes of the entry.
import LarderCore
import LarderHTTP

/// The plain lengths of the bodies that were counted last.
final class PlainLengths: Sendable {
    fileprivate struct State {
        var lengths: [Digest: Int64?] = [:]
        /// In the order of their coming, the oldest at `next` once there are as many as are kept.
        var order: [Digest] = []
        var next = 0
    }
    private let state = Lock(State())
    private let capacity: Int

    /// - Parameter capacity: bodies that are remembered; some 50 bytes each.
    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    /// The plain length; nil where the coding cannot be undone, or the body would be larger than it may become. Takes as
    /// long as undoing the body the first time: not for a loop.
    func length(of body: Bytes, coding: String, limit: InflationLimit = .standard) -> Int64? {
        let digest = Digest(of: body)
        if let known = state.withLock({ $0.lengths[digest] }) { return known }
        let length = try? ContentCoding.plainLength(of: body, coding: coding, limit: limit)
        state.withLock { $0.keep(length, digest, capacity) }
        return length
    }

    /// Bodies that are remembered now.
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
