// A request in a simulated fleet: the host's own store, the shared tier, the lease or the wait for another host's
// lease, and the call. The steps are those of `Engine.shared` and `SharedTier.turn`.
import LarderCache
import LarderCore

extension FleetSimulation {
    /// The result of a look-up in the engine.
    private struct Look {
        /// The end of the answer's freshness, by the host's wall clock.
        var freshUntil: Int64?
        var hasTicket = false
    }

    mutating func request(_ host: Int, _ answer: Int) {
        guard hosts[host].isUp else { return }
        figures.requests += 1
        countOneCache(answer)
        if let fresh = hosts[host].cached[answer], fresh > wall(host) {
            figures.hits += 1
            return
        }
        if hosts[host].flights[answer] != nil {
            hosts[host].flights[answer]?.waiting += 1
            return
        }
        hosts[host].flights[answer] = Flight()
        look(host, answer) { world, look in
            if world.adopt(host, answer, look) { return }
            world.hosts[host].flights[answer]?.isAlone = !look.hasTicket
            guard look.hasTicket else { return world.call(host, answer) }
            let wait = SharedWait(began: world.monotonic(host), patience: .seconds(10))
            world.hosts[host].flights[answer]?.wait = wait
            world.turn(host, answer)
        }
    }

    private mutating func look(_ host: Int, _ answer: Int, then: @escaping (inout FleetSimulation, Look) -> Void) {
        perform(
            host, { ($0.now, $0.value(answer)) },
            then: { world, found in
                guard let (time, value) = found else { return then(&world, Look()) }
                world.hosts[host].engine = (time, world.monotonic(host))
                world.hosts[host].flights[answer]?.found = value?.freshUntil
                guard let value else { return then(&world, Look(hasTicket: true)) }
                let ahead = time - world.wall(host)
                let fresh = value.freshUntil - ahead
                let wrong = (fresh - world.wall(host)) - (value.trueFreshUntil - world.now)
                world.figures.worstLifetime = max(world.figures.worstLifetime, .milliseconds(abs(wrong)))
                then(&world, Look(freshUntil: fresh, hasTicket: true))
            })
    }

    /// Answers the flight with the result of the look-up. Returns false if the result is not fresh.
    private mutating func adopt(_ host: Int, _ answer: Int, _ look: Look) -> Bool {
        guard let fresh = look.freshUntil, fresh > wall(host), let flight = hosts[host].flights[answer] else {
            return false
        }
        hosts[host].cached[answer] = fresh
        figures.hits += flight.waiting
        hosts[host].flights[answer] = nil
        return true
    }

    // MARK: The lease

    /// Takes the lease, or waits for the host that has it.
    private mutating func turn(_ host: Int, _ answer: Int) {
        names += 1
        let owner = names
        let found = hosts[host].flights[answer]?.found
        perform(host, { ($0.take(answer, owner: owner, host: host), $0.instant(answer) != found) }) { world, replies in
            let (reply, isThere) = (replies?.0, replies?.1 ?? false)
            world.noteDead(host, answer, reply)
            let hasWaited = world.hosts[host].flights[answer]?.hasWaited ?? false
            switch reply {
            case .taken:
                world.hosts[host].flights[answer]?.lease = owner
                world.keep(host, answer, owner)
                guard hasWaited || isThere else { return world.call(host, answer) }
                world.look(host, answer) { world, look in
                    guard world.adopt(host, answer, look) else { return world.call(host, answer) }
                    world.release(host, answer, owner, isSettled: false)
                }
            case .held: world.goOn(host, answer, .held)
            case .settled, nil:
                let seen: SharedWait.Seen = reply == nil ? .unknown : .settled
                guard hasWaited else { return world.goOn(host, answer, seen) }
                world.look(host, answer) { world, look in
                    if !world.adopt(host, answer, look) { world.goOn(host, answer, seen) }
                }
            }
        }
    }

    private mutating func goOn(_ host: Int, _ answer: Int, _ seen: SharedWait.Seen) {
        let number = random.next()
        let time = monotonic(host)
        switch hosts[host].flights[answer]?.wait?.next(seen, now: time, random: number) {
        case .take: turn(host, answer)
        case .goAlone, nil:
            endWaitForDead(host, answer)
            call(host, answer)
        case .pause(let pause):
            hosts[host].flights[answer]?.hasWaited = true
            after(pause.milliseconds, on: host) { $0.turn(host, answer) }
        }
    }

    /// Records for the judge since when a host waits for a dead host.
    private mutating func noteDead(_ host: Int, _ answer: Int, _ reply: LeaseReply?) {
        if case .held(let since?) = reply {
            let sinceHere = now - (engine.now - since)
            let known = hosts[host].flights[answer]?.deadSince
            // If the host has just met the lease, its wait begins now.
            if known == nil {
                let hasWaited = hosts[host].flights[answer]?.hasWaited ?? false
                hosts[host].flights[answer]?.deadSince = hasWaited ? sinceHere : now
            }
        } else {
            endWaitForDead(host, answer)
        }
    }

    private mutating func endWaitForDead(_ host: Int, _ answer: Int) {
        guard let since = hosts[host].flights[answer]?.deadSince else { return }
        figures.longestHoldUp = max(figures.longestHoldUp, .milliseconds(now - since))
        hosts[host].flights[answer]?.deadSince = nil
    }

    private mutating func keep(_ host: Int, _ answer: Int, _ owner: Int) {
        after(SharedWait.term.milliseconds / 3, on: host) { world in
            guard world.hosts[host].flights[answer]?.lease == owner else { return }
            world.perform(host, { $0.renew(answer, owner: owner) }, then: { _, _ in })
            world.keep(host, answer, owner)
        }
    }

    private mutating func release(_ host: Int, _ answer: Int, _ owner: Int, isSettled: Bool) {
        perform(host, { $0.release(answer, owner: owner, isSettled: isSettled) }, then: { _, _ in })
    }

    // MARK: The call

    private mutating func call(_ host: Int, _ answer: Int) {
        if plan.limit == nil { return send(host, answer) }
        hosts[host].waitingCalls += 1
        takeCall(host, answer, began: monotonic(host))
    }

    /// Sends the call to the upstream, which answers after some time.
    mutating func send(_ host: Int, _ answer: Int) {
        calls.append(now)
        if hosts[host].flights[answer]?.isAlone == true { figures.callsAlone += 1 }
        hosts[host].flights[answer]?.isCalling = true
        after(100 + Int64(random.next() % 200), on: host) { $0.answered(host, answer) }
    }

    private mutating func answered(_ host: Int, _ answer: Int) {
        let fresh = wall(host) + plan.lifetime.milliseconds
        let lease = hosts[host].flights[answer]?.lease
        hosts[host].cached[answer] = fresh
        hosts[host].flights[answer] = nil
        guard let clock = hosts[host].engine else { return }
        let time = clock.time + (monotonic(host) - clock.at).milliseconds
        let value = SimulatedEngine.Value(
            freshUntil: fresh + (time - wall(host)), trueFreshUntil: now + plan.lifetime.milliseconds)
        perform(
            host, { $0.publish(answer, value) },
            then: { world, done in
                if let lease { world.release(host, answer, lease, isSettled: done == nil) }
            })
    }

    /// Refuses the flight because no call of the budget is left.
    mutating func refuse(_ host: Int, _ answer: Int) {
        guard let flight = hosts[host].flights[answer] else { return }
        figures.refused += flight.waiting
        hosts[host].flights[answer] = nil
        if let lease = flight.lease { release(host, answer, lease, isSettled: true) }
    }
}
