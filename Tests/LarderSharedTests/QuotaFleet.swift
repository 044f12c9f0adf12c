// A fleet that spends one budget in virtual time: the hosts' part of it (`QuotaShare`) as it is, and the script in a real
// engine. Questions take time on their way and may come too late. Calls are written down before they leave. The clocks
// of the hosts run at different speeds. Hosts are killed, and the engine is lost or stopped. The judge knows only what
// was granted and when, and what left and when. Its bounds are written out here, not taken from the sources.
import LarderCache
import LarderCore
import LarderTestSupport

@testable import LarderShared

struct QuotaFleet {
    struct Figures {
        var granted = 0
        var calls = 0
        var refused = 0
        /// The most calls in any span of each window.
        var fullest: [Int] = []
        /// Calls after the end of their lease by the engine's clock, or without a lease.
        var late = 0
        /// Calls beyond those that were granted, or under a lease that was given back.
        var overdrawn = 0
    }

    private typealias Step = (inout QuotaFleet) throws -> Void

    private struct Host {
        var share = QuotaShare()
        /// The name of the current lease.
        var lease = ""
        /// When this host called, as its own database knows.
        var own: [Int64] = []
        /// The calls that wait for the ledger's reply, by when they began.
        var askers: [MonotonicTime] = []
        var isAsking = false
        /// The number of calls that are neither granted nor refused.
        var waiting = 0
        var isUp = true
        /// How often the host was killed. Steps that an earlier life began are ignored.
        var life = 0
        /// The speed of its clock in thousandths.
        var speed: Int64
    }

    private enum Engine { case there, gone, stopped }

    private let ledger: ScriptedLedger
    private let limits: [CallRate]
    private var random: SeededGenerator
    private var now: Int64 = 0
    private var hosts: [Host]
    private var engine = Engine.there
    /// What a stopped engine does when it goes on.
    private var unread: [Step] = []
    /// In descending order, so that the next is the last.
    private var events: [(at: Int64, step: Step)] = []
    private var names = 0
    private var grants: [String: (end: Int64, left: Int)] = [:]
    private var calls: [Int64] = []
    private var figures = Figures()

    init(_ limits: [CallRate], hosts: Int, seed: UInt64) throws {
        ledger = try ScriptedLedger()
        self.limits = limits
        random = SeededGenerator(seed)
        self.hosts = (0..<hosts).map { Host(speed: 960 + Int64($0 % 5) * 10) }
    }

    /// Runs the fleet for a hundred seconds. The engine is lost from 30 to 35 s, and stopped from 60 to 65 s.
    mutating func run() throws -> Figures {
        for host in hosts.indices {
            add(at: Int64(host * 300)) { try $0.sign(host) }
            add(at: 5000) { try $0.want(host) }
        }
        add(at: 30_000) { $0.engine = .gone }
        add(at: 35_000) { try $0.engineReturns() }
        add(at: 60_000) { $0.engine = .stopped }
        add(at: 65_000) { try $0.engineReturns() }
        for second: Int64 in [20, 40, 55, 80, 90] { add(at: second * 1000 + 100) { $0.kill() } }
        while let event = events.popLast(), event.at < 100_000 {
            now = event.at
            try event.step(&self)
        }
        figures.calls = calls.count
        figures.fullest = limits.map { limit in
            var (first, most) = (0, 0)
            for last in calls.indices {
                while calls[last] - calls[first] >= limit.window.milliseconds { first += 1 }
                most = max(most, last - first + 1)
            }
            return most
        }
        return figures
    }

    // MARK: Time

    private mutating func add(at instant: Int64, _ step: @escaping Step) {
        // Steps of the same instant come in the order in which they were added.
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].at <= instant { high = middle } else { low = middle + 1 }
        }
        events.insert((instant, step), at: low)
    }

    /// The step is dropped if the host dies before.
    private mutating func after(_ milliseconds: Int64, on host: Int, _ step: @escaping Step) {
        let life = hosts[host].life
        add(at: now + max(1, milliseconds)) { world in
            if world.hosts[host].life == life { try step(&world) }
        }
    }

    private func time(_ host: Int) -> MonotonicTime {
        .distantPast + .milliseconds(10_000_000 + now * hosts[host].speed / 1000)
    }

    private mutating func among(_ range: Range<Int64>) -> Int64 { .random(in: range, using: &random) }

    /// Usually a millisecond or two, sometimes so long that the question times out.
    private mutating func oneWay() -> Int64 { random.chance(2) ? among(20..<60) : among(1..<3) }

    // MARK: Calls

    /// Calls are wanted one at a time, or as a burst and then some. So leases are large, and have calls left at their end.
    private mutating func want(_ host: Int) throws {
        let count = random.chance(12) ? 24 : 1
        add(at: now + among(1..<800)) { try $0.want(host) }
        guard hosts[host].isUp else { return }
        for number in 0..<count {
            after(number <= count / 2 ? 0 : among(0..<4000), on: host) { world in
                world.hosts[host].waiting += 1
                try world.take(host, began: world.time(host))
            }
        }
    }

    /// As `SharedTier.takeCall` does.
    private mutating func take(_ host: Int, began: MonotonicTime) throws {
        let time = time(host)
        switch hosts[host].share.take(now: time) {
        case .granted(let until):
            hosts[host].waiting -= 1
            write(host, until)
        case .wait(let until) where time - began < .seconds(4):
            after((until - time).milliseconds, on: host) { try $0.take(host, began: began) }
        case .spent, .unanswered, .wait:
            hosts[host].waiting -= 1
            figures.refused += 1
        case .ask:
            hosts[host].askers.append(began)
            guard !hosts[host].isAsking else { return }
            hosts[host].isAsking = true
            ask(host, waiting: hosts[host].waiting) { world in
                world.hosts[host].isAsking = false
                let askers = world.hosts[host].askers
                world.hosts[host].askers = []
                for began in askers { try world.take(host, began: began) }
            }
        }
    }

    /// As `UpstreamClient.reserve` does: the call is written down, which takes long on a slow disk, and leaves if its lease
    /// still lasts.
    private mutating func write(_ host: Int, _ until: MonotonicTime) {
        let lease = hosts[host].lease
        hosts[host].own.append(now)
        after(random.chance(25) ? among(20..<220) : among(1..<6), on: host) { world in
            let isInTime = world.time(host) < until
            world.hosts[host].share.callLeft(grantedUntil: until)
            if isInTime { world.leave(lease) } else { world.figures.refused += 1 }
        }
    }

    private mutating func leave(_ lease: String) {
        calls.append(now)
        guard let grant = grants[lease], grant.end > now else { return figures.late += 1 }
        guard grant.left > 0 else { return figures.overdrawn += 1 }
        grants[lease]?.left -= 1
    }

    // MARK: Questions

    /// As `SharedTier.askLedger` does.
    /// - Parameter waiting: the number of calls that wait for the reply; 0 only reports.
    private mutating func ask(_ host: Int, waiting: Int, then: @escaping Step) {
        let sentAt = time(host)
        names += 1
        let own = limits.map { limit in hosts[host].own.count { $0 > now - limit.window.milliseconds } }
        let ask = hosts[host].share.ask(
            host: "\(host)", name: "l\(names)", waiting: waiting, limits: limits, own: own, now: sentAt)
        perform(host, { try $0.reply(to: ask) }) { world, reply in
            let time = world.time(host)
            if let reply {
                world.hosts[host].share.answered(reply, to: ask, sentAt: sentAt, now: time)
                if reply.granted > 0 { world.hosts[host].lease = ask.lease }
            } else {
                world.hosts[host].share.unanswered(ask, now: time)
            }
            try then(&world)
        }
    }

    private mutating func reply(to ask: QuotaAsk) throws -> QuotaReply {
        grants[ask.returned]?.left = 0
        let reply = try ledger.ask(ask, fresh: "e\(names)", now: now)
        if reply.granted > 0 {
            grants[ask.lease] = (now + 2000, reply.granted)
            figures.granted += reply.granted
        }
        return reply
    }

    /// Performs one operation of a host, which has 50 ms for it. The result is nil if it does not come in time.
    private mutating func perform<Answer>(
        _ host: Int, _ order: @escaping (inout QuotaFleet) throws -> Answer,
        then: @escaping (inout QuotaFleet, Answer?) throws -> Void
    ) {
        let (began, life, there, back) = (now, hosts[host].life, oneWay(), oneWay())
        // The operation arrives even if its host has died.
        add(at: now + there) { world in
            var answer: Answer?
            switch world.engine {
            case .there: answer = try order(&world)
            case .gone: break
            case .stopped: world.unread.append { _ = try order(&$0) }
            }
            if there + back > 50 { answer = nil }
            guard world.hosts[host].life == life else { return }
            let end = answer == nil && world.engine != .gone ? began + 50 : began + there + back
            world.after(end - world.now, on: host) { [answer] in try then(&$0, answer) }
        }
    }

    private mutating func engineReturns() throws {
        if engine == .gone { try ledger.lose() }
        engine = .there
        for order in unread { try order(&self) }
        unread = []
    }

    // MARK: Life and death

    private mutating func sign(_ host: Int) throws {
        add(at: now + 3000) { try $0.sign(host) }
        guard hosts[host].isUp else { return }
        perform(host, { try $0.ledger.sign("\(host)", now: $0.now) }, then: { _, _ in })
        ask(host, waiting: 0) { _ in }
    }

    private mutating func kill() {
        let host = random.pick(Array(hosts.indices))
        hosts[host].isUp = false
        hosts[host].life += 1
        (hosts[host].askers, hosts[host].isAsking, hosts[host].waiting) = ([], false, 0)
        (hosts[host].share, hosts[host].lease) = (QuotaShare(), "")
        add(at: now + 5000) { $0.hosts[host].isUp = true }
    }
}
