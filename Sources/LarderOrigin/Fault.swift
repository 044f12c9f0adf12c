// Scripted faults. Each path prefix has a queue of faults, and each request below the prefix takes one. So a test can
// cause a failure of the API at a chosen request, without waiting for a clock.
import LarderCore

/// A fault, or another prescribed behaviour, for one request.
public enum Fault: Sendable, Hashable {
    /// Sends this answer instead of the usual one.
    case answer(OriginAnswer)
    /// Sends an HTML page with this status, as a captive portal or a challenge page does.
    case html(status: Int)
    /// Sends the usual answer, but only after `OriginServer.release`.
    case held
    /// Sends the usual head with the full length, this many bytes of the body, and closes the connection.
    case truncated(after: Int)
    /// Closes the connection without sending a byte.
    case closed
    /// Never answers.
    case silent
    /// Sends these bytes unchanged and closes the connection. For heads that are not HTTP.
    case raw(Bytes)
    /// Sends the usual answer with its body in chunks of this size in bytes (RFC 9112 §7.1) instead of with a length.
    case chunked(size: Int)
    /// For an upload: reads this many bytes of its body, and more only after `OriginServer.release`.
    case stalled(after: Int)
    /// For an upload: reads this many bytes of its body, then closes the connection.
    case cut(after: Int)
    /// For an upload: sends this answer after the head, before the body.
    case early(OriginAnswer)

    /// An answer with this status and a short or empty body.
    public static func status(_ status: Int, _ body: String = "", fields: HeaderFields = [:]) -> Fault {
        .answer(OriginAnswer(status: status, fields: fields, body: Bytes(text: body)))
    }

    /// The answer with which iTunes reports too many calls.
    public static let iTunesLimit = Fault.answer(
        OriginAnswer(status: 403, fields: ["Cache-Control": "max-age=0, no-cache, no-store"]))
}

/// The fault scripts and the request counters of one stand-in.
final class FaultScript: Sendable {
    /// The number of requests that are kept for `requests(below:)`. Counting continues beyond it.
    private static let kept = 10_000

    private struct Waiter {
        var prefix: String
        var count: Int
        var resume: TaskContinuation<Void, Never>
    }

    private struct Pages {
        var scripts: [(prefix: String, faults: [Fault])] = []
        var counts: [String: Int] = [:]
        var requests: [OriginRequest] = []
        var waiters: [Waiter] = []

        func count(_ prefix: String) -> Int {
            counts.reduce(0) { $0 + ($1.key.hasPrefix(prefix) ? $1.value : 0) }
        }
    }

    private let pages = Lock<Pages>(Pages())

    /// Records a request and takes its next fault, if any, from the script of the longest matching prefix.
    func arrived(_ request: OriginRequest) -> Fault? {
        let (fault, woken) = pages.withLock { pages -> (Fault?, [Waiter]) in
            // Clients choose the paths. Beyond a bound, further paths are counted together.
            let known = pages.counts[request.path] != nil || pages.counts.count < Self.kept
            pages.counts[known ? request.path : "", default: 0] += 1
            if pages.requests.count < Self.kept { pages.requests.append(request) }
            let matching = pages.scripts.indices.filter { place in
                request.path.hasPrefix(pages.scripts[place].prefix) && !pages.scripts[place].faults.isEmpty
            }
            let place = matching.max { pages.scripts[$0].prefix.utf8.count < pages.scripts[$1].prefix.utf8.count }
            let fault = place.map { pages.scripts[$0].faults.removeFirst() }
            let woken = pages.waiters.filter { pages.count($0.prefix) >= $0.count }
            pages.waiters = pages.waiters.filter { pages.count($0.prefix) < $0.count }
            return (fault, woken)
        }
        for waiter in woken { waiter.resume.resume() }
        return fault
    }

    func add(_ prefix: String, _ faults: [Fault]) {
        pages.withLock { pages in
            if let place = pages.scripts.firstIndex(where: { $0.prefix == prefix }) {
                pages.scripts[place].faults += faults
            } else {
                pages.scripts.append((prefix, faults))
            }
        }
    }

    func clear() {
        pages.withLock { $0.scripts = [] }
    }

    func count(_ prefix: String) -> Int { pages.withLock { $0.count(prefix) } }

    func requests(_ prefix: String) -> [OriginRequest] {
        pages.withLock { $0.requests.filter { $0.path.hasPrefix(prefix) } }
    }

    /// Suspends until this many requests have arrived below a prefix.
    func waitFor(_ count: Int, _ prefix: String) async {
        await handover { continuation in
            let isThere = pages.withLock { pages in
                if pages.count(prefix) >= count { return true }
                pages.waiters.append(Waiter(prefix: prefix, count: count, resume: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Resumes all tasks that still wait, because no more requests will arrive.
    func end() {
        let left = pages.withLock { pages in
            defer { pages.waiters = [] }
            return pages.waiters
        }
        for waiter in left { waiter.resume.resume() }
    }
}
