// The host that the requests inside a CONNECT must name, with TLS or in plain. Confined to its connection's loop.
import LarderCore

final class ChannelHost {
    let target: ProxyTarget
    /// The last Host that was accepted: most clients write the same again and again.
    private var accepted = Bytes()

    init(_ target: ProxyTarget) { self.target = target }

    /// Whether a Host names the host of this channel.
    func accepts(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        let isKnown = accepted.count == host.count && accepted.withUnsafeBufferPointer { $0.elementsEqual(host) }
        guard !isKnown || host.isEmpty else { return true }
        guard target.isNamed(by: host) else { return false }
        accepted = Bytes(host)
        return true
    }
}
