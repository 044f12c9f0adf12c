// A fleet in virtual time: the pure machines that the daemon runs (breaker, waits, leases of calls, the ledger of a budget) over an
// engine that is lost and comes back empty, with hosts that are killed while they hold leases and whose clocks are an hour apart.
// What is counted: calls to the upstream against those of one cache that all would share, the fullest window of the budget, and the
// longest time that a lease held up another host.
import LarderCache
import LarderCore

/// What a run is made of. The same plan gives the same figures.
struct FleetPlan: Sendable {
    var hosts = 100
    var seconds = 600
    /// Requests of one host in a second.
    var rate = 5
    var answers = 2000
    var lifetime: Duration = .seconds(120)
    var limit = CallRate(calls: 3000, per: .seconds(60))
    /// The engine is away: from, and for how long, in seconds.
    var outages: [(from: Int, length: Int)] = [(200, 20), (400, 5)]
    /// A host is killed so often, in seconds, while it fetches; it is back 5 s later.
    var killEvery = 20
    var seed: UInt64 = 1
}

/// What came of it.
struct FleetFigures: Sendable {
    var requests = 0
    var hits = 0
    var calls = 0
    /// Calls of one cache that all hosts would share, without any limit.
    var callsOfOneCache = 0
    var refused = 0
    /// The most calls in any span of the budget's window.
    var fullestWindow = 0
    /// Calls that were made after the end of their lease.
    var lateCalls = 0
    /// The longest time from the last sign of a lease's owner to its end.
    var longestLease: Duration = .zero
    var kills = 0
}

/// One run. Confined to one thread.
struct FleetSimulation {
    private struct Host {
        var cached: [Int: Int64] = [:]
        var flights: [Int: Flight] = [:]
        var share = QuotaShare()
        var breaker = SharedBreaker()
        var own: [Int64] = []
        var isUp = true
        /// How often it was started: what an earlier life has begun is void.
        var life = 0
        /// Its monotonic clock less the world's: hosts were started at other times.
        var skew: Int64
    }

    private struct Flight {
        var wait: SharedWait?
        var hasLease = false
        var isCalling = false
        var waiting = 1
    }

    private enum Event {
        case request(host: Int, answer: Int)
        case go(host: Int, answer: Int, life: Int)
        case done(host: Int, answer: Int, life: Int)
        case renew(host: Int, answer: Int, life: Int)
        case sign(host: Int)
        case engine(isUp: Bool)
        case kill, revive(host: Int)
    }

    private let plan: FleetPlan
    private var random: SplitMix
    private var now: Int64 = 0
    private var events = EventHeap<Event>()
    private var hosts: [Host] = []
    private var figures = FleetFigures()
    private var calls: [Int64] = []
    // The engine.
    private var isUp = true
    private var values: [Int: Int64] = [:]
    private var leases: [Int: (owner: Int, end: Int64, signed: Int64)] = [:]
    private var signs: [String: Int64] = [:]
    private var ledger: QuotaLedger?
    private var epochs = 0
    private var names = 0
    // One cache.
    private var one: [Int: Int64] = [:]

    init(_ plan: FleetPlan) {
        self.plan = plan
        random = SplitMix(state: plan.seed)
    }

    static func run(_ plan: FleetPlan) -> FleetFigures {
        var simulation = FleetSimulation(plan)
        simulation.begin()
        return simulation.runAll()
    }

    /// The figures of two fleets as a table: one with an ample budget, and one with a scarce one.
    static func report() -> String {
        var scarce = FleetPlan()
        scarce.limit = CallRate(calls: 300, per: .seconds(60))
        var lines = [
            "| Hosts | Budget | Requests | Hits | Calls | Calls of one cache | Refused | Fullest window | Late calls | Longest "
                + "lease | Kills |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for plan in [FleetPlan(), scarce] {
            let figures = run(plan)
            let parts = [
                "\(plan.hosts)", "\(plan.limit)", "\(figures.requests)", "\(figures.hits)", "\(figures.calls)",
                "\(figures.callsOfOneCache)", "\(figures.refused)", "\(figures.fullestWindow)",
                "\(figures.lateCalls)", "\(figures.longestLease.milliseconds) ms", "\(figures.kills)",
            ]
            lines.append("| " + parts.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private mutating func begin() {
        for number in 0..<plan.hosts {
            hosts.append(Host(skew: number % 2 == 0 ? 0 : 3_600_000))
            events.add(.sign(host: number), at: Int64(number * 3000 / plan.hosts))
        }
        for outage in plan.outages {
            events.add(.engine(isUp: false), at: Int64(outage.from) * 1000)
            events.add(.engine(isUp: true), at: Int64(outage.from + outage.length) * 1000)
        }
        for second in stride(from: plan.killEvery, to: plan.seconds, by: plan.killEvery) {
            events.add(.kill, at: Int64(second) * 1000 + 100)
        }
        // The fleet has found its engine before the first request.
        let first: Int64 = 5000
        let count = plan.hosts * plan.rate * (plan.seconds - 5)
        for _ in 0..<count {
            let at = first + Int64(random.next() % UInt64((plan.seconds - 5) * 1000))
            events.add(.request(host: Int(random.next() % UInt64(plan.hosts)), answer: zipf()), at: at)
        }
    }

    /// Few answers are asked for often, many seldom: about a Zipf of exponent 1.
    private mutating func zipf() -> Int {
        let unit = Double(random.next() >> 11) / Double(1 << 53)
        var power = 1.0
        var (term, exponent) = (1.0, unit * Self.logarithm(plan.answers))
        // e to the exponent, by halving: no room here needs a library for it.
        exponent /= 1024
        term = 1 + exponent + exponent * exponent / 2
        for _ in 0..<10 { term *= term }
        power = term
        return min(plan.answers - 1, max(0, Int(power) - 1))
    }

    private static func logarithm(_ count: Int) -> Double {
        (1...count).reduce(0) { $0 + 1 / Double($1) } - 0.5772
    }

    private mutating func runAll() -> FleetFigures {
        while let (at, event) = events.take(), at < Int64(plan.seconds) * 1000 {
            now = at
            take(event)
        }
        figures.calls = calls.count
        calls.sort()
        var first = 0
        for last in calls.indices {
            while calls[last] - calls[first] >= plan.limit.window.milliseconds { first += 1 }
            figures.fullestWindow = max(figures.fullestWindow, last - first + 1)
        }
        return figures
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .request(let host, let answer): request(host, answer)
        case .go(let host, let answer, let life) where hosts[host].life == life && hosts[host].isUp: go(host, answer)
        case .done(let host, let answer, let life) where hosts[host].life == life && hosts[host].isUp:
            done(host, answer)
        case .renew(let host, let answer, let life) where hosts[host].life == life && hosts[host].isUp:
            renew(host, answer)
        case .go, .done, .renew: break
        case .sign(let host): sign(host)
        case .engine(let isUp):
            self.isUp = isUp
            if !isUp { (values, leases, signs, ledger) = ([:], [:], [:], nil) }
        case .kill: kill()
        case .revive(let host): hosts[host].isUp = true
        }
    }

    private func clock(_ host: Int) -> MonotonicTime {
        MonotonicTime.distantPast + .milliseconds(1_000_000 + now + hosts[host].skew)
    }

    // MARK: Requests

    private mutating func request(_ host: Int, _ answer: Int) {
        guard hosts[host].isUp else { return }
        figures.requests += 1
        if (one[answer] ?? 0) <= now {
            one[answer] = now + plan.lifetime.milliseconds + 200
            figures.callsOfOneCache += 1
        }
        if let fresh = hosts[host].cached[answer], fresh > now {
            figures.hits += 1
            return
        }
        if hosts[host].flights[answer] != nil {
            hosts[host].flights[answer]?.waiting += 1
            return
        }
        hosts[host].flights[answer] = Flight()
        go(host, answer)
    }

    /// Whether the engine answers this host; its breaker learns of it.
    private mutating func reach(_ host: Int) -> Bool {
        let time = clock(host)
        guard hosts[host].breaker.permission(now: time) != .no else { return false }
        if isUp {
            hosts[host].breaker.succeeded()
        } else {
            hosts[host].breaker.failed(now: time, random: random.next())
        }
        return isUp
    }

    /// One step of a flight: looks in the engine, takes the lease or waits, then calls.
    private mutating func go(_ host: Int, _ answer: Int) {
        guard var flight = hosts[host].flights[answer], !flight.isCalling else { return }
        var seen = SharedWait.Seen.unknown
        if reach(host) {
            if let fresh = values[answer], fresh > now {
                hosts[host].cached[answer] = fresh
                figures.hits += flight.waiting
                hosts[host].flights[answer] = nil
                return
            }
            if let lease = leases[answer], lease.end > now, lease.owner != host {
                seen = .held
            } else {
                if let lease = leases[answer] {
                    figures.longestLease = max(figures.longestLease, .milliseconds(lease.end - lease.signed))
                }
                leases[answer] = (host, now + SharedWait.term.milliseconds, now)
                events.add(
                    .renew(host: host, answer: answer, life: hosts[host].life),
                    at: now + SharedWait.term.milliseconds / 3)
                flight.hasLease = true
                seen = .free
            }
        }
        if seen == .held {
            var wait = flight.wait ?? SharedWait(began: clock(host), patience: .seconds(10))
            let step = wait.next(seen, now: clock(host), random: random.next())
            flight.wait = wait
            hosts[host].flights[answer] = flight
            if case .pause(let pause) = step {
                return events.add(
                    .go(host: host, answer: answer, life: hosts[host].life), at: now + max(1, pause.milliseconds))
            }
        }
        hosts[host].flights[answer] = flight
        call(host, answer)
    }

    private mutating func call(_ host: Int, _ answer: Int) {
        var grant = hosts[host].share.take(now: clock(host))
        if grant == .ask {
            askLedger(host, waiting: 1)
            grant = hosts[host].share.take(now: clock(host))
        }
        guard case .granted(let until) = grant else {
            figures.refused += hosts[host].flights[answer]?.waiting ?? 0
            release(host, answer)
            hosts[host].flights[answer] = nil
            return
        }
        if clock(host) >= until { figures.lateCalls += 1 }
        calls.append(now)
        hosts[host].own.append(now)
        hosts[host].flights[answer]?.isCalling = true
        events.add(.done(host: host, answer: answer, life: hosts[host].life), at: now + 200)
    }

    private mutating func askLedger(_ host: Int, waiting: Int) {
        let time = clock(host)
        let window = plan.limit.window.milliseconds
        let bound = now - window
        hosts[host].own.removeAll { $0 <= bound }
        names += 1
        let ask = hosts[host].share.ask(
            host: "\(host)", name: "\(names)", waiting: waiting, limits: [plan.limit], own: [hosts[host].own.count],
            now: time)
        guard reach(host) else { return hosts[host].share.unanswered(ask, now: time) }
        if ledger == nil {
            epochs += 1
            ledger = QuotaLedger(epoch: "\(epochs)", now: now)
        }
        let alive = Set(signs.filter { $0.value >= now - 10_000 }.keys)
        guard let reply = ledger?.ask(ask, alive: alive, now: now) else { return }
        hosts[host].share.answered(reply, to: ask, sentAt: time, now: time)
    }

    private mutating func done(_ host: Int, _ answer: Int) {
        let fresh = now + plan.lifetime.milliseconds
        hosts[host].cached[answer] = fresh
        hosts[host].flights[answer] = nil
        if reach(host) { values[answer] = fresh }
        release(host, answer)
    }

    private mutating func release(_ host: Int, _ answer: Int) {
        guard hosts[host].flights[answer]?.hasLease ?? true, isUp, leases[answer]?.owner == host else { return }
        leases[answer] = nil
    }

    private mutating func renew(_ host: Int, _ answer: Int) {
        guard hosts[host].flights[answer] != nil, isUp, leases[answer]?.owner == host else { return }
        leases[answer] = (host, now + SharedWait.term.milliseconds, now)
        events.add(
            .renew(host: host, answer: answer, life: hosts[host].life), at: now + SharedWait.term.milliseconds / 3)
    }

    // MARK: Life and death

    private mutating func sign(_ host: Int) {
        events.add(.sign(host: host), at: now + 3000)
        guard hosts[host].isUp, isUp else { return }
        signs["\(host)"] = now
        askLedger(host, waiting: 0)
    }

    /// Ends a host that is just calling, if there is one.
    private mutating func kill() {
        guard
            let host = hosts.indices.first(where: {
                hosts[$0].isUp && hosts[$0].flights.values.contains(where: \.isCalling)
            })
        else { return events.add(.kill, at: now + 10) }
        figures.kills += 1
        hosts[host].isUp = false
        hosts[host].life += 1
        hosts[host].flights = [:]
        hosts[host].share = QuotaShare()
        hosts[host].breaker = SharedBreaker()
        events.add(.revive(host: host), at: now + 5000)
    }
}

/// Events by their instants; of one instant the first that was added comes first.
private struct EventHeap<Event> {
    private var items: [(at: Int64, number: Int, event: Event)] = []
    private var count = 0

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (items[left].at, items[left].number) < (items[right].at, items[right].number)
    }

    mutating func add(_ event: Event, at: Int64) {
        count += 1
        items.append((at, count, event))
        var place = items.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            items.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func take() -> (at: Int64, event: Event)? {
        guard let first = items.first else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < items.count && isBefore(child, least) {
                least = child
            }
            if least == place { break }
            items.swapAt(place, least)
            place = least
        }
        return (first.at, first.event)
    }
}
