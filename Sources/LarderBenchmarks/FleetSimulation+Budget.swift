// The budget in a simulated fleet. A call is taken from the host's lease, written down, and sent while the lease lasts.
// The steps are those of `SharedTier.takeCall` and `UpstreamClient.reserve`.
import LarderCache
import LarderCore

extension FleetSimulation {
    /// A new ledger opens after a few seconds. A call waits this long for it.
    private static let patience = QuotaLedger.grace + .seconds(1)

    /// - Parameter began: when the call first asked. `waitingCalls` counts it from then on.
    mutating func takeCall(_ host: Int, _ answer: Int, began: MonotonicTime) {
        let time = monotonic(host)
        switch hosts[host].share.take(now: time) {
        case .granted(let until):
            hosts[host].waitingCalls -= 1
            write(host, answer, until)
        case .spent, .unanswered:
            hosts[host].waitingCalls -= 1
            refuse(host, answer)
        case .wait(let until):
            guard time - began < Self.patience else {
                hosts[host].waitingCalls -= 1
                return refuse(host, answer)
            }
            after((until - time).milliseconds, on: host) { $0.takeCall(host, answer, began: began) }
        case .ask:
            hosts[host].askers.append((answer, began))
            if !hosts[host].isAsking { askForAll(host) }
        }
    }

    private mutating func askForAll(_ host: Int) {
        hosts[host].isAsking = true
        askLedger(host, waiting: max(1, hosts[host].waitingCalls)) { world in
            world.hosts[host].isAsking = false
            let askers = world.hosts[host].askers
            world.hosts[host].askers = []
            for (answer, began) in askers { world.takeCall(host, answer, began: began) }
        }
    }

    /// - Parameter waiting: the number of calls that wait for the reply; 0 only reports.
    mutating func askLedger(_ host: Int, waiting: Int, then: @escaping Step) {
        guard let limit = plan.limit else { return then(&self) }
        let sentAt = monotonic(host)
        let bound = now - limit.window.milliseconds
        hosts[host].own.removeAll { $0 <= bound }
        names += 1
        let ask = hosts[host].share.ask(
            host: "\(host)", name: "\(names)", waiting: waiting, limits: [limit], own: [hosts[host].own.count],
            now: sentAt)
        perform(
            host, { $0.ask(ask) },
            then: { world, reply in
                let time = world.monotonic(host)
                if let reply {
                    world.hosts[host].share.answered(reply, to: ask, sentAt: sentAt, now: time)
                    if reply.granted > 0 { world.hosts[host].leaseName = ask.lease }
                } else {
                    world.hosts[host].share.unanswered(ask, now: time)
                }
                then(&world)
            })
    }

    /// Writes the call down, which takes some milliseconds, or long on a slow disk. Then sends it if its lease still
    /// lasts.
    private mutating func write(_ host: Int, _ answer: Int, _ until: MonotonicTime) {
        let lease = hosts[host].leaseName
        hosts[host].own.append(now)
        let pause = random.next() % plan.slowWriteEvery == 0 ? 20 + random.next() % 200 : 1 + random.next() % 5
        after(Int64(pause), on: host) { world in
            let isInTime = world.monotonic(host) < until
            world.hosts[host].share.callLeft(grantedUntil: until)
            guard isInTime else { return world.refuse(host, answer) }
            world.engine.judgeCall(lease)
            world.send(host, answer)
        }
    }
}
