// The effect of a call's end on its provider's lane: limits, suspension, counters and log.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension UpstreamClient {
    /// Applies the end of a fetch that brought no answer, and returns its failure.
    func lost(
        _ call: UpstreamCall, _ error: FetchError, _ attempt: CallAttempt?
    ) -> UpstreamFailure {
        let now = time.moment()
        let isProbe = attempt?.isProbe == true
        step { table in
            if error.isUnsent, let attempt { table.giveBack(attempt, now: now) }
            if call.isBudgeted, !error.isUnsent {
                for _ in 0..<error.redirects { table.countHop(call.provider, now: now) }
            }
            // Such an end says nothing about the provider. Only the trial call itself may give the trial back; other
            // calls of the lane end at any time.
            let saysNothing = attempt?.refusal != nil || error.stage.saysNothing
            if isProbe, saysNothing { table.abandonTrial(call.provider, now: now.monotonic) }
        }
        if call.isBudgeted, !error.isUnsent { countFleetHops(call.provider, error.redirects) }
        if let refusal = attempt?.refusal {
            if attempt?.isOverBudget == false {
                counters.cell(EngineCounters.unsentCalls, call.provider, refusal.failure.rawValue).add()
            }
            return refusal
        }
        var failure = UpstreamFailure(error, provider: call.provider)
        failure.mayHaveTakenEffect = !error.isUnsent && !call.order.method.isIdempotent
        let word = failure.word
        if error.isUnsent {
            counters.cell(EngineCounters.unsentCalls, call.provider, word).add()
        } else {
            count(call, word)
        }
        guard error.stage.saysNothing else { return failed(call, attempt, failure) }
        if error.stage == .overloaded { failure.retryAt = now.wall + Self.crowdPause }
        return failure
    }

    /// Takes in what an answer says about the provider's limits: the calls that are left, and the redirects on the way.
    func hear(_ call: UpstreamCall, _ attempt: CallAttempt?, _ fields: HeaderFields, redirects: Int) {
        guard call.isBudgeted else { return }
        let now = time.moment()
        let end = step { table -> WallTime? in
            for _ in 0..<redirects { table.countHop(call.provider, now: now) }
            // The credits of a client's own key say nothing about calls with other keys.
            if call.hasClientCredentials { return table.lanes[call.provider]?.spentUntil(fields, now: now) }
            table.hear(call.provider, fields, callNumber: attempt?.callNumber ?? 0, now: now)
            return nil
        }
        if let end { rest(call, until: end, status: 429, now) }
        countFleetHops(call.provider, redirects)
    }

    /// Records what the answer to a call says of the provider.
    /// - Returns: the failure that the answer is; nil if it came from a working provider.
    func answered(
        _ call: UpstreamCall, _ attempt: CallAttempt?, _ answer: UpstreamResponse, _ classification: Classification
    ) -> UpstreamFailure? {
        if let failure = UpstreamFailure(classification, response: answer, provider: call.provider) {
            return failed(call, attempt, failure)
        }
        guard call.isBudgeted else { return nil }
        let now = time.moment()
        let isData = classification == .data || classification == .empty
        noteResumed(call, step { $0.succeeded(call, isData: isData, now: now) })
        return nil
    }

    private func noteResumed(_ call: UpstreamCall, _ effect: LaneTable.Effect) {
        if case .resumed = effect { log.notice("provider works again", ["provider": call.provider]) }
    }

    /// Records that a call failed, and does what follows: the provider is suspended, or a known question is asked.
    /// - Returns: the failure, with the end of the suspension.
    func failed(_ call: UpstreamCall, _ attempt: CallAttempt?, _ failure: UpstreamFailure) -> UpstreamFailure {
        guard call.isBudgeted else { return failure }
        let now = time.moment()
        if failure.failure == .limited, let end = failure.retryAt,
            call.hasClientCredentials || step({ $0.lanes[call.provider]?.suspends == false })
        {
            rest(call, until: end, status: failure.response?.status ?? 429, now)
        }
        let effect = step {
            $0.failed(
                call, failure, isProbe: attempt?.isProbe == true, now: now,
                random: UInt64.random(in: 0...UInt64.max))
        }
        switch effect {
        case .none, .resumed:
            noteResumed(call, effect)
            return failure
        case .trialDue(let known):
            tryKnown(known)
            var failure = failure
            // If the trial is limited too, that is when the suspension ends.
            if failure.failure == .limited, failure.retryAt == nil {
                failure.retryAt = now.wall + SuspensionMachine.firstPause
            }
            return failure
        case .suspended(let end): return suspended(call, failure, until: end, now)
        }
    }

    /// Has callers with the credentials of this call wait, as the API asked.
    private func rest(_ call: UpstreamCall, until end: WallTime, status: Int, _ now: Moment) {
        let rest = CallerRests.Rest(until: now.monotonic(at: end), status: status)
        let hasDropped = step {
            $0.lanes[call.provider]?.rests.begin(rest, of: call.caller, now: now.monotonic) == true
        }
        counters.cell(EngineCounters.callerRests, call.provider, "begun").add()
        if hasDropped { counters.cell(EngineCounters.callerRests, call.provider, "dropped").add() }
    }

    private func suspended(
        _ call: UpstreamCall, _ failure: UpstreamFailure, until end: MonotonicTime, _ now: Moment
    ) -> UpstreamFailure {
        let until = now.boundedWall(at: end)
        counters.cell(EngineCounters.suspensions, call.provider).add()
        log.warning(
            "provider suspended",
            [
                "provider": call.provider, "reason": failure.failure.rawValue, "until": until.rfc3339,
                "detail": failure.detail,
            ])
        tellOfBound(call.provider, failure)
        // What the API itself says applies to every host with this key. A failed connection concerns this host only.
        if failure.failure == .limited || failure.failure == .refused, !call.hasClientCredentials, call.claim == nil {
            tellFleetOfSuspension(call.provider, now)
        }
        var failure = failure
        failure.retryAt = Moment.bounded(max(failure.retryAt ?? until, until), now: now.wall)
        return failure
    }

    /// A question that the provider answered lately; nil if none is known.
    func knownQuestion(of provider: String) -> UpstreamCall? { step { $0.lanes[provider]?.known.next() } }

    /// Asks a question that succeeded lately. If it fails too, the provider is suspended. No client waits for this, and
    /// the answer is not kept. Detached, so that the time of the call belongs to no client's request.
    private func tryKnown(_ known: UpstreamCall) {
        counters.cell(EngineCounters.trials, known.provider).add()
        Task.detached(executorPreference: home) {
            var call = known
            call.isTrial = true
            guard case .success = await self.perform(call) else { return }
            self.log.notice("questions failed, but the provider works", ["provider": call.provider])
        }
    }

    /// Logs, once per suspension, that the provider named an end that Larder does not accept.
    private func tellOfBound(_ provider: String, _ failure: UpstreamFailure) {
        guard let response = failure.response,
            RetryAfter.read(response.fields, at: response.responseTime)?.isBeyondReason == true,
            step({ $0.tellsOfBound(provider) })
        else { return }
        log.warning(
            "a Retry-After beyond reason was shortened to \(Units.format(duration: RetryAfter.bound))",
            ["provider": provider, "retryAfter": String((response.fields.first(.retryAfter) ?? "").prefix(40))])
    }

    /// Counts a call whose body failed after its head had come.
    func count(_ call: UpstreamCall, _ failure: UpstreamFailure) { count(call, failure.word) }

    /// Counts a call that was sent, by its outcome.
    func count(_ call: UpstreamCall, _ word: String) {
        counters.cell(EngineCounters.upstreamCalls, call.provider, word).add()
        counters.cell(EngineCounters.toolCalls, call.provider, call.tool).add()
    }
}
