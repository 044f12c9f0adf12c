// The access log: one line per request, written when its response has ended.
import LarderCore
import LarderHTTP
import LarderIO

extension Connection {
    /// Logs one response. The query is left out because a pass-through request may carry a key in it.
    /// - Parameter ending: how a streamed response ended; nil if the body was not streamed.
    func log(_ response: ServerResponse, _ answered: RequestInHand, bytes: Int, ending: StreamEnding? = nil) {
        guard worker.shared.access.writes(.info) else { return }
        let took = worker.shared.time.monotonic() - answered.began
        worker.shared.access.info(
            ending.map { $0 == .whole ? "answered" : "cut: \($0.rawValue)" } ?? "answered",
            [
                "id": answered.request.id.description, "method": answered.request.method.name,
                "path": answered.request.shownPath(response.loggedPath), "status": String(response.status),
                "bytes": String(bytes), "outcome": response.outcome.rawValue,
                "route": response.route.text, "provider": response.provider ?? "-",
                "trace": TraceContext(answered.request.fields)?.traceID ?? "-", "ms": Self.milliseconds(took),
            ])
    }

    /// Logs a tunnel that has ended.
    func log(_ tunnel: TunnelRecord) {
        guard worker.settings.accessLog != .off else { return }
        worker.shared.access.info(
            "tunnel ended",
            [
                "id": tunnel.id.description, "host": "\(tunnel.target.host):\(tunnel.target.port)",
                "status": String(tunnel.status), "sent": String(tunnel.sent), "received": String(tunnel.received),
                "cause": tunnel.ending.rawValue,
                "ms": Self.milliseconds(tunnel.took),
            ])
    }

    /// Logs one memory hit. Called only if all requests are logged.
    /// - Parameter form: what of the response was sent.
    @inline(never)
    func logHit(
        _ response: ReadyResponse, _ head: RequestHead, _ form: HitForm, _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        let path = HeaderField.text(head.target.bytes(in: bytes).prefix { $0 != 0x3F })
        let origin = path.hasPrefix("/") ? (secure?.host ?? inside)?.target.origin ?? "" : ""
        let (status, count) =
            switch form {
            case .whole, .undecided: (200, head.methodCode == .head ? 0 : response.length)
            case .notModified: (304, 0)
            case .part(let start, let end): (206, end - start)
            }
        worker.shared.access.info(
            "answered",
            [
                "id": worker.lastRequest.description, "method": head.methodCode == .head ? "HEAD" : "GET",
                "path": origin + path, "status": String(status), "bytes": String(count),
                "outcome": CacheOutcome.hit.rawValue,
                "route": response.isFromStore ? "store" : "memory",
            ])
    }

    /// The duration in milliseconds with three decimals.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
