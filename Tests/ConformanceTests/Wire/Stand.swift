// The environment of a clause: a daemon with one pass-through provider, a scripted origin, and clients that send raw
// bytes.
import LarderCore
import LarderTestSupport
import Testing

/// How a client reaches the provider.
enum Door: String, Sendable, CaseIterable {
    /// `/raw/api/…` of Larder's own interface.
    case raw
    /// A listener that serves the provider at its root.
    case listener
}

struct Stand: Sendable {
    let larder: RunningLarder
    let origin: WireOrigin
    let time: ManualTime
    /// The prefix of the provider's paths.
    let root: String
    private let address: String
    private let targetsMade = Tally()

    private init(_ larder: RunningLarder, _ origin: WireOrigin, _ time: ManualTime, _ door: Door) {
        self.larder = larder
        self.origin = origin
        self.time = time
        root = door == .raw ? "/raw/api" : ""
        address = larder.addresses[door == .raw ? 0 : 1]
    }

    /// Runs one clause through one door, on its own stand.
    static func show(_ clause: WireClause, through door: Door) async throws {
        let origin = WireOrigin()
        defer { origin.stop() }
        let time = ManualTime()
        let settings = """
            providers: { api: { kind: passthrough, baseURL: "\(clause.origin ?? "http://127.0.0.1:\(origin.port)")" } }
            \(clause.settings)
            """
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        let timers: any TimeSource = clause.setsTimers ? time : SystemTime()
        try await withLarder(settings, listen: listen, time: time, timers: timers) { larder in
            try await clause.show(Stand(larder, origin, time, door))
            // Requests that still wait for the origin end now instead of at the daemon's deadlines.
            origin.stop()
        }
    }

    // MARK: The origin

    /// From now on, every complete request is answered with these bytes.
    func answers(_ text: String) { answers(wireBytes(text)) }
    func answers(_ bytes: Bytes) {
        converses { wire in
            _ = try wire.readRequest()
            try wire.send(bytes)
        }
    }
    func answers(_ answer: @escaping @Sendable (WireMessage) -> String) {
        converses { wire in try wire.send(answer(try wire.readRequest())) }
    }
    /// From now on, this conversation answers every request after its head is read.
    func converses(_ conversation: @escaping WireOrigin.Conversation) { origin.converse(conversation) }

    /// The origin sends text on its newest connection without a request.
    func sayUnasked(_ text: String) { origin.sayUnasked(text) }

    /// Stops the origin. Its port refuses connections.
    func closes() { origin.stop() }

    /// Advances the clock until no failure is remembered.
    func recovers() { time.advance(by: .seconds(7200)) }

    func advance(seconds: Int) { time.advance(by: .seconds(seconds)) }

    var calls: Int { origin.requests.count }

    var lastRequest: WireMessage { origin.requests.last ?? WireMessage(head: []) }

    /// The first request for this target.
    func requestFor(_ target: String) -> WireMessage {
        origin.requests.first { $0.target == target } ?? WireMessage(head: [])
    }

    func expectCalls(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            origin.requests.count == count, "asked: \(origin.requests.map(\.startLine))", sourceLocation: sourceLocation
        )
    }

    /// Expects this many requests with complete content.
    func expectWholeRequests(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let whole = origin.requests.filter(\.isWhole)
        #expect(whole.count == count, "\(whole)", sourceLocation: sourceLocation)
    }

    func expectOneRequestEachConnection(sourceLocation: SourceLocation = #_sourceLocation) {
        let numbers = origin.requests.map(\.connection)
        #expect(Set(numbers).count == numbers.count, "\(numbers)", sourceLocation: sourceLocation)
    }

    // MARK: Clients

    func request(_ method: String, _ target: String, _ fields: String = "") -> String {
        "\(method) \(root)\(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    /// A path that was not requested before.
    func fresh() -> String {
        targetsMade.add()
        return "/fresh-\(targetsMade.count)"
    }

    func client() throws -> Wire { try Wire(to: address) }

    /// Runs a conversation over one connection, on its own thread.
    func talk<Result: Sendable>(_ body: @escaping @Sendable (Wire) throws -> Result) async throws -> Result {
        let address = address
        return try await onOwnThread {
            let client = try Wire(to: address)
            defer { client.close() }
            return try body(client)
        }
    }

    @discardableResult
    func ask(_ method: String, _ target: String, _ fields: String = "", body: String = "") async throws -> WireMessage {
        try await exchange(request(method, target, fields) + body)
    }

    @discardableResult
    func get(_ target: String) async throws -> WireMessage { try await ask("GET", target) }

    /// The response to exactly these bytes.
    @discardableResult
    func exchange(_ bytes: String) async throws -> WireMessage { try await pipeline([bytes])[0] }

    /// The response of Larder's own interface, whatever the door.
    func askInterface(_ bytes: String) async throws -> WireMessage {
        let address = larder.address
        return try await onOwnThread {
            let client = try Wire(to: address)
            defer { client.close() }
            try client.send(bytes)
            return try client.receive()
        }
    }

    /// The responses to requests that are all sent before the first response is read.
    func pipeline(_ requests: [String]) async throws -> [WireMessage] {
        try await talk { client in
            try client.send(requests.joined())
            return try requests.map { try client.receive(to: $0.hasPrefix("HEAD ") ? "HEAD" : "GET") }
        }
    }

    /// Sends a body with a Content-Length or in chunks of several sizes.
    @discardableResult
    func send(_ method: String, _ target: String, _ body: Bytes, chunked: Bool) async throws -> WireMessage {
        let fields = chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(body.count)\r\n"
        let head = request(method, target, fields)
        return try await talk { client in
            try client.send(head)
            try client.send(chunked ? inChunks(body, [1, 70_001, 4096]) : body)
            return try client.receive()
        }
    }

    /// The response to a request, possibly truncated; nil if no head arrived.
    func outcome(_ bytes: String) async throws -> WireMessage? {
        try await talk { client in
            try client.send(bytes)
            return try? client.receive(to: bytes.hasPrefix("HEAD ") ? "HEAD" : "GET")
        }
    }

    /// Sends a request, reads at least this much of the body, calls `next`, and reads the rest.
    func read(
        _ target: String, atLeast count: Int, then next: @escaping @Sendable () -> Void = {}
    ) async throws -> WireMessage {
        try await talk { client in
            try client.send(request("GET", target))
            let head = try client.receiveHead()
            let first = try client.receiveBody(head, atLeast: count)
            next()
            return client.receiveRest(of: head, after: first)
        }
    }

    /// Sends a request, reads at least this much of the body, calls `next`, and resets the connection.
    func leave(_ target: String, atLeast count: Int, then next: @escaping @Sendable () -> Void = {}) async throws {
        try await talk { client in
            try client.send(request("GET", target))
            let head = try client.receiveHead()
            _ = try client.receiveBody(head, atLeast: count)
            next()
            client.reset()
        }
    }

    /// Waits until the daemon has no fetch under way.
    func settles() async throws {
        try await larder.eventually("nothing is under way") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }
}

/// Expects that an incomplete body does not look complete: the connection is cut, or, if no head was sent, the status
/// is 502.
func expectCutOr502(_ outcome: WireMessage?, sourceLocation: SourceLocation = #_sourceLocation) {
    guard let outcome else {
        Issue.record("the connection ended without an answer", sourceLocation: sourceLocation)
        return
    }
    let isHonest = outcome.status == 502 ? outcome.isWhole : !outcome.isWhole
    #expect(isHonest, "\(outcome)", sourceLocation: sourceLocation)
}
