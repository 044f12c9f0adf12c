// Scripted misbehaviour: for each path prefix a queue, of which every request takes one. What an API does on its worst
// day can so be asked for at a named moment, without waiting for any clock.
import LarderCore

/// One thing that goes wrong, or is made to happen, with one request.
public enum Fault: Sendable, Hashable {
    /// This answer instead of the usual one.
    case answer(OriginAnswer)
    /// A page of HTML under that status, as a captive portal or a challenge page gives it.
    case html(status: Int)
    /// The usual answer, but only after `OriginServer.release`.
    case held
    /// The usual answer's head with its whole length, that many bytes of the body, and the end of the connection.
    case truncated(after: Int)
    /// The end of the connection, without a byte.
    case closed
    /// Never an answer.
    case silent
    /// These bytes as they are, and the end of the connection: for heads that are no HTTP.
    case raw(Bytes)
    /// The usual answer, its body in chunks of that size (RFC 9112 §7.1) instead of by its length.
    case chunked(size: Int)
    /// An upload: so many bytes of its body are taken, and the next ones only after `OriginServer.release`.
    case stalled(after: Int)
    /// An upload: so many bytes of its body are taken, then the connection ends.
    case cut(after: Int)
    /// An upload: this answer to the head alone.
    case early(OriginAnswer)

    /// A status without much of a body.
    public static func status(_ status: Int, _ body: String = "", fields: HeaderFields = [:]) -> Fault {
        .answer(OriginAnswer(status: status, fields: fields, body: Bytes(text: body)))
    }

    /// iTunes' way of saying "too many calls".
    public static let iTunesLimit = Fault.answer(
        OriginAnswer(status: 403, fields: ["Cache-Control": "max-age=0, no-cache, no-store"]))
}

/// The scripts and the counters of one stand-in.
final class FaultScript: Sendable {
    /// Requests kept for `requests(below:)`; counting goes on beyond them.
    private static let kept = 10_000

    private struct Waiter {
        var prefix: String
        var count: Int
        var resume: CheckedContinuation<Void, Never>
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

    /// Notes a request and takes the fault that is next for it, if any: of the longest prefix that has one.
    func arrived(_ request: OriginRequest) -> Fault? {
        let (fault, woken) = pages.withLock { pages -> (Fault?, [Waiter]) in
            // Paths are a client's choice: beyond a bound they are counted together.
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

    /// Suspends until so many requests have come below a prefix.
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

    /// Lets everyone go who still waits: nothing will come any more.
    func end() {
        let left = pages.withLock { pages in
            defer { pages.waiters = [] }
            return pages.waiters
        }
        for waiter in left { waiter.resume.resume() }
    }
}
