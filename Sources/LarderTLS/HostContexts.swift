// The contexts of hosts, made on first use and kept while they are used. All loops share one table, since a certificate
// made twice costs twice the curve operations. A lock guards it for a few instructions; nothing is made under it.
import LarderCore

/// The TLS contexts of an authority's hosts, at most a fixed number of them.
public final class HostContexts: Sendable {
    /// Makes the certificates.
    public let authority: CertificateAuthority
    private let limit: Int
    private let table = Lock(Table())

    private struct Table {
        var entries: [String: (context: HostContext, lastUse: UInt64)] = [:]
        var clock: UInt64 = 0
    }

    /// - Parameter limit: The most hosts that are kept. The one not used for the longest time leaves first.
    public init(authority: CertificateAuthority, limit: Int = 256) {
        self.authority = authority
        self.limit = max(limit, 1)
    }

    /// The number of hosts that are kept.
    public var count: Int { table.withLock { $0.entries.count } }

    /// The context of a host if there is one that has not ended. A few instructions, for a loop.
    public func made(for host: String, at now: WallTime) -> HostContext? {
        guard let name = HostName.normalised(host) else { return nil }
        return table.withLock { table in
            guard let entry = table.entries[name], now < entry.context.expiry else { return nil }
            table.clock += 1
            table.entries[name]?.lastUse = table.clock
            return entry.context
        }
    }

    /// The context of a host, made if there is none. Making takes about half a millisecond: a loop calls this through
    /// its gate for computing. If several threads make one for the same host, all get the first.
    /// - Throws: `notAHost`, `notCovered`, `expired`, `library`.
    public func make(for host: String, at now: WallTime) throws(CertificateFailure) -> HostContext {
        guard let name = HostName.normalised(host) else { throw .notAHost(host) }
        if let context = made(for: name, at: now) { return context }
        return keep(try HostContext(host: name, leaf: authority.leaf(for: name, at: now)), now)
    }

    private func keep(_ made: HostContext, _ now: WallTime) -> HostContext {
        // What leaves the table is released after the lock: its end frees an SSL_CTX.
        let (kept, _) = table.withLock { table -> (HostContext, [HostContext?]) in
            if let entry = table.entries[made.host], now < entry.context.expiry { return (entry.context, []) }
            table.clock += 1
            let old = table.entries.updateValue((made, table.clock), forKey: made.host)
            guard table.entries.count > limit,
                let idle = table.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            else { return (made, [old?.context]) }
            table.entries[idle.key] = nil
            return (made, [old?.context, idle.value.context])
        }
        return kept
    }
}
