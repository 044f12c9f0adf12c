// Sends requests of another kind beside a load of hits, at a constant low rate, on their own connections. The same
// spinning thread sends both, so no second load shares its core. An answer of an unexpected kind ends the run.
import CLinux
import Glibc
import LarderCore

/// The result of the requests beside the load. Times are in nanoseconds.
struct AsideRound {
    var sent = 0
    var answered = 0
    var p50: Int64 = 0
    var greatest: Int64 = 0
}

struct Aside {
    /// The number of connections. A request waits while none is idle.
    static let connections = 32

    private struct Connection {
        var socket: Int32
        var dueAt: Int64 = 0
        var head: Bytes = []
        /// Body bytes that are still missing; nil while the head is read.
        var missing: Int?
    }

    private let port: UInt16
    private let plan: StallPlan
    private let isSilent: Bool
    private let interval: Double
    private let first: Int
    private let poller: Int32
    private var connections: [Connection] = []
    private var idle: Queue<Int> = Queue()
    private var start: Int64 = 0
    private var latencies: [Int64] = []
    private var sent = 0

    /// - Parameters:
    ///   - rate: requests a second; 0 does the same work without sending.
    ///   - first: the number of the first request.
    init(port: UInt16, plan: StallPlan, rate: Double, first: Int) throws(Failure) {
        (self.port, self.plan, self.first) = (port, plan, first)
        isSilent = rate == 0
        interval = isSilent ? 0 : 1e9 / rate
        poller = epoll_create1(0)
        guard poller >= 0 else { throw .failed("epoll", systemReason()) }
        for index in 0..<Self.connections {
            connections.append(Connection(socket: try ProbeClient.connect(port: port, to: poller, as: index)))
            idle.append(index)
        }
    }

    mutating func begin(at start: Int64) { self.start = start }

    /// Performs one turn: sends the requests that are due and reads available answers.
    ///
    /// - Parameter isOver: whether no more requests are sent.
    mutating func step(_ now: Int64, isOver: Bool) throws(Failure) {
        while !isOver, !isSilent, case let dueAt = start + Int64(Double(sent) * interval), dueAt <= now,
            let index = idle.popFirst()
        {
            let request = ProbeClient.request(plan.path(first + sent), port: port)
            connections[index].dueAt = dueAt
            sent += 1
            guard Glibc.send(connections[index].socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
            else { throw .failed("send", systemReason()) }
        }
        var events = [epoll_event](repeating: epoll_event(), count: 8)
        for place in 0..<Int(max(epoll_wait(poller, &events, 8, 0), 0)) {
            let index = Int(larder_epoll_word(&events[place]))
            guard try readAnswer(index) else { continue }
            latencies.append(monotonicNanoseconds() - connections[index].dueAt)
            idle.append(index)
        }
    }

    /// Closes all connections, even if answers are still missing.
    func close() {
        connections.forEach { Glibc.close($0.socket) }
        Glibc.close(poller)
    }

    var round: AsideRound {
        let sorted = latencies.sorted()
        return AsideRound(
            sent: sent, answered: sorted.count, p50: percentile(0.5, of: sorted) ?? 0, greatest: sorted.last ?? 0)
    }

    /// Reads available bytes. Returns true when the answer is complete.
    private mutating func readAnswer(_ index: Int) throws(Failure) -> Bool {
        let failure = ProbeClient.receive(connections[index].socket, most: 65_536) { take($0, index) }
        if let failure { throw .failed("beside the load", failure) }
        guard connections[index].missing == 0 else { return false }
        connections[index].missing = nil
        return true
    }

    /// Consumes bytes of an answer. Returns what is wrong with them, or nil.
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> String? {
        if let missing = connections[index].missing {
            connections[index].missing = missing - bytes.count
            return bytes.count > missing ? "an answer that is too long" : nil
        }
        let old = connections[index].head.count
        connections[index].head.append(contentsOf: bytes.prefix(8192))
        guard let end = ProbeClient.headEnd(connections[index].head) else {
            return connections[index].head.count > 8192 ? "a head without end" : nil
        }
        let head = Bytes(connections[index].head[..<end]).lossyText
        connections[index].head.removeAll(keepingCapacity: true)
        guard plan.cause.isExpected(head) else { return "an answer of another kind: \(head.prefix { $0 != "\r\n" })" }
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        guard let length = line.flatMap({ Int(ASCII.trimmed($0.dropFirst("content-length:".count))) }) else {
            return "an answer without Content-Length"
        }
        let body = bytes.count - (end - old)
        connections[index].missing = length - body
        return body > length ? "an answer that is too long" : nil
    }
}
