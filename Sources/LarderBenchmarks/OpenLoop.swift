// The open-loop load: requests fall due at a constant rate, whatever the server does, and the latency of a request
// counts from the instant at which it was due. So a stalled server is charged for all requests that would have come
// meanwhile. wrk does not do this, because it waits for its answers. The load spins on its own core, since a sleep
// would be late by as much as a hit takes.
import CLinux
import Glibc
import LarderCore

/// The result of a round of the open loop, in nanoseconds.
struct LatencyRound {
    var count: Int
    /// Requests without an answer two seconds after the end. Each counts with its age at that time.
    var unanswered: Int
    var p50: Int64
    var p99: Int64
    var p999: Int64
    var greatest: Int64

    /// The line in which the pinned child passes this to its parent.
    var line: String { "latency \(count) \(unanswered) \(p50) \(p99) \(p999) \(greatest)" }

    init?(line: String) {
        let numbers = line.split(whereSeparator: { $0 == " " || $0 == "\n" }).dropFirst().compactMap { Int64($0) }
        guard line.hasPrefix("latency "), numbers.count == 6 else { return nil }
        (count, unanswered) = (Int(numbers[0]), Int(numbers[1]))
        (p50, p99, p999, greatest) = (numbers[2], numbers[3], numbers[4], numbers[5])
    }

    init?(_ latencies: [Int64], unanswered: Int) {
        let sorted = latencies.sorted()
        guard let p50 = percentile(0.5, of: sorted), let p99 = percentile(0.99, of: sorted),
            let p999 = percentile(0.999, of: sorted), let greatest = sorted.last
        else { return nil }
        self.count = sorted.count
        self.unanswered = unanswered
        (self.p50, self.p99, self.p999, self.greatest) = (p50, p99, p999, greatest)
    }
}

/// One run of the open loop against one path. Confined to one thread.
struct OpenLoop {
    private struct Connection {
        var socket: Int32
        var dueAt: Int64 = 0
        /// How long the load had been off its core in all when the request was due, in nanoseconds.
        var absentBefore: Int64 = 0
        /// The received head bytes of the answer; empty again when the head is complete.
        var head: Bytes = []
        /// Body bytes that are still missing; nil while the head is read.
        var missing: Int?
    }

    private var connections: [Connection] = []
    /// The idle connections. The one that has been idle longest is next, so all are used alike.
    private var idle: Queue<Int> = Queue()
    /// The instant at which each waiting request was due.
    private var due: Queue<(at: Int64, absentBefore: Int64)> = Queue()
    private var latencies: [Int64] = []
    private let poller: Int32
    private let request: Bytes
    private let bodyLength: Int
    /// Requests of another kind that are sent meanwhile.
    var aside: Aside?
    /// Measures absences of the load. If it measures, requests that waited for the load rather than for the server are
    /// not counted.
    var absence = Absence()
    /// The latencies of the requests that are not counted.
    private var spoilt: [Int64] = []
    /// The number of requests that are not counted.
    var discounted: Int { spoilt.count }
    /// The p99 of all requests, including those not counted. Valid after the run.
    var p99OfAll: Int64 { percentile(0.99, of: (latencies + spoilt).sorted()) ?? 0 }

    init(port: UInt16, path: String, connections count: Int) throws(Failure) {
        request = ProbeClient.request(path, port: port)
        let reply = try ProbeClient(port: port).get(path, port: port)
        guard reply.status == 200 else { throw .failed(path, "status \(reply.status)") }
        bodyLength = reply.body.count
        poller = epoll_create1(0)
        guard poller >= 0 else { throw .failed("epoll", systemReason()) }
        for index in 0..<count {
            connections.append(Connection(socket: try ProbeClient.connect(port: port, to: poller, as: index)))
            idle.append(index)
        }
    }

    /// Sends `rate` requests a second for this many seconds. The first tenth is a warm-up and is not counted.
    mutating func run(rate: Double, seconds: Int) throws(Failure) -> LatencyRound {
        let total = Int(rate * Double(seconds))
        let interval = 1e9 / rate
        latencies.reserveCapacity(total)
        let start = monotonicNanoseconds() + 1_000_000
        aside?.begin(at: start)
        let countedFrom = start + Int64(seconds) * 100_000_000
        let giveUpAt = start + Int64(seconds) * 1_000_000_000 + 2_000_000_000
        var made = 0
        var now = start
        while made < total || !due.isEmpty || idle.count < connections.count, now < giveUpAt {
            now = monotonicNanoseconds()
            absence.look(now)
            while made < total {
                let dueAt = start + Int64(Double(made) * interval)
                if dueAt > now { break }
                due.append((dueAt, absence.sum(at: dueAt)))
                made += 1
            }
            while !due.isEmpty, let index = idle.popFirst(), let next = due.popFirst() {
                (connections[index].dueAt, connections[index].absentBefore) = next
                try send(on: index)
            }
            try readReady(countedFrom: countedFrom)
            try aside?.step(now, isOver: made == total)
        }
        let rested = idle.rest
        let left =
            due.rest.map(\.at) + connections.indices.filter { !rested.contains($0) }.map { connections[$0].dueAt }
        for dueAt in left where dueAt >= countedFrom { latencies.append(now - dueAt) }
        aside?.close()
        connections.forEach { close($0.socket) }
        close(poller)
        guard let round = LatencyRound(latencies, unanswered: left.count) else {
            throw .failed("open loop", discounted > 0 ? "the load had no core" : "a rate too low for a percentile")
        }
        return round
    }

    private mutating func send(on index: Int) throws(Failure) {
        let socket = connections[index].socket
        let sent = Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL))
        // A request of eighty bytes always fits the socket's buffer, because no other request is pending on the
        // connection.
        guard sent == request.count else { throw .failed("send", systemReason()) }
    }

    private mutating func readReady(countedFrom: Int64) throws(Failure) {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        let count = epoll_wait(poller, &events, 64, 0)
        if count > 0 { absence.look(monotonicNanoseconds()) }
        for place in 0..<Int(max(count, 0)) {
            let index = Int(larder_epoll_word(&events[place]))
            guard try readAnswer(index) else { continue }
            idle.append(index)
            let dueAt = connections[index].dueAt
            guard dueAt >= countedFrom else { continue }
            let latency = monotonicNanoseconds() - dueAt
            if absence.spoils(latency: latency, before: connections[index].absentBefore) {
                spoilt.append(latency)
            } else {
                latencies.append(latency)
            }
        }
    }

    /// Reads available bytes. Returns true when the answer is complete.
    private mutating func readAnswer(_ index: Int) throws(Failure) -> Bool {
        let failure = ProbeClient.receive(connections[index].socket, most: 262_144) { take($0, index) }
        if let failure { throw .failed("open loop", failure) }
        guard connections[index].missing == 0 else { return false }
        connections[index].missing = nil
        return true
    }

    /// Consumes bytes of an answer. Returns what is wrong with them, or nil.
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> String? {
        if let missing = connections[index].missing {
            connections[index].missing = missing - bytes.count
            return bytes.count > missing ? "an answer longer than the first" : nil
        }
        // Only the head is kept, so only the beginning of a large answer is copied.
        let old = connections[index].head.count
        connections[index].head.append(contentsOf: bytes.prefix(4096))
        guard let end = Self.headEnd(connections[index].head, from: max(old - 3, 0)) else {
            return connections[index].head.count > 4096 || bytes.count > 4096 ? "a head without end" : nil
        }
        guard connections[index].head.starts(with: "HTTP/1.1 200 ".utf8) else { return "an answer that is not 200" }
        let body = bytes.count - (end - old)
        connections[index].head.removeAll(keepingCapacity: true)
        connections[index].missing = bodyLength - body
        return body > bodyLength ? "an answer longer than the first" : nil
    }

    private static func headEnd(_ bytes: Bytes, from start: Int) -> Int? {
        var place = start
        while place + 3 < bytes.count {
            if bytes[place + 3] > 13 {
                place += 4
            } else if bytes[place] == 13, bytes[place + 1] == 10, bytes[place + 2] == 13, bytes[place + 3] == 10 {
                return place + 4
            } else {
                place += 1
            }
        }
        return nil
    }
}

/// A first-in, first-out queue that does not move its other elements.
struct Queue<Element> {
    private var items: [Element] = []
    private var first = 0

    var count: Int { items.count - first }
    var isEmpty: Bool { count == 0 }
    var rest: [Element] { Array(items[first...]) }

    mutating func append(_ item: Element) { items.append(item) }

    mutating func popFirst() -> Element? {
        guard first < items.count else { return nil }
        let item = items[first]
        first += 1
        if first == 4096 {
            items.removeFirst(first)
            first = 0
        }
        return item
    }
}
