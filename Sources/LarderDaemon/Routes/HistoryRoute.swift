// `/v1/history`: figures over time, for plots. It contains counts and provider names, and nothing about any request.
import LarderCache
import LarderCore
import LarderEngine
import LarderProviders
import LarderServer
import LarderSettings

struct HistoryRoute: Sendable {
    let engine: Engine
    let history: HistoryRecorder
    let totals: Totals

    static let parameters: [RouteParameter] = [
        .query(
            "span",
            "The last hour in slots of 5 seconds, the last 2 days in slots of 4 minutes, or the last 30 days in slots "
                + "of an hour.",
            .choice(TrafficHistory.Span.allCases.map(\.rawValue)), default: TrafficHistory.Span.hour.rawValue)
    ]

    func history(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let values = try request.values(Self.parameters)
        let span = values["span"].flatMap(TrafficHistory.Span.init) ?? .hour
        // Includes what has happened in the current slot so far.
        history.look()
        let now = engine.time.wall()
        let points = history.points(span, at: now)
        let saved = await totals.saved(engine.snapshot.providers.all.map(\.name))
        var writer = JSONWriter(reserving: 256 + points.count * 128)
        writer.object { writer in
            writer.member("span", span.rawValue)
            writer.member("stepSeconds", span.step)
            writer.member("from", span.begin(at: now).rfc3339)
            writer.member("to", now.rfc3339)
            writer.name("points")
            writer.array { writer in
                for point in points { Self.append(point, to: &writer) }
            }
            writer.name("saved")
            writer.object { writer in
                for (provider, calls) in saved.sorted(by: { $0.key < $1.key }) { writer.member(provider, calls) }
            }
            writer.name("budgets")
            writer.array { writer in
                for provider in engine.snapshot.providers.all { Self.append(provider, to: &writer) }
            }
        }
        return .json(writer.bytes, route: route)
    }

    /// Writes the configured limits, with which the calls can be compared.
    private static func append(_ provider: ConfiguredProvider, to writer: inout JSONWriter) {
        for limit in [provider.settings.rate, provider.settings.quota].compactMap({ $0 }) {
            writer.object { writer in
                writer.member("provider", provider.name)
                writer.member("calls", limit.calls)
                writer.member("windowSeconds", limit.window.wholeSeconds)
            }
        }
    }

    private static func append(_ point: TrafficHistory.Point, to writer: inout JSONWriter) {
        let figures = point.figures
        writer.object { writer in
            writer.member("at", point.at.rfc3339)
            if point.isOpen { writer.member("open", true) }
            for (name, counts) in [("requests", figures.requests), ("upstream", figures.upstream)] {
                writer.name(name)
                writer.object { writer in
                    for (word, count) in counts.sorted(by: { $0.key < $1.key }) where count != 0 {
                        writer.member(word, count)
                    }
                }
            }
            writer.member("errors", figures.errors)
            writer.member("bytes", figures.bytes)
            for (name, part) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
                guard let milliseconds = figures.percentile(part) else { continue }
                writer.member(name, number: (milliseconds * 1000).rounded() / 1000)
            }
        }
    }
}
