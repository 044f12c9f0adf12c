// The origins that clients of the proxy asked last in absolute form. A hit then needs no look at the rules: what is ready
// under an origin's number was stored by the provider whose answers the rules permit here. Other paths of the origin, which
// have another verdict, have another number. Confined to its worker's loop.
import LarderCore

struct ProxiedOrigins {
    /// The most that are kept.
    private static let most = 16

    private struct Known {
        /// Scheme and authority as a client wrote them: "http://example.org".
        let start: Bytes
        let origin: ProxiedOrigin
    }

    private var list: [Known] = []

    /// Keeps an origin in place of the oldest one.
    mutating func note(_ origin: ProxiedOrigin, _ start: Slice<UnsafeBufferPointer<UInt8>>) {
        guard !list.contains(where: { $0.start.elementsEqual(start) }) else { return }
        if list.count == Self.most { list.removeFirst() }
        list.append(Known(start: Bytes(start), origin: origin))
    }

    /// The origin of an absolute target, and the rest of the target, which begins with "/".
    func find(
        in target: UnsafeBufferPointer<UInt8>
    ) -> (origin: ProxiedOrigin, path: UnsafeBufferPointer<UInt8>)? {
        for known in list {
            let end = known.start.count
            guard target.count > end, target[end] == 0x2F, target.starts(with: known.start) else { continue }
            return (known.origin, UnsafeBufferPointer(rebasing: target[end...]))
        }
        return nil
    }
}
