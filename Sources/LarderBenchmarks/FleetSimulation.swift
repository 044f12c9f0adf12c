// Simulates a fleet in virtual time. It runs the daemon's pure machines (breaker, waits, leases of calls, the ledger of
// a budget) over an engine that is lost and comes back. Hosts are killed while they hold leases, and their clocks are
// an hour apart and run at different speeds. Every operation takes time on its way and may arrive too late. Pauses are
// those of the machines.
import LarderCache
import LarderCore

/// One run of the simulation. Confined to one thread.
struct FleetSimulation {
    typealias Step = (inout FleetSimulation) -> Void

    struct Host {
        /// The end of each answer's freshness, by this host's wall clock.
        var cached: [Int: Int64] = [:]
        var flights: [Int: Flight] = [:]
        var share = QuotaShare()
        /// The name of the current lease of calls.
        var leaseName = ""
        var breaker = SharedBreaker()
        var own: [Int64] = []
        /// The calls that wait for the ledger's reply. `isAsking` says whether the ledger is being asked.
        var askers: [(answer: Int, began: MonotonicTime)] = []
        var isAsking = false
        /// The number of calls that are neither granted nor refused yet.
        var waitingCalls = 0
        /// A reading of the engine's clock, and the host's clock at that moment.
        var engine: (time: Int64, at: MonotonicTime)?
        var isUp = true
        /// How often the host was restarted. Steps that an earlier life began are ignored.
        var life = 0
        /// The host's clocks minus the world's clock in milliseconds, and their speed in thousandths.
        var skew: Int64
        var speed: Int64
    }

    /// The fetch of an answer, for all clients of a host that want it.
    struct Flight {
        var wait: SharedWait?
        var hasWaited = false
        var lease: Int?
        /// The freshness end of the answer that the look-up found in the engine, fresh or not; nil for none.
        var found: Int64?
        var isCalling = false
        /// Whether the engine was not asked, or did not reply.
        var isAlone = false
        var waiting = 1
        /// When the owner of the awaited lease died, or when this host met the lease, whichever is later.
        var deadSince: Int64?
    }

    let plan: FleetPlan
    var random: SplitMix
    var now: Int64 = 0
    var hosts: [Host] = []
    var figures = FleetFigures()
    var engine = SimulatedEngine()
    /// The times of the calls that the upstream received.
    var calls: [Int64] = []
    var names = 0
    private var events = EventHeap<Step>()
    private var outage: FleetPlan.Outage.Kind?
    /// The commands that a stopped engine processes when it continues.
    private var unread: [(inout SimulatedEngine) -> Void] = []
    /// The model of one shared cache: the end of each answer's freshness.
    private var one: [Int: Int64] = [:]

    /// The engine's clock minus the world's clock, in milliseconds.
    private static let engineSkew: Int64 = -1_800_000
    /// The value of `shared.timeout` in milliseconds.
    private static let timeout: Int64 = 50

    private init(_ plan: FleetPlan) {
        self.plan = plan
        random = SplitMix(state: plan.seed)
    }

    static func run(_ plan: FleetPlan) -> FleetFigures {
        var simulation = FleetSimulation(plan)
        simulation.begin()
        return simulation.runAll()
    }

    /// - Parameter words: the command line; an optional seed.
    static func report(_ words: [String]) throws(Failure) -> String {
        let seed = try words.first.map { word throws(Failure) -> UInt64 in
            guard let seed = UInt64(word), words.count == 1 else { throw .usage("--fleet-simulation takes a seed") }
            return seed
        }
        return FleetFigures.table(
            FleetPlan.published.map { plan in
                var plan = plan
                plan.seed = seed ?? plan.seed
                return (plan, run(plan))
            })
    }

    // MARK: Time

    mutating func after(_ milliseconds: Int64, _ step: @escaping Step) {
        events.add(step, at: now + max(1, milliseconds))
    }

    /// The same for a host. The step is dropped if the host has died meanwhile.
    mutating func after(_ milliseconds: Int64, on host: Int, _ step: @escaping Step) {
        let life = hosts[host].life
        after(milliseconds) { world in
            if world.hosts[host].life == life { step(&world) }
        }
    }

    /// The time that the host's clock has counted since the world began, in milliseconds.
    private func elapsed(_ host: Int) -> Int64 { now * hosts[host].speed / 1000 + hosts[host].skew }
    func monotonic(_ host: Int) -> MonotonicTime {
        MonotonicTime.distantPast + .milliseconds(10_000_000 + elapsed(host))
    }
    func wall(_ host: Int) -> Int64 { 10_000_000 + elapsed(host) }

    private mutating func begin() {
        for number in 0..<plan.hosts {
            let skew: Int64 = [0, 3_600_000, -1_800_000][number % 3]
            hosts.append(Host(skew: skew, speed: 960 + Int64(number % 5) * 10))
            events.add({ $0.sign(number) }, at: Int64(number * 3000 / plan.hosts))
        }
        for outage in plan.outages {
            events.add({ $0.outage = outage.kind }, at: Int64(outage.from) * 1000)
            events.add({ $0.engineReturns() }, at: Int64(outage.from + outage.length) * 1000)
        }
        for second in stride(from: plan.killEvery, to: plan.seconds, by: plan.killEvery) {
            events.add({ $0.kill() }, at: Int64(second) * 1000 + 100)
        }
        // The fleet has found its engine before the first request.
        let first: Int64 = 5000
        let shares = (1...plan.answers).reduce(into: [0.0]) { $0.append($0[$0.count - 1] + 1 / Double($1)) }
        // Requests come one at a time, or as a burst followed by later requests. So leases are large, and calls are
        // left at the end of a lease.
        var left = plan.hosts * plan.rate * (plan.seconds - 5)
        while left > 0 {
            let at = first + Int64(random.next() % UInt64((plan.seconds - 5) * 1000))
            let host = Int(random.next() % UInt64(plan.hosts))
            let count = random.next() % 8 == 0 ? 24 : 1
            for number in 0..<count {
                let answer = rank(shares)
                let later = number <= count / 2 ? 0 : Int64(random.next() % 4000)
                events.add({ $0.request(host, answer) }, at: at + later)
            }
            left -= count
        }
    }

    /// Draws an answer by Zipf's law with exponent 1: few answers are requested often, many rarely.
    /// - Parameter shares: the cumulative sums up to each rank, beginning with 0.
    private mutating func rank(_ shares: [Double]) -> Int {
        let wanted = random.unit() * shares[shares.count - 1]
        var (low, high) = (0, shares.count - 2)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle + 1] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func runAll() -> FleetFigures {
        while let (at, step) = events.take(), at < Int64(plan.seconds) * 1000 {
            now = at
            engine.now = now + Self.engineSkew + 10_000_000
            step(&self)
        }
        figures.calls = calls.count
        if let limit = plan.limit {
            var first = 0
            for last in calls.indices {
                while calls[last] - calls[first] >= limit.window.milliseconds { first += 1 }
                figures.fullestWindow = max(figures.fullestWindow, last - first + 1)
            }
        }
        (figures.lateCalls, figures.overdrawn) = (engine.lateCalls, engine.overdrawn)
        figures.longestDeadLease = .milliseconds(engine.longestDeadLease)
        figures.deadLeasesMet = engine.deadLeasesMet
        return figures
    }

    /// Counts a request in the model of one shared cache. A call there takes as long as a call of the fleet.
    mutating func countOneCache(_ answer: Int) {
        guard one[answer] ?? 0 <= now else { return }
        one[answer] = now + plan.lifetime.milliseconds + 200
        figures.callsOfOneCache += 1
    }

    // MARK: The engine

    /// Performs one operation of a host within its time limit. The result is nil if the engine is not asked or does not
    /// reply in time.
    mutating func perform<Answer>(
        _ host: Int, _ order: @escaping (inout SimulatedEngine) -> Answer,
        then: @escaping (inout FleetSimulation, Answer?) -> Void
    ) {
        guard hosts[host].breaker.permission(now: monotonic(host)) != .no else { return then(&self, nil) }
        let began = now
        let (life, there, back) = (hosts[host].life, oneWay(), oneWay())
        // The operation arrives even if its host has died.
        after(there) { world in
            var answer: Answer?
            switch world.outage {
            case nil: answer = order(&world.engine)
            case .killed: break
            case .frozen: world.unread.append { _ = order(&$0) }
            }
            let isInTime = answer != nil && there + back <= Self.timeout
            let end = isInTime || world.outage == .killed ? began + there + back : began + Self.timeout
            guard world.hosts[host].life == life else { return }
            world.after(end - world.now, on: host) { world in
                if isInTime {
                    world.hosts[host].breaker.succeeded()
                } else {
                    world.hosts[host].breaker.failed(now: world.monotonic(host), random: world.random.next())
                }
                then(&world, isInTime ? answer : nil)
            }
        }
    }

    /// The time of one way, to the engine or back. Usually one or two milliseconds, sometimes so long that the
    /// operation times out.
    private mutating func oneWay() -> Int64 {
        Int64(random.next() % 100 == 0 ? 20 + random.next() % 40 : 1 + random.next() % 2)
    }

    private mutating func engineReturns() {
        if outage == .killed { engine.lose() }
        outage = nil
        for order in unread { order(&engine) }
        unread = []
    }

    // MARK: Life and death

    private mutating func sign(_ host: Int) {
        after(3000) { $0.sign(host) }
        guard hosts[host].isUp else { return }
        perform(host, { $0.sign(host) }, then: { _, _ in })
        if plan.limit != nil { askLedger(host, waiting: 0) { _ in } }
    }

    /// Kills the host that fetches the most popular answer under a lease.
    private mutating func kill() {
        let holders = hosts.indices.compactMap { host -> (answer: Int, host: Int)? in
            guard hosts[host].isUp else { return nil }
            let held = hosts[host].flights.filter { $0.value.isCalling && $0.value.lease != nil }.keys.min()
            return held.map { ($0, host) }
        }
        guard let host = holders.min(by: { $0.answer < $1.answer })?.host else { return after(10) { $0.kill() } }
        figures.kills += 1
        engine.hostDied(host)
        hosts[host].isUp = false
        hosts[host].life += 1
        hosts[host].flights = [:]
        (hosts[host].askers, hosts[host].isAsking, hosts[host].waitingCalls) = ([], false, 0)
        (hosts[host].share, hosts[host].leaseName) = (QuotaShare(), "")
        hosts[host].breaker = SharedBreaker()
        hosts[host].engine = nil
        after(5000) { $0.hosts[host].isUp = true }
    }
}
