// How lanes are opened: with the calls, suspensions and credits that the last run left. What nobody can know counts against
// the budget.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings
import LarderStore

extension UpstreamClient {
    /// Opens a lane for each provider with what the last run left: calls still in their windows, suspensions.
    /// After a lost `state.db` a budget counts as spent for one window, since nobody knows what was called.
    public func open(_ providers: ProviderSet) async {
        // What is read below must not be older than what is known, and what is reserved ahead is so under the old limits.
        let before = time.moment()
        step { table in for provider in table.lanes.keys { table.emptyStock(provider, now: before) } }
        await flush()
        let now = time.moment()
        if step({ $0.lanes.isEmpty }) { await capRecord(now) }
        fleet.withLock { $0.providers = providers.all }
        for provider in providers.all {
            let settings = provider.settings
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
                    budget: fresh, suspension: decoded, suspends: !provider.isPassthrough,
                    credits: { read.credits(in: $0, now: $1) })
                if let credits { lane.budget.recall(credits.credits, savedAt: credits.savedAt, now: now) }
                table.add(provider.name, lane)
                // What is left of it, by the clock of now: one that was set back grants it no second time.
                if decoded.suspension != nil { table.noteSuspension(provider.name, now: now) }
                return false
            }
            guard isKnown else { continue }
            limit(provider.name, settings, record ?? [], now: now)
            step { table in
                table.lanes[provider.name]?.suspends = !provider.isPassthrough
                table.lanes[provider.name]?.credits = { read.credits(in: $0, now: $1) }
            }
        }
    }

    /// Calls of earlier runs that are dated ahead count as made now, at this start and at all later ones: they block for
    /// one window, not for one window after each start. Calls of this run keep the names that they have in memory.
    private func capRecord(_ now: Moment) async {
        do {
            try await state.capCalls(at: now.wall)
        } catch {
            log.warning("calls dated ahead could not be put at now", ["error": "\(error)"])
        }
    }

    /// The calls that the state database knows of in the longest window; nil where they cannot be read.
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

    /// The earliest wall time that a call within that span may have on record: the clock may have been set forward since.
    func horizon(_ now: Moment, _ span: Duration) -> WallTime {
        min(now.wall, started.wall(at: now.monotonic)) + (.zero - span)
    }

    /// The budget as the last run left it. What nobody can know counts as spent.
    private func budget(_ settings: ProviderSettings, _ record: [WallTime]?, now: Moment) -> CallBudget {
        guard let record else { return CallBudget.spent(rate: settings.rate, quota: settings.quota, now: now) }
        guard let lostAt = state.lostAt else {
            return CallBudget(rate: settings.rate, quota: settings.quota, recorded: record, now: now)
        }
        // As many as its limits hold were made when it was lost, and those on record since.
        let most = max(settings.rate?.calls ?? 0, settings.quota?.calls ?? 0)
        return CallBudget(
            rate: settings.rate, quota: settings.quota,
            recorded: Array(repeating: lostAt, count: most) + record, now: now)
    }
}
