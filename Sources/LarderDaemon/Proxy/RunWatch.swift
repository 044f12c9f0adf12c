// The runs of `larder run` that are under way. A run is known by its process, which the kernel tells for a Unix socket,
// and is over when its process is. A hit from memory never reaches a handler, so a request is a hit unless it did.
import Glibc
import LarderCore
import LarderIO
import LarderServer

/// Confined by its lock.
final class RunWatch: Sendable {
    struct Run: Sendable {
        let process: Int32
        let since: WallTime
        var requests = 0
        /// Those that were no hits, or are not answered yet.
        var others = 0
    }

    /// The most runs that are told apart. Further ones are served and not told of.
    private static let most = 256

    private let runs = Lock<[Int32: Run]>([:])

    /// Notes a request of a run.
    func asked(by run: ProxyRun, at now: WallTime) {
        guard let process = run.process, process > 0 else { return }
        runs.withLock { runs in
            if runs[process] == nil, runs.count >= Self.most {
                runs = runs.filter { Self.lives($0.key) }
                guard runs.count < Self.most else { return }
            }
            runs[process, default: Run(process: process, since: now)].requests += 1
        }
    }

    /// Notes that a request of a run has reached its handler, or that it was a hit there.
    func reached(_ request: ServerRequest, isHit: Bool = false) {
        guard request.proxied != nil, case .unix(_, let process) = request.peer else { return }
        runs.withLock { $0[process]?.others += isHit ? -1 : 1 }
    }

    /// The runs whose processes live, the oldest first.
    var underWay: [Run] {
        runs.withLock { runs in
            runs = runs.filter { Self.lives($0.key) }
            return runs.values.sorted { ($0.since, $0.process) < ($1.since, $1.process) }
        }
    }

    /// Another user's process takes no signal from here, but can be seen.
    private static func lives(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || access("/proc/\(process)", F_OK) == 0
    }
}

/// What the proxy does, as `/v1/status` tells it. No host is named there.
struct ProxyStanding: Sendable {
    let counters: CounterRegistry
    let runs: RunWatch

    func write(to writer: inout JSONWriter) {
        func count(_ family: MetricFamily, _ labels: [String]) -> Int {
            labels.reduce(0) { $0 + counters.cell(family, $1).current }
        }
        writer.name("proxy")
        writer.object { writer in
            writer.member("tunnels", counters.cell(ServerCounters.tunnels).current)
            writer.member("tunnelBytes", count(ServerCounters.tunnelBytes, ["sent", "received"]))
            writer.member("refused", count(ServerCounters.refusals, ["proxyRule", "proxyPassword"]))
            writer.name("runs")
            writer.array { writer in
                for run in runs.underWay {
                    writer.object { writer in
                        writer.member("process", Int(run.process))
                        writer.member("since", run.since.rfc3339)
                        writer.member("requests", run.requests)
                        writer.member("hits", max(0, run.requests - run.others))
                    }
                }
            }
        }
    }
}
