// `/v1/status`: the state of the running daemon for people and tools, as JSON. It contains no secrets and no paths.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings
import LarderShared
import LarderStore

struct StatusRoute: Sendable {
    let engine: Engine
    let state: StateStore
    let totals: Totals
    let history: ProviderHistory
    let proxy: ProxyStanding
    let startedAt: WallTime

    func status(route: RouteName) async -> ServerResponse {
        let snapshot = engine.snapshot
        let now = engine.time.wall()
        let statistics = await engine.cache.storeStatistics()
        var lanes: [(ConfiguredProvider, LaneReport?, noToken: String?)] = []
        for provider in snapshot.providers.all {
            let failure = provider.settings.tokenClient == nil ? nil : await engine.accounts.tokenFailure(provider.name)
            lanes.append((provider, engine.upstream.report(provider.name), failure))
        }
        let tier = engine.cache.memory.statistics()
        let shared = await engine.cache.shared?.report()
        let totals = await self.totals.report(snapshot.providers.all.map(\.name))
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", LarderVersion.text)
            writer.member("commit", LarderVersion.commit)
            writer.name("libraries")
            writer.object { writer in
                for library in LibraryVersions.all { writer.member(library.name, library.version) }
            }
            writer.member("startedAt", startedAt.rfc3339)
            writer.member("uptimeSeconds", (now - startedAt).wholeSeconds)
            writer.name("providers")
            writer.array { writer in
                for (provider, lane, noToken) in lanes { append(provider, lane, noToken, totals, to: &writer) }
            }
            writer.name("store")
            append(statistics, snapshot.settings, to: &writer)
            writer.name("state")
            writer.object { writer in writer.member(ifPresent: "degraded", state.degraded) }
            writer.name("memory")
            writer.object { writer in
                writer.member("entries", tier.entries)
                writer.member("bytes", tier.bytes)
                writer.member("maxBytes", snapshot.settings.cache.memorySize)
            }
            proxy.write(to: &writer)
            if let shared { shared.write(to: &writer) }
        }
        return .json(writer.bytes, route: route)
    }

    private func append(
        _ provider: ConfiguredProvider, _ lane: LaneReport?, _ noToken: String?, _ totals: [String: Int64],
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("name", provider.name)
            writer.member("title", provider.about.title)
            writer.member("kind", provider.settings.kind.word)
            writer.member("state", state(provider, lane, noToken))
            writer.member("baseURLs", strings: provider.settings.baseURLs)
            writer.member(ifPresent: "configurationProblem", problem(provider.settings, noToken))
            let isMissing = provider.settings.enabled && !provider.isConfigured
            writer.member(ifPresent: "missing", isMissing ? provider.notConfigured.detail : nil)
            if provider.about.minimumTerm > 1 { writer.member("minimumTerm", provider.about.minimumTerm) }
            let isReachable = lane?.reachability.isReachable
            writer.member("reachability", Reachability.word(isReachable))
            if let isReachable { writer.member("reachable", isReachable) }
            writer.member(ifPresent: "lastSuccess", lane?.reachability.lastSuccess?.rfc3339)
            writer.member(ifPresent: "lastFailure", lane?.reachability.lastFailure?.rfc3339)
            writer.member(ifPresent: "lastFailureClass", lane?.reachability.lastFailureClass?.rawValue)
            writer.member(ifPresent: "lastFailureDetail", lane?.reachability.lastFailureDetail)
            writer.member(ifPresent: "suspendedUntil", lane?.suspension?.until.rfc3339)
            writer.member(ifPresent: "suspensionReason", lane?.suspension?.failure.rawValue)
            writer.name("budget")
            writer.object { writer in
                if let rate = lane?.rate { append("rate", rate, to: &writer) }
                if let quota = lane?.quota { append("quota", quota, to: &writer) }
                for allowance in lane?.credits ?? [] {
                    writer.name("\(allowance.name)Credits")
                    writer.object { writer in
                        if let limit = allowance.limit { writer.member("limit", limit) }
                        writer.member("remaining", allowance.remaining)
                        writer.member("resetsAt", allowance.resetsAt.rfc3339)
                    }
                }
            }
            writer.name("tools")
            ToolCalls.write(provider.name, lane, engine.counters, to: &writer)
            writer.name("answers")
            writer.object { writer in
                for outcome in CacheOutcome.allCases where outcome != .none {
                    let name = outcome.rawValue
                    writer.member(name, engine.counters.cell(EngineCounters.outcomes, provider.name, name).current)
                }
                writer.member(
                    "memoryHit", engine.counters.cell(DaemonCounters.memoryHits, provider.name).current)
            }
            // Over all runs since the state database was created.
            writer.name("totals")
            writer.object { writer in
                for outcome in CacheOutcome.allCases where outcome != .none {
                    let name = outcome.rawValue
                    if let total = totals["\(provider.name).\(name)"] { writer.member(name, total) }
                }
            }
            history.append(provider.name, to: &writer)
            writer.member(ifPresent: "attribution", provider.about.attribution)
        }
    }

    /// What is wrong with the key or the token.
    private func problem(_ settings: ProviderSettings, _ noToken: String?) -> String? {
        settings.keyFileProblem?.sentence(of: settings.name)
            ?? noToken.map { "the " + AccountCoordinator.noToken(settings.name, $0) }
    }

    private func state(_ provider: ConfiguredProvider, _ lane: LaneReport?, _ noToken: String?) -> String {
        if !provider.settings.enabled { return "off" }
        if !provider.isConfigured { return "notConfigured" }
        if noToken != nil { return "noToken" }
        if lane?.suspension != nil { return "suspended" }
        if lane?.isProbing == true { return "probing" }
        let isToldSpent = lane?.credits.contains { $0.remaining == 0 } ?? false
        if lane?.rate?.remaining == 0 || lane?.quota?.remaining == 0 || isToldSpent { return "budgetSpent" }
        return "ready"
    }

    private func append(_ name: String, _ budget: LimitReport, to writer: inout JSONWriter) {
        writer.name(name)
        writer.object { writer in
            writer.member("limit", budget.limit.calls)
            writer.member("windowSeconds", budget.limit.window.wholeSeconds)
            writer.member("remaining", budget.remaining)
            writer.member(ifPresent: "resetsAt", budget.resetsAt?.rfc3339)
        }
    }

    private func append(_ statistics: StoreStatistics, _ settings: Settings, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("entries", statistics.entries)
            writer.member("liveBytes", statistics.liveBytes)
            writer.member("fileBytes", statistics.fileBytes)
            writer.member("walBytes", statistics.walBytes)
            writer.member("maxBytes", settings.cache.maxSize)
            writer.member(ifPresent: "degraded", statistics.degraded)
            writer.member("pendingRemovals", statistics.pendingRemovals)
            writer.member(ifPresent: "setAside", statistics.setAside)
            writer.name("byProvider")
            writer.object { writer in
                for (name, sums) in statistics.byProvider.sorted(by: { $0.key < $1.key }) {
                    writer.name(name)
                    writer.object { writer in
                        writer.member("entries", sums.entries)
                        writer.member("bytes", sums.bytes)
                    }
                }
            }
        }
    }
}
