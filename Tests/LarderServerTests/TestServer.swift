import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderServer

/// Answers with the response that a closure makes.
struct Answering: RequestHandler {
    /// Bodies of requests below this path are streamed.
    var streamsBelow: String?
    var body: @Sendable (ServerRequest) async -> ServerResponse

    init(streamsBelow: String? = nil, body: @escaping @Sendable (ServerRequest) async -> ServerResponse) {
        self.streamsBelow = streamsBelow
        self.body = body
    }

    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool {
        streamsBelow.map { path.hasPrefix($0) } ?? false
    }

    func respond(to request: ServerRequest) async -> ServerResponse { await body(request) }

    /// Answers with what was asked: method, path, query and body.
    static let echo = Answering { request in
        let text = "\(request.method) \(request.path) \(request.query ?? "-") \(request.body.lossyText)"
        return ServerResponse(
            status: 200, fields: ["Content-Type": "text/plain"], body: .bytes(Bytes(text: text)), outcome: .miss,
            route: RouteName("echo"))
    }
}

/// Answers without a task, when its test says so.
final class Posting: RequestHandler {
    /// What answers the request in hand.
    let answer = Hook<(@Sendable (ServerResponse) -> Void)?>(nil)
    let cancelled = CounterCell()

    func respond(to request: ServerRequest) async -> ServerResponse { ServerResponse(status: 500) }

    func begin(
        _ request: ServerRequest, on loop: EventLoop, _ done: @escaping @Sendable (ServerResponse) -> Void
    ) -> @Sendable () -> Void {
        answer.set { response in loop.post { done(response) } }
        return { [cancelled] in cancelled.add() }
    }
}

/// Holds ready responses by target.
final class StubReady: ReadySource {
    private let responses: [Bytes: ReadyResponse]
    let asked = CounterCell()

    init(_ bodies: [String: Bytes], now: WallTime, age: Int64 = 7, ttl: Int64 = 60) {
        var responses: [Bytes: ReadyResponse] = [:]
        for (target, body) in bodies {
            let head = Bytes(text: "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nX-Target: \(target)\r\n")
            responses[Bytes(text: target)] = ReadyResponse(
                head: head, body: body, bornAt: WallTime(milliseconds: now.milliseconds - age * 1000),
                freshUntil: WallTime(milliseconds: now.milliseconds + ttl * 1000), hits: CounterCell())
        }
        self.responses = responses
    }

    func ready(_ query: ReadyQuery) -> ReadyResponse? {
        asked.add()
        return responses[Bytes(query.target)]
    }

    func hits(_ target: String) -> Int { responses[Bytes(text: target)]?.hits.current ?? -1 }
}

/// Keeps log lines.
final class LogBook: LogSink {
    private let lines = Lock<[String]>([])
    func write(_ line: LogLine) {
        let values = line.values.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        lines.withLock { $0.append("\(line.label) \(line.message) \(values)") }
    }
    var all: [String] { lines.withLock { $0 } }
}

/// A server for one test, on a port chosen by the kernel.
struct TestServer {
    let server: HTTPServer
    let loops: [EventLoop]
    let addresses: [Address]
    let clock: ManualTime?
    let counters: CounterRegistry
    let log: LogBook

    var address: Address { addresses[0] }

    /// Advances the clock and lets every loop see it.
    func advance(_ duration: Duration) async {
        clock?.advance(by: duration)
        // Two turns, because work started by timers of the first turn is complete after the second.
        for _ in 0..<2 {
            for loop in loops {
                await handover { continuation in loop.post { continuation.resume() } }
            }
        }
    }

    func count(_ family: MetricFamily, _ labels: String...) -> Int {
        Int(counters.snapshot().first { $0.family.name == family.name && $0.labels == labels }?.value ?? -1)
    }
}

/// Starts a server, runs the body, and stops the server even if the body throws. The body runs on its own thread,
/// because its clients block: on the shared pool they would delay the tasks that they wait for.
func withServer(
    loops count: Int = 1, listeners: [ListenerSpec]? = nil, ready: (any ReadySource)? = nil,
    handler: any RequestHandler = Answering.echo, settings: ServerSettings = ServerSettings(),
    clock: ManualTime? = nil, _ body: (TestServer) async throws -> Void
) async throws {
    let time: any TimeSource = clock ?? SystemTime()
    var loops: [EventLoop] = []
    for index in 0..<count {
        loops.append(try EventLoop(name: "test-\(index)", index: UInt16(index), time: time))
    }
    let counters = CounterRegistry()
    let log = LogBook()
    let specs = try listeners ?? [ListenerSpec(address: Address("127.0.0.1:0"), number: 3)]
    let server = HTTPServer(
        loops: loops, listeners: specs, ready: ready, handler: handler, settings: settings,
        log: Logger(label: "server", sink: log, time: time), counters: counters, time: time)
    for loop in loops { try loop.start() }
    func stop() async {
        await server.drain(deadline: .zero)
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
    }
    let own = try EventLoop(name: "test-body", index: 0)
    try own.start()
    defer {
        own.stop()
        own.join()
    }
    do {
        let addresses = try server.start()
        try await withTaskExecutorPreference(own) {
            try #require(own.isCurrent)
            try await body(
                TestServer(
                    server: server, loops: loops, addresses: addresses, clock: clock, counters: counters, log: log))
        }
    } catch {
        await stop()
        throw error
    }
    await stop()
}

/// A client that sends exactly what it is told, on its own socket.
final class RawClient {
    let descriptor: Int32
    private var received: Bytes = []

    init(_ address: Address) throws {
        descriptor = try Socket.connect(to: address)
        // No response in these tests takes long. A missing response must fail and not hang.
        setReceiveTimeout(descriptor, seconds: 60)
    }

    deinit {
        Syscall.close(descriptor)
    }

    func send(_ text: String) { send(Bytes(text: text)) }

    func send(_ bytes: Bytes) {
        var sent = 0
        while sent < bytes.count {
            guard case .bytes(let count) = bytes[sent...].withUnsafeBytes({ Syscall.send(descriptor, $0) }) else {
                return
            }
            sent += count
        }
    }

    /// Makes the end of this client a reset. Over TCP only a reset tells the server that nobody reads any more.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func endSending() { Syscall.shutdownWrite(descriptor) }

    /// Waits until the server's socket holds everything that was sent. `send` may return before that.
    func awaitDelivery() throws { try LarderTestSupport.awaitDelivery(of: descriptor) }

    /// Whether unread bytes have arrived or the server has ended the connection.
    var hasInput: Bool { !received.isEmpty || Syscall.isReadable(descriptor) }

    /// Waits for more bytes. False at the end, or if nothing comes.
    @discardableResult
    private func receive() -> Bool {
        if case .bytes = transfer(into: &received) { true } else { false }
    }

    /// One response: the lines of its head, and as much body as its length says.
    func response(toHead: Bool = false) throws -> RawResponse {
        while true {
            if let end = Self.headEnd(received) {
                var response = RawResponse(head: received[..<end].map { $0 })
                let length = toHead || [100, 204, 304].contains(response.status) ? 0 : response.length ?? 0
                while received.count < end + length { try #require(receive(), "the body was cut") }
                response.body = Bytes(received[end..<end + length])
                received.removeFirst(end + length)
                return response
            }
            try #require(receive(), "no response; so far: \(received.lossyText)")
        }
    }

    private static func headEnd(_ bytes: Bytes) -> Int? {
        let mark = Bytes(text: "\r\n\r\n")
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { bytes[$0] == 13 && Bytes(bytes[$0..<$0 + 4]) == mark }.map { $0 + 4 }
    }

    /// Waits for more bytes and appends them to `bytes`. `response` does not see them.
    func transfer(into bytes: inout Bytes) -> Transfer {
        var buffer = Bytes(repeating: 0, count: 65_536)
        let transfer = buffer.withUnsafeMutableBytes { Syscall.receive(descriptor, into: $0) }
        if case .bytes(let count) = transfer { bytes += buffer[..<count] }
        return transfer
    }

    /// How the server ends the connection, whatever it sends before.
    func end() -> Transfer {
        var bytes = Bytes()
        while true {
            let transfer = transfer(into: &bytes)
            guard case .bytes = transfer else { return transfer }
        }
    }

    /// Everything until the server ends the connection.
    func rest() -> String {
        while receive() {}
        return received.lossyText
    }

    /// Whether the server ended the connection without another byte.
    func isEnded() -> Bool { rest().isEmpty }

    func get(_ target: String, fields: String = "") throws -> RawResponse {
        send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        return try response()
    }
}

struct RawResponse {
    var status = 0
    var fields: HeaderFields = [:]
    var body: Bytes = []
    var length: Int? { fields.first("Content-Length").flatMap { Int($0) } }
    var text: String { body.lossyText }

    init(head: Bytes) {
        let lines = head.lossyText.split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.add(String(line[..<colon]), String(ASCII.trimmed(line[line.index(after: colon)...])))
        }
    }
}
