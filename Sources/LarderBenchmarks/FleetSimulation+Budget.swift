// The budget in a simulated fleet: a call is taken from the host's lease, written down, and sent while the lease lasts. The steps are
// those of `SharedTier.takeCall` and `UpstreamClient.reserve`.
import LarderCache
import LarderCore

extension FleetSimulation {
    /// A new ledger opens after a few seconds: a call waits so long for that.
    private static let patience = QuotaLedger.grace + .seconds(1)

    /// - Parameter began: when the call first asked, which `waitingCalls` counts.
    mutating func takeCall(_ host: Int, _ answer: Int, began: MonotonicTime) {
        let time = monotonic(host)
        switch hosts[host].share.take(now: time) {
        case .granted(let until):
            hosts[host].waitingCalls -= 1
            write(host, answer, until)
        case .spent:
            hosts[host].waitingCalls -= 1
            refuse(host, answer)
        case .ask:
            hosts[host].askers.append((answer, began))
            if !hosts[host].isAsking { askForAll(host) }
        }
    }

    private mutating func askForAll(_ host: Int) {
        hosts[host].isAsking = true
        askLedger(host, waiting: max(1, hosts[host].waitingCalls)) { world, isOpen in
            world.hosts[host].isAsking = false
            let askers = world.hosts[host].askers
            world.hosts[host].askers = []
            for (place, (answer, began)) in askers.enumerated() {
                let isPatient = world.monotonic(host) - began < Self.patience
                guard place == 0, isOpen == false, isPatient else {
                    world.takeCall(host, answer, began: began)
                    continue
                }
                world.after(250, on: host) { world in
                    world.hosts[host].share.reopen()
                    world.takeCall(host, answer, began: began)
                }
            }
        }
    }

    /// - Parameter then: is told whether the ledger is open; nil where there is no answer.
    mutating func askLedger(_ host: Int, waiting: Int, then: @escaping (inout FleetSimulation, Bool?) -> Void) {
        guard let limit = plan.limit else { return then(&self, nil) }
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
                then(&world, reply?.isOpen)
            })
    }

    /// The call is written down, which takes some milliseconds, and long on a slow disk; then it is sent, if it still may be.
    private mutating func write(_ host: Int, _ answer: Int, _ until: MonotonicTime) {
        let lease = hosts[host].leaseName
        hosts[host].own.append(now)
        let pause = random.next() % 50 == 0 ? 20 + random.next() % 200 : 1 + random.next() % 5
        after(Int64(pause), on: host) { world in
            guard world.monotonic(host) < until else { return world.refuse(host, answer) }
            world.engine.judgeCall(lease)
            world.send(host, answer)
        }
    }
}
