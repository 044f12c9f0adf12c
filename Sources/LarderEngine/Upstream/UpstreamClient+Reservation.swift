// The stages of a call: check, queue, reserve, send. Suspension and budget are checked before the call waits for a
// place, so a refusal comes at once. They are checked again when the call has its place. Only then is it taken from the
// budget and written down, so a call that is still queued costs nothing, and a provider that was suspended meanwhile is
// not called.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderSettings
import LarderShared
import LarderStore

extension UpstreamClient {
    /// Lets a call enter the queue if it could leave now. If the provider is due for its trial after a suspension, this
    /// call becomes the trial.
    /// - Returns: the attempt's number for `settle`; nil for a call that no budget counts.
    /// - Throws: the lane's refusal; also if the provider has no lane.
    func begin(_ call: UpstreamCall, for asker: CallAsker) throws(UpstreamFailure) -> UInt64? {
        guard call.isBudgeted else { return nil }
        let now = time.moment()
        let user = CallUser(
            caller: call.caller, tool: call.tool,
            urgency: asker.urgency)
        switch step({ $0.enter(call.provider, user, isTrial: call.isTrial, now: now) }) {
        case .entered(let number): return number
        case .unknown:
            // Without a lane the limits are unknown, so no call is made.
            throw UpstreamFailure(
                provider: call.provider, failure: .notConfigured,
                detail: "It is not known how many calls \(call.provider) permits.")
        case .refused(let admission):
            count(admission, call.provider, tool: call.tool)
            if let refusal = Self.refusal(admission, call.provider, now) { throw refusal }
            return nil
        }
    }

    /// Returns the order for the fetcher. It waits in its provider's queue and is reserved when its turn comes.
    func order(_ call: UpstreamCall, _ attempt: UInt64?, for asker: CallAsker) -> FetchOrder {
        var order = call.order
        order.turn = CallTurn(asker.urgency, tool: (asker.client?.tool ?? .own).turn)
        order.watcher = CallWatcher(self, call, attempt, asker)
        // Artwork comes from other hosts and queues by host. Answers name these hosts, so they must learn nothing of a
        // client's trace.
        if call.isBudgeted {
            order.provider = call.provider
            asker.client?.trace?.continued(as: .random(in: 1...UInt64.max), in: &order.fields)
        }
        return order
    }

    /// Takes a call that need not be written down: its lane has no limits, or a reserved call is in stock. Returns nil
    /// if the call must be written down first.
    func permitAtOnce(_ number: UInt64, _ urgency: Urgency?) -> Bool? {
        let now = time.moment()
        // The fleet's budget must be asked asynchronously.
        if fleetBudget(of: number, urgency) != nil { return nil }
        let turn = step { table -> LaneTable.Turn? in
            if table.leavesAtOnce(number, now: now) == false { return nil }
            return table.take(number, urgency, now: now) { Self.refusal($0, $1, now) }
        }
        switch turn {
        case nil, .unwritten, .coming: return nil
        case .gone: return false
        case .ready: return true
        case .refused(let admission, let provider):
            count(admission, provider, tool: tool(of: number))
            return false
        }
    }

    /// Takes a call from the fleet's budget, if there is one, and from the lane. Returns false if the call must not be
    /// sent.
    func reserve(_ number: UInt64, _ urgency: Urgency?) async -> Bool {
        guard let budget = fleetBudget(of: number, urgency) else { return await reserveHere(number, urgency) }
        let own: @Sendable () -> [Int] = { [self] in ownCalls(budget.subject) }
        switch await budget.tier.takeCall(budget.subject, own: own) {
        case .granted(let until):
            let isReserved = await reserveHere(number, urgency)
            // Writing the call down may have taken longer than the lease lasts.
            let mayLeave = budget.tier.leaves(budget.subject, grantedUntil: until, isWanted: isReserved)
            return isReserved && !mayLeave ? refuse(number, for: .zero) : mayLeave
        case .spent(let time): return refuse(number, for: time, isKept: budget.subject.reserve > 0)
        case .unanswered(let time):
            // Settings changed meanwhile: another tier is in force, or none.
            if budget.tier.isClosed, fleetBudget(of: number, urgency)?.tier !== budget.tier {
                return await reserve(number, urgency)
            }
            return refuse(number, for: time, isUnanswered: true)
        }
    }

    /// Refuses a call because the fleet has none left. Always returns false.
    /// - Parameter isKept: whether a person would have got one.
    private func refuse(
        _ number: UInt64, for span: Duration, isUnanswered: Bool = false, isKept: Bool = false
    ) -> Bool {
        let now = time.moment()
        let until = now.monotonic + span
        let provider = step { table in
            table.refuse(number, until: until, now: now) { admission, provider in
                guard isUnanswered else {
                    return Self.refusal(isKept ? .kept(until: until) : admission, provider, now)
                }
                return UpstreamFailure(
                    provider: provider, failure: .limited,
                    detail: "The shared engine with the budget of \(provider) does not answer, and this host has no "
                        + "calls left in its lease.",
                    retryAt: now.boundedWall(at: until))
            }
        }
        if let provider { count(isKept ? .kept(until: until) : .spent(until: until), provider, tool: tool(of: number)) }
        return false
    }

    /// Takes a call from the lane and writes it down. Returns false if the call must not be sent.
    private func reserveHere(_ number: UInt64, _ urgency: Urgency?) async -> Bool {
        let now = time.moment()
        let turn = step { table in table.take(number, urgency, now: now) { Self.refusal($0, $1, now) } }
        switch turn {
        case .gone: return false
        case .refused(let admission, let provider):
            count(admission, provider, tool: tool(of: number))
            return false
        case .ready: return true
        case .coming(let provider):
            await stocked(provider)
            return await reserveHere(number, urgency)
        case .unwritten(let provider, let ahead):
            var failure: UpstreamFailure?
            do {
                // The call is durable before it is sent. A crash in between can waste a call but never exceed the
                // budget.
                try await state.reserveCalls(provider, at: [now.wall] + ahead.map(\.counted.wall))
                await pruneRecord(now)
            } catch {
                log.error("a call could not be reserved", ["provider": provider, "error": "\(error)"])
                failure = UpstreamFailure(
                    provider: provider, failure: .overloaded,
                    detail: "The call could not be counted, so it was not sent: the state database cannot be written.",
                    retryAt: now.wall + .seconds(5))
            }
            let end = time.moment()
            let (admission, waiters) = step { [failure] table in
                table.stocked(ahead, of: provider, areWritten: failure == nil, now: end)
                let admission = table.reserved(number, failure: failure, now: end) { Self.refusal($0, $1, end) }
                let stocked = ahead.isEmpty ? [] : table.stockWaiters.removeValue(forKey: provider) ?? []
                // Waiters continue only after the note of a call taken back is queued, so that they flush it.
                guard !table.isReserving else { return (admission, stocked) }
                defer { table.reservationWaiters = [] }
                return (admission, stocked + table.reservationWaiters)
            }
            for waiter in waiters { waiter.resume() }
            if let admission { count(admission, provider, tool: tool(of: number)) }
            return admission == .granted
        }
    }

    /// Waits until calls for a provider's stock are written down, or could not be. Whoever writes them down ends the
    /// wait, in the step that adds them.
    private func stocked(_ provider: String) async {
        await handover { waiter in
            let isComing = step { table -> Bool in
                guard table.lanes[provider]?.stock.isComing == true else { return false }
                table.stockWaiters[provider, default: []].append(waiter)
                return true
            }
            if !isComing { waiter.resume() }
        }
    }

    /// Waits until the record of calls is correct. Used when the daemon stops, after the last call has begun. A flight
    /// or client that gives up its call does not wait until the call is written down (`settle`), so writing and taking
    /// back may continue after all flights have ended.
    public func finish() async {
        let now = time.moment()
        step { $0.end(now: now) }
        await handover { waiter in
            let isDone = step { table in
                if table.isReserving { table.reservationWaiters.append(waiter) }
                return !table.isReserving
            }
            if isDone { waiter.resume() }
        }
        await flush()
    }

    /// Ends an attempt that has its outcome.
    func settle(_ number: UInt64?) -> CallAttempt? {
        guard let number else { return nil }
        return step { $0.settle(number) }
    }

    /// The tool of an attempt. The fetcher asks on its own task, which has no client.
    private func tool(of number: UInt64) -> String { step { $0.attempt(number)?.user.tool } ?? ToolSetting.other }

    private func count(_ refusal: LaneAdmission, _ provider: String, tool: String) {
        switch refusal {
        case .spent, .kept:
            counters.cell(EngineCounters.budgetRefusals, provider).add()
            counters.cell(EngineCounters.toolRefusals, provider, tool).add()
        case .resting: counters.cell(EngineCounters.callerRests, provider, "refused").add()
        case .granted, .probe, .suspended: break
        }
    }

    private static func refusal(_ admission: LaneAdmission, _ provider: String, _ now: Moment) -> UpstreamFailure? {
        switch admission {
        case .suspended(let end, let reason):
            let until = now.boundedWall(at: end)
            return UpstreamFailure(
                provider: provider, failure: reason == .limited ? .limited : .suspended,
                detail: reason == .suspended
                    ? "\(provider) was suspended by hand until \(until.rfc3339)."
                    : "\(provider) is suspended after failures (\(reason.rawValue)) until a trial at \(until.rfc3339).",
                retryAt: until)
        case .spent(let end):
            let until = now.boundedWall(at: end)
            return UpstreamFailure(
                provider: provider, failure: .limited,
                detail: "The budget of calls to \(provider) is spent. The next call is possible at \(until.rfc3339).",
                retryAt: until)
        case .kept(let end):
            let until = now.boundedWall(at: end)
            var failure = UpstreamFailure(
                provider: provider, failure: .limited,
                detail:
                    "The calls to \(provider) that are left are kept for what a person waits for (quota.reserve) and "
                    + "for the shares of other tools. The next call is possible at \(until.rfc3339).",
                retryAt: until)
            failure.isKeptForOthers = true
            return failure
        case .resting(let rest):
            let until = now.boundedWall(at: rest.until)
            return UpstreamFailure(
                provider: provider, failure: .limited,
                detail: "\(provider) asked for a pause (\(rest.status)). Requests with the same credentials are not "
                    + "sent before \(until.rfc3339).",
                retryAt: until, statusOverride: rest.status == 503 ? 503 : nil)
        case .probe, .granted: return nil
        }
    }

    /// Prunes the record of calls, which must not grow as long as the daemon runs.
    private func pruneRecord(_ now: Moment) async {
        guard let reach = step({ $0.pruning(now: now.monotonic) }) else { return }
        do {
            try await state.forgetCalls(before: horizon(now, reach))
        } catch {
            log.warning("old call records could not be deleted", ["error": "\(error)"])
        }
    }
}
