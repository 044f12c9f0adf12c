// Opens lanes with the calls, suspensions and credits that the last run left. Calls that cannot be known count against
// the budget.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings
import LarderStore

extension UpstreamClient {
    /// Opens a lane for each provider with what the last run left: calls still in their windows, suspensions and
    /// credits. After a lost `state.db` a budget counts as spent for one window, since nobody knows which calls were
    /// made.
    public func open(_ providers: ProviderSet) async {
        // Give back the calls reserved ahead under the old limits, and write all notes. The record read below is then
        // up to date.
        let before = time.moment()
        step { table in for provider in table.lanes.keys { table.emptyStock(provider, now: before) } }
        await flush()
        let now = time.moment()
        if step({ $0.lanes.isEmpty }) { await capRecord(now) }
        fleet.withLock { fleet in
            fleet.providers = providers.all
            fleet.reserve = providers.keeps.reserve
        }
        for provider in providers.all {
            let settings = provider.settings
            // What a recorded answer says about limits was said to the recording.
            if settings.isReplayed {
                openUnlimited(provider)
                continue
            }
            let record = await record(provider.name, [settings.rate, settings.quota], now: now)
            var suspension = SuspensionMachine()
            if let stored = try? await state.value(LaneTable.suspensionName(provider.name)),
                let decoded = SuspensionMachine(decoding: stored, now: now)
            {
                suspension = decoded
            }
            let credits = (try? await state.value(CreditsNote.name(provider.name))).flatMap {
                CreditsNote(decoding: $0)
            }
            let read = provider.provider
            let fresh = budget(settings, record, now: now)
            let decoded = suspension
            let isKnown = step { table in
                if table.lanes[provider.name] != nil { return true }
                let lane = ProviderLane(
                    budget: fresh, shares: BudgetShares(providers.keeps), suspension: decoded,
                    suspends: !provider.isPassthrough,
                    credits: { read.credits(in: $0, now: $1) })
                if let credits { lane.budget.recall(credits.credits, savedAt: credits.savedAt, now: now) }
                table.add(provider.name, lane)
                // Save the remaining time by the present clock. Otherwise a clock that was set back would grant the
                // full length again at each start.
                if decoded.suspension != nil { table.noteSuspension(provider.name, now: now) }
                return false
            }
            guard isKnown else { continue }
            limit(provider.name, settings, record ?? [], now: now)
            step { table in
                table.lanes[provider.name]?.suspends = !provider.isPassthrough
                table.lanes[provider.name]?.known.forget()
                table.lanes[provider.name]?.shares.rule = providers.keeps
                table.lanes[provider.name]?.shares.keep(
                    windows: [settings.rate, settings.quota].compactMap { $0?.window })
                table.lanes[provider.name]?.credits = { read.credits(in: $0, now: $1) }
            }
        }
    }

    /// Opens the lane of a provider without limits, of which the last run left nothing.
    public func openUnlimited(_ provider: ConfiguredProvider) {
        let now = time.moment()
        step { table in
            guard table.lanes[provider.name] == nil else { return }
            table.add(
                provider.name,
                ProviderLane(
                    budget: CallBudget(rate: nil, quota: nil, recorded: [], now: now),
                    shares: BudgetShares(BudgetShares.Rule(reserve: 0, tools: [:])), suspension: SuspensionMachine(),
                    suspends: false, credits: { _, _ in nil }))
        }
    }

    /// Moves recorded calls of earlier runs that are dated in the future to now. They then block for one window in all,
    /// not for one window after each start. Calls of this run keep the times they have in memory.
    private func capRecord(_ now: Moment) async {
        do {
            try await state.capCalls(at: now.wall)
        } catch {
            log.warning("calls recorded in the future could not be moved to the present", ["error": "\(error)"])
        }
    }

    /// Returns the recorded calls in the longest window; nil if they cannot be read.
    private func record(_ provider: String, _ limits: [CallRate?], now: Moment) async -> [WallTime]? {
        guard let window = limits.compactMap({ $0?.window }).max() else { return [] }
        do {
            return try await state.calls(of: provider, since: horizon(now, window))
        } catch {
            log.warning(
                "the record of calls cannot be read: they count as made", ["provider": provider, "error": "\(error)"])
            return nil
        }
    }

    /// Returns the earliest wall time that a call within that span may have on record. The clock may have been set
    /// forward since.
    func horizon(_ now: Moment, _ span: Duration) -> WallTime {
        min(now.wall, started.wall(at: now.monotonic)) + (.zero - span)
    }

    /// Returns the budget as the last run left it. Calls that cannot be known count as made.
    private func budget(_ settings: ProviderSettings, _ record: [WallTime]?, now: Moment) -> CallBudget {
        guard let record else { return CallBudget.spent(rate: settings.rate, quota: settings.quota, now: now) }
        guard let lostAt = state.lostAt else {
            return CallBudget(rate: settings.rate, quota: settings.quota, recorded: record, now: now)
        }
        // Assume that as many calls as the limits allow were made when the database was lost, and add the recorded
        // ones.
        let most = max(settings.rate?.calls ?? 0, settings.quota?.calls ?? 0)
        return CallBudget(
            rate: settings.rate, quota: settings.quota,
            recorded: Array(repeating: lostAt, count: most) + record, now: now)
    }
}
