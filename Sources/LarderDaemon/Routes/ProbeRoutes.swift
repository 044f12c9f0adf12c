// `/healthz`, `/readyz` and `/metrics`: for watchdogs, service managers and Prometheus.
import LarderCache
import LarderCore
import LarderEngine
import LarderFetch
import LarderIO
import LarderServer
import LarderSettings
import LarderStore

struct ProbeRoutes: Sendable {
    let engine: Engine
    let state: StateStore
    let startedAt: WallTime
    let readiness: Readiness

    /// Reports that the daemon is alive: this loop and the home loop run, and the store answers or is known to be out
    /// of order. A store that is set aside or full means degraded, not dead, because the service continues without it.
    func health(route: RouteName) async -> ServerResponse {
        await engine.flights.home.turn()
        let statistics = await engine.cache.storeStatistics()
        let isWell = statistics.degraded == nil && state.degraded == nil
        return Self.text(200, isWell ? "ok\n" : "degraded\n", route: route)
    }

    /// Reports whether the daemon is ready: everything has started and no stop has begun.
    func ready(route: RouteName) -> ServerResponse {
        readiness.isReady ? Self.text(200, "ready\n", route: route) : Self.text(503, "not ready\n", route: route)
    }

    /// The metrics in the Prometheus text format.
    func metrics(route: RouteName) async -> ServerResponse {
        let statistics = await engine.cache.storeStatistics()
        var page = PrometheusText(engine.counters)
        let gauges: [(String, String, Int64)] = [
            ("larder_store_file_bytes", "Size of the cache database's file.", statistics.fileBytes),
            ("larder_store_entries", "Entries in the store.", statistics.entries),
            ("larder_store_degraded", "1 while the cache cannot store anything.", statistics.degraded == nil ? 0 : 1),
            (
                "larder_state_degraded", "1 while state.db cannot be written. Calls with a budget are then not made.",
                state.degraded == nil ? 0 : 1
            ),
            (
                "larder_uptime_seconds", "Seconds since the daemon's start.",
                (engine.time.wall() - startedAt).wholeSeconds
            ),
        ]
        for (name, help, value) in gauges { page.add(MetricFamily(name, .gauge, help: help), [], Double(value)) }
        page.add(
            ProcessMetrics.build,
            [LarderVersion.text, LarderVersion.commit] + LibraryVersions.all.map(\.version), 1)
        let lanes = engine.snapshot.providers.all.compactMap { provider in
            engine.upstream.report(provider.name).map { (provider.name, $0) }
        }
        // Counting descriptors reads a directory of the kernel, and no loop must wait for that.
        let figures = await engine.compute.run { ProcessFigures.read() }
        let samples = ProviderMetrics.samples(lanes) + ProcessMetrics.samples(figures, startedAt: startedAt)
        for sample in samples { page.add(sample.family, sample.labels, sample.value) }
        var response = Self.text(200, page.text, route: route)
        response.fields.set(.contentType, PrometheusText.contentType)
        return response
    }

    private static func text(_ status: Int, _ text: String, route: RouteName) -> ServerResponse {
        var response = ServerResponse(status: status)
        response.fields = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
        response.body = .bytes(Bytes(text: text))
        response.route = route
        return response
    }
}

/// Whether the daemon accepts requests, as `/readyz` reports it.
final class Readiness: Sendable {
    private let state = Lock(false)

    var isReady: Bool { state.withLock { $0 } }

    func set(_ isReady: Bool) {
        state.withLock { $0 = isReady }
    }
}
