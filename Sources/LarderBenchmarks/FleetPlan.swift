// The parameters of a simulated fleet, and the figures of a run. The same plan always gives the same figures.
import LarderCore

struct FleetPlan: Sendable {
    /// A time without the engine, in seconds.
    struct Outage: Sendable {
        enum Kind: Sendable {
            /// The engine was killed: it refuses connections and comes back empty.
            case killed
            /// The engine is stopped: it does not answer. Later it continues with all its data and processes the
            /// commands that were sent meanwhile.
            case frozen
        }

        var kind: Kind
        var from: Int
        var length: Int
    }

    var title = ""
    var hosts = 100
    var seconds = 600
    /// Requests of one host in a second.
    var rate = 5
    var answers = 2000
    var lifetime: Duration = .seconds(120)
    /// Nil for an API without a limit.
    var limit: CallRate? = CallRate(calls: 3000, per: .seconds(60))
    var outages = [
        Outage(kind: .killed, from: 200, length: 20), Outage(kind: .frozen, from: 300, length: 10),
        Outage(kind: .killed, from: 400, length: 5),
    ]
    /// Every this many seconds a host is killed while it fetches for the others. It is back 5 s later.
    var killEvery = 20
    /// One of this many calls takes long to be written down.
    var slowWriteEvery: UInt64 = 50
    var seed: UInt64 = 1

    /// The plans whose figures are published (Benchmarks/FLEET.md).
    static var published: [FleetPlan] {
        var calm = FleetPlan(title: "no limit, engine always there", limit: nil, outages: [])
        calm.killEvery = 20
        let lost = FleetPlan(title: "no limit, engine lost three times", limit: nil)
        let ample = FleetPlan(title: "ample limit, engine lost three times")
        let scarce = FleetPlan(
            title: "scarce limit, engine lost three times", limit: CallRate(calls: 300, per: .seconds(60)))
        return [calm, lost, ample, scarce]
    }
}

/// The figures of a run. Each is taken at the side that would suffer: calls at the upstream, leases at the engine,
/// waits at the hosts.
struct FleetFigures: Sendable {
    var requests = 0
    var hits = 0
    var calls = 0
    /// The part of the calls that was made by hosts that could not ask the engine.
    var callsAlone = 0
    /// The calls of one cache that all hosts would share, without any limit.
    var callsOfOneCache = 0
    var refused = 0
    /// The most calls within any span as long as the budget's window, by the upstream's clock.
    var fullestWindow = 0
    /// Calls after the end of their lease, by the engine's clock, or without a lease.
    var lateCalls = 0
    /// Calls beyond the number that the engine granted in their lease.
    var overdrawn = 0
    /// The longest time after the death of a lease's owner at which the engine still told another host that the lease
    /// was held.
    var longestDeadLease: Duration = .zero
    /// The longest wait of a host for a dead host.
    var longestHoldUp: Duration = .zero
    /// The greatest error in the remaining freshness of an answer that a host read from the engine.
    var worstLifetime: Duration = .zero
    var kills = 0
    /// Kills of hosts whose lease in the engine delayed other hosts.
    var deadLeasesMet = 0

    /// A table of several plans with their figures.
    static func table(_ runs: [(plan: FleetPlan, figures: FleetFigures)]) -> String {
        let head = [
            "Fleet", "Hosts", "Limit", "Requests", "Hits", "Calls", "Without the engine", "Of one cache", "Ratio",
            "Refused",
            "Fullest window",
            "Late calls", "Dead lease held, ms", "Wait for a dead host, ms", "Lifetime wrong by, ms", "Kills",
        ]
        let rows = runs.map { plan, figures in
            [
                plan.title, "\(plan.hosts)", plan.limit.map { "\($0)" } ?? "none",
                Figures.grouped(Double(figures.requests)), Figures.grouped(Double(figures.hits)),
                Figures.grouped(Double(figures.calls)), Figures.grouped(Double(figures.callsAlone)),
                Figures.grouped(Double(figures.callsOfOneCache)),
                Figures.fixed(Double(figures.calls) / Double(max(1, figures.callsOfOneCache)), 3),
                Figures.grouped(Double(figures.refused)), plan.limit == nil ? "–" : "\(figures.fullestWindow)",
                plan.limit == nil ? "–" : "\(figures.lateCalls + figures.overdrawn)",
                "\(figures.longestDeadLease.milliseconds)", "\(figures.longestHoldUp.milliseconds)",
                "\(figures.worstLifetime.milliseconds)", "\(figures.kills)",
            ]
        }
        return Figures.table([head] + rows)
    }
}
