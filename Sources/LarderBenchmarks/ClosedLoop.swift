// The closed loop: a number of connections, each of which requests the next object when its answer is complete. Every
// byte of every answer is compared with the origin's body for that name. It uses one thread and one epoll instance, on
// its own core.
import CLinux
import Glibc
import LarderCore

/// The result of a run of the closed loop. Times are in nanoseconds.
struct LoadRound {
    var count = 0
    var elapsed: Int64 = 1
    var p50: Int64 = 0
    var p99: Int64 = 0
    var p999: Int64 = 0
    var greatest: Int64 = 0
    var bytes = 0
    /// The objects that the server reported as stored, or answered from its store, and when it first did so. Only for
    /// tolerant runs.
    var acknowledged = Acknowledged()

    var perSecond: Double { Double(count) * 1e9 / Double(max(elapsed, 1)) }

    /// The lines in which the pinned child passes this to its parent.
    var lines: String {
        "load \(count) \(elapsed) \(p50) \(p99) \(p999) \(greatest) \(bytes)\n\(acknowledged.line)"
    }

    init() {}

    init?(lines: String) {
        let rows = lines.split(separator: "\n").map { $0.split(separator: " ") }
        guard rows.count == 2, rows[0].first == "load", let acknowledged = Acknowledged(rows[1]) else { return nil }
        let numbers = rows[0].dropFirst().compactMap { Int($0) }
        guard numbers.count == 7 else { return nil }
        (count, bytes) = (numbers[0], numbers[6])
        (elapsed, p50, p99) = (Int64(numbers[1]), Int64(numbers[2]), Int64(numbers[3]))
        (p999, greatest) = (Int64(numbers[4]), Int64(numbers[5]))
        self.acknowledged = acknowledged
    }
}

struct ClosedLoop {
    private struct Connection {
        var socket: Int32
        var object = OriginObject(kind: .image, size: 0, id: 0)
        var sentAt: Int64 = 0
        var head: Bytes = []
        /// The number of received body bytes; nil while the head is read.
        var place: Int?
    }

    private let port: UInt16
    private let sizes: ObjectSizes
    private var sequence: ObjectSequence
    /// Whether the server may end during the run. Then the run ends too, and returns the acknowledgements until then.
    private let isTolerant: Bool
    private let pool = Pool()
    private var connections: [Connection] = []
    private var latencies: [Int64] = []
    private var round = LoadRound()
    private let poller: Int32

    init(
        port: UInt16, sizes: ObjectSizes, order: Order, connections count: Int, isTolerant: Bool
    ) throws(Failure) {
        self.port = port
        self.sizes = sizes
        self.isTolerant = isTolerant
        sequence = ObjectSequence(order)
        poller = epoll_create1(0)
        guard poller >= 0 else { throw .failed("epoll", systemReason()) }
        for index in 0..<count {
            connections.append(Connection(socket: try ProbeClient.connect(port: port, to: poller, as: index)))
        }
    }

    /// Requests `count` objects, or fewer if this many seconds are over before.
    mutating func run(count: Int, seconds: Int) throws(Failure) -> LoadRound {
        latencies.reserveCapacity(min(count, 4_000_000))
        let start = monotonicNanoseconds()
        let deadline = start + Int64(seconds) * 1_000_000_000
        // An answer that takes longer than this counts as lost. In nanoseconds.
        let patience: Int64 = 30_000_000_000
        var asked = 0
        var waiting = 0
        var now = start
        do throws(Failure) {
            for index in connections.indices where asked < count {
                try ask(index)
                (asked, waiting) = (asked + 1, waiting + 1)
            }
            var events = [epoll_event](repeating: epoll_event(), count: 64)
            var lastAnswer = start
            while waiting > 0 {
                let ready = epoll_wait(poller, &events, 64, 1000)
                now = monotonicNanoseconds()
                if ready > 0 { lastAnswer = now }
                if now - lastAnswer > patience { throw .failed("load", "no answer for 30 s") }
                for event in 0..<Int(max(ready, 0)) {
                    let index = Int(larder_epoll_word(&events[event]))
                    guard try readAnswer(index) else { continue }
                    waiting -= 1
                    guard asked < count, now < deadline else { continue }
                    try ask(index)
                    (asked, waiting) = (asked + 1, waiting + 1)
                }
            }
        } catch {
            guard isTolerant, case .failed("server", _) = error else { throw error }
        }
        round.elapsed = now - start
        connections.forEach { close($0.socket) }
        close(poller)
        let sorted = latencies.sorted()
        round.count = sorted.count
        (round.p50, round.p99) = (percentile(0.5, of: sorted) ?? 0, percentile(0.99, of: sorted) ?? 0)
        (round.p999, round.greatest) = (percentile(0.999, of: sorted) ?? 0, sorted.last ?? 0)
        return round
    }

    private mutating func ask(_ index: Int) throws(Failure) {
        let object = sizes.object(sequence.next())
        connections[index].object = object
        connections[index].sentAt = monotonicNanoseconds()
        let request = ProbeClient.request(object.path, port: port)
        // A request of a hundred bytes always fits the socket's buffer, because no other request is pending on the
        // connection.
        let sent = send(connections[index].socket, request, request.count, Int32(MSG_NOSIGNAL))
        guard sent == request.count else { throw .failed("server", systemReason()) }
    }

    /// Reads available bytes. Returns true when the answer is complete.
    private mutating func readAnswer(_ index: Int) throws(Failure) -> Bool {
        var failure: Failure?
        let socket = connections[index].socket
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 262_144) { chunk in
            let got = recv(socket, chunk.baseAddress, chunk.count, 0)
            if got > 0 {
                failure = take(UnsafeBufferPointer(rebasing: chunk[..<got]), index)
            } else if got == 0 || (errno != EAGAIN && errno != EINTR) {
                failure = .failed("server", got == 0 ? "closed a connection" : systemReason())
            }
        }
        if let failure { throw failure }
        guard connections[index].place == connections[index].object.size else { return false }
        latencies.append(monotonicNanoseconds() - connections[index].sentAt)
        round.bytes += connections[index].object.size
        connections[index].place = nil
        return true
    }

    /// Consumes bytes of an answer. Returns what is wrong with them, or nil.
    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Failure? {
        let object = connections[index].object
        var body = bytes
        if connections[index].place == nil {
            let old = connections[index].head.count
            connections[index].head.append(contentsOf: bytes.prefix(8192))
            guard let end = ProbeClient.headEnd(connections[index].head) else {
                return connections[index].head.count > 8192 ? .failed(object.path, "a head without end") : nil
            }
            if let fault = readHead(connections[index].head.prefix(end), object) { return .failed(object.path, fault) }
            connections[index].head.removeAll(keepingCapacity: true)
            connections[index].place = 0
            body = UnsafeBufferPointer(rebasing: bytes[(end - old)...])
        }
        let place = connections[index].place ?? 0
        connections[index].place = place + body.count
        guard place + body.count <= object.size else { return .failed(object.path, "an answer that is too long") }
        return pool.matches(body, of: object, at: place) ? nil : .failed(object.path, "a wrong byte")
    }

    /// Returns what is wrong with a head, or nil. Records what the head acknowledges.
    private mutating func readHead(_ head: ArraySlice<UInt8>, _ object: OriginObject) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200 ") else { return String(text.prefix { $0 != "\r\n" }) }
        var length: Int?
        for line in text.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = ASCII.trimmed(line[line.index(after: colon)...])
            switch line[..<colon].lowercased() {
            case "content-length": length = Int(value)
            case "cache-status" where isTolerant:
                let words = value.split(separator: ";").map { ASCII.trimmed($0) }
                guard words.contains("stored") || words.contains("hit") else { continue }
                round.acknowledged.note(object.id, at: monotonicNanoseconds())
            default: break
            }
        }
        return length == object.size ? nil : "Content-Length \(length.map(String.init) ?? "absent")"
    }
}
