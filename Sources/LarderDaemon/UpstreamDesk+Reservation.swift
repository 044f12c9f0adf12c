// The way of a call to its provider: looked at, queued, reserved, sent. Suspension and budget are looked at before the call
// waits for a place, so that a refusal comes at once. They are looked at again when it has its place, and the call is
// taken from the budget and written down then: what is still in the queue has cost nothing, and a provider that was
// suspended meanwhile is not called.
import LarderCache
import LarderCore
import LarderIO
import LarderStore

/// A call between its first look at the lane and its outcome.
struct CallAttempt {
    var provider: String
    /// It is the suspension's one trial.
    var isProbe: Bool
    /// Its number in the budget, from 1; 0 where it was not taken from it. What its answer says is left knows of no later calls.
    var callNumber = 0
    /// Its instant in the budget; nil where it was not taken from it.
    var takenAt: Moment?
    /// It is on the record too.
    var isReserved = false
    /// Why it was not sent when its turn came.
    var refusal: UpstreamFailure?
    /// The budget was spent when its turn came, and counts it among its refusals.
    var isOverBudget = false
    /// It is being written down: not sent yet.
    var isReserving = false
    /// Its caller has gone on meanwhile.
    var hasEnded = false
}

extension UpstreamDesk {
    /// Lets a call into the queue, where it could leave now. The suspension's trial is its own from then on.
    /// - Returns: the attempt's number, to be given to `settle`; nil for a call that no budget counts.
    /// - Throws: the refusal of its lane, and where it has none.
    func begin(_ call: UpstreamCall) throws(UpstreamFailure) -> UInt64? {
        guard call.isBudgeted else { return nil }
        guard let lane = lanes[call.provider] else {
            // Nobody knows what may be called: nothing is.
            throw UpstreamFailure(
                provider: call.provider, failure: .notConfigured,
                detail: "What may be called of \(call.provider) is not known.")
        }
        let now = time.moment()
        let admission = lane.permit(now: now)
        look(call.provider)
        if let refusal = refusal(admission, call.provider, now) { throw refusal }
        lastAttempt += 1
        attempts[lastAttempt] = CallAttempt(provider: call.provider, isProbe: admission == .probe)
        return lastAttempt
    }

    /// The order as it goes to the fetcher: it waits among its provider's, and is reserved when its turn comes.
    func order(_ call: UpstreamCall, _ attempt: UInt64?) -> FetchOrder {
        var order = call.order
        order.client = AskingClient.current?.name ?? ""
        if let wait = FlightWait.current { order.waits = { wait.changed($0, at: $1) } }
        // Pictures come from other hosts, and wait among those of the same host.
        if call.isBudgeted { order.provider = call.provider }
        if let attempt {
            order.beforeSendingAtOnce = { [weak self] in self?.assumeIsolated { $0.permitUnlimited(attempt) } }
            order.beforeSending = { [weak self] in await self?.reserve(attempt) ?? false }
        }
        return order
    }

    /// Takes a call from a lane without limits, where nothing is to be written down. Nil where the lane has some.
    private func permitUnlimited(_ number: UInt64) -> Bool? {
        if let attempt = attempts[number], lanes[attempt.provider]?.budget.isLimited == true { return nil }
        return admit(number, now: time.moment()) != nil
    }

    /// Takes a call from its lane. Nil where it is not to be sent.
    private func admit(_ number: UInt64, now: Moment) -> ProviderLane? {
        // Its caller may have left already.
        guard let attempt = attempts[number], let lane = lanes[attempt.provider] else { return nil }
        let provider = attempt.provider
        let admission = lane.admit(isProbe: attempt.isProbe, now: now)
        look(provider)
        if let refusal = refusal(admission, provider, now) {
            attempts[number]?.isProbe = false
            attempts[number]?.refusal = refusal
            if case .spent = admission { attempts[number]?.isOverBudget = true }
            return nil
        }
        attempts[number]?.isProbe = admission == .probe
        attempts[number]?.callNumber = lane.budget.taken
        attempts[number]?.takenAt = now
        return lane
    }

    /// Takes a call from the lane and writes it down. False where it is not to be sent.
    private func reserve(_ number: UInt64) async -> Bool {
        let now = time.moment()
        guard let lane = admit(number, now: now), let provider = attempts[number]?.provider else { return false }
        guard lane.budget.isLimited else { return true }
        attempts[number]?.isReserving = true
        do {
            // Durable before it is sent: a crash in between may waste a call, never exceed the budget.
            try await state.reserveCall(provider, at: now.wall)
            attempts[number]?.isReserved = true
            await pruneRecord(now)
        } catch {
            log.error("a call could not be reserved", ["provider": provider, "error": "\(error)"])
            attempts[number]?.refusal = UpstreamFailure(
                provider: provider, failure: .overloaded,
                detail: "The call could not be counted, so it was not sent: the state database cannot be written.",
                retryAt: now.wall + .seconds(5))
        }
        attempts[number]?.isReserving = false
        // Whoever waits for the end of it finds the note of a call that was taken back among those to be written.
        defer { reservationEnded() }
        if let attempt = attempts[number], attempt.hasEnded {
            attempts[number] = nil
            giveBack(attempt)
            return false
        }
        return attempts[number]?.refusal == nil
    }

    /// A call is just being written down.
    var isReserving: Bool { attempts.values.contains(where: \.isReserving) }

    private func reservationEnded() {
        guard !isReserving else { return }
        for waiter in reservationWaiters { waiter.resume() }
        reservationWaiters = []
    }

    /// Waits until the record of calls is right, for the daemon's stop: no call begins any more. A flight or a client that
    /// gives its call up does not wait for the call to be written down (`settle`), so that writing, and taking back, may go
    /// on after all flights have ended.
    func finish() async {
        await handover { waiter in
            if isReserving { reservationWaiters.append(waiter) } else { waiter.resume() }
        }
        await flush()
    }

    /// The attempt has its outcome and is forgotten. Where it is just being written down it was not sent, and nobody waits for
    /// the state database: `reserve` takes it back when it knows whether it is on the record.
    func settle(_ number: UInt64?) -> CallAttempt? {
        guard let number else { return nil }
        guard var attempt = attempts[number], attempt.isReserving else { return attempts.removeValue(forKey: number) }
        attempts[number]?.hasEnded = true
        attempt.takenAt = nil
        return attempt
    }

    /// A call that never left is no call: neither the budget nor the record keeps it.
    func giveBack(_ attempt: CallAttempt) {
        guard let call = attempt.takenAt else { return }
        let provider = attempt.provider
        lanes[provider]?.budget.giveBack(call, callNumber: attempt.callNumber)
        look(provider)
        if attempt.isReserved { write(.unsent(provider: provider, at: call.wall)) }
    }

    private func refusal(_ admission: Admission, _ provider: String, _ now: Moment) -> UpstreamFailure? {
        switch admission {
        case .suspended(let end, let reason):
            let until = now.boundedWall(at: end)
            return UpstreamFailure(
                provider: provider, failure: reason == .limited ? .limited : .suspended,
                detail: "\(provider) rests after failures (\(reason.rawValue)); the next trial is at \(until.rfc3339).",
                retryAt: until)
        case .spent(let end):
            let until = now.boundedWall(at: end)
            counters.cell(DaemonCounters.budgetRefusals, provider).add()
            return UpstreamFailure(
                provider: provider, failure: .limited,
                detail: "The budget of calls to \(provider) is spent; it opens again at \(until.rfc3339).",
                retryAt: until)
        case .probe, .granted: return nil
        }
    }

    /// Once an hour: the record must not grow for as long as the daemon lives. A day is kept in any case, so that a
    /// window that the next settings make longer still finds its calls.
    private func pruneRecord(_ now: Moment) async {
        guard now.monotonic >= nextPruning else { return }
        nextPruning = now.monotonic + .seconds(3600)
        let longest = lanes.values.map(\.budget.longestWindow).max() ?? .zero
        let reach = max(longest, .seconds(86_400))
        do {
            try await state.forgetCalls(before: horizon(now, reach))
        } catch {
            log.warning("old calls could not be taken off the record", ["error": "\(error)"])
        }
    }
}
