// What a run did, as its summary tells it. Counted while the command runs, on any loop.
import LarderCore
import LarderServer

/// The counts of one run.
struct RunCounts: Sendable, Hashable {
    /// Requests that the cache answered for, and those of them that cost no call.
    var requests = 0
    var saved = 0
    /// Requests that got a response of 400 or above from Larder itself, because the host could not be asked.
    var failed = 0
    var tunnels: [String: Int] = [:]
    var tunnelBytes = 0
    /// The rules by which requests were refused, by host.
    var refused: [String: String] = [:]
    /// Requests that a tape had no recording for, and exchanges that were recorded and replayed.
    var missing = 0
    var recorded = 0
    var replayed = 0
}

/// Confined by its lock.
final class RunSummary: Sendable {
    private let counts = Lock(RunCounts())
    /// The most hosts that are told apart.
    private static let mostHosts = 1000

    func change(_ body: (inout RunCounts) -> Void) { counts.withLock { body(&$0) } }

    var value: RunCounts { counts.withLock { $0 } }

    func tunnelled(_ record: TunnelRecord) {
        change { counts in
            counts.tunnelBytes += record.sent + record.received
            let host = counts.tunnels.count < Self.mostHosts ? record.target.host : "others"
            counts.tunnels[host, default: 0] += 1
        }
    }

    func refused(_ host: String, _ why: String) {
        change { counts in
            if counts.refused.count < Self.mostHosts { counts.refused[host] = why }
        }
    }
}

extension RunCounts {
    /// The lines for a person.
    var lines: [String] {
        var lines = [
            "\(requests) \(requests == 1 ? "request" : "requests"), \(saved) without a call"
                + (failed > 0 ? ", \(failed) failed" : "")
        ]
        if replayed + missing > 0 { lines.append("tape: \(replayed) replayed, \(missing) without a recording") }
        if recorded > 0 { lines.append("tape: \(recorded) recorded") }
        if !tunnels.isEmpty {
            let hosts = tunnels.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let shown = hosts.prefix(5).map { "\($0.key) \($0.value)" } + (hosts.count > 5 ? ["…"] : [])
            lines.append(
                "tunnelled unread: \(shown.joined(separator: ", ")), \(Units.format(size: Int64(tunnelBytes))) in all")
        }
        for (host, why) in refused.sorted(by: { $0.key < $1.key }).prefix(5) {
            lines.append("refused: \(host): \(why)")
        }
        return lines
    }

    var json: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("requests", requests)
            writer.member("saved", saved)
            writer.member("failed", failed)
            writer.member("recorded", recorded)
            writer.member("replayed", replayed)
            writer.member("missing", missing)
            writer.member("tunnelBytes", tunnelBytes)
            writer.name("tunnels")
            writer.object { writer in
                for (host, count) in tunnels.sorted(by: { $0.key < $1.key }) { writer.member(host, count) }
            }
            writer.name("refused")
            writer.object { writer in
                for (host, why) in refused.sorted(by: { $0.key < $1.key }) { writer.member(host, why) }
            }
        }
        return writer.bytes
    }
}
