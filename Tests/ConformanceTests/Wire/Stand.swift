// Where a clause is shown: a daemon with one pass-through provider, an origin that says what it is told to, and clients
// that speak bytes.
import LarderCore
import LarderTestSupport
import Testing

/// How a client reaches the provider.
enum Door: String, Sendable, CaseIterable {
    /// `/raw/api/…` of Larder's own interface.
    case raw
    /// A listener that is bound to the provider's root.
    case listener
}

struct Stand: Sendable {
    let larder: RunningLarder
    let origin: WireOrigin
    let time: ManualTime
    /// What precedes a path of the provider's.
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

    /// Shows one clause through one door, on a stand of its own.
    static func show(_ clause: WireClause, through door: Door) async throws {
        let origin = WireOrigin()
        defer { origin.stop() }
        let time = ManualTime()
        let settings = """
            providers: { api: { kind: passthrough, baseURL: "\(clause.origin ?? "http://127.0.0.1:\(origin.port)")" } }
            \(clause.settings)
            """
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(settings, listen: listen, time: clause.systemTime ? SystemTime() : time) { larder in
            try await clause.show(Stand(larder, origin, time, door))
            // Whoever still waits for the origin need not wait for the daemon's own deadlines.
            origin.stop()
        }
    }

    // MARK: The origin

    /// From now on every request, once it is whole, is answered with these bytes.
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
    /// From now on every request is answered by this, called when its head is there.
    func converses(_ conversation: @escaping WireOrigin.Conversation) { origin.converse(conversation) }

    /// The origin says something on its last connection that nobody asked for.
    func sayUnasked(_ text: String) { origin.sayUnasked(text) }

    /// The origin is gone: its port refuses.
    func closes() { origin.stop() }

    /// Lets so much time pass that no failure is remembered any more.
    func recovers() { time.advance(by: .seconds(7200)) }

    func advance(seconds: Int) { time.advance(by: .seconds(seconds)) }

    var calls: Int { origin.requests.count }

    var lastRequest: WireMessage { origin.requests.last ?? WireMessage(head: []) }

    /// The request of that target.
    func requestFor(_ target: String) -> WireMessage {
        origin.requests.first { $0.target == target } ?? WireMessage(head: [])
    }

    func expectCalls(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            origin.requests.count == count, "asked: \(origin.requests.map(\.startLine))", sourceLocation: sourceLocation
        )
    }

    /// So many requests came with all of their content.
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

    /// A path that was not asked for before.
    func fresh() -> String {
        targetsMade.add()
        return "/fresh-\(targetsMade.count)"
    }

    func client() throws -> Wire { try Wire(to: address) }

    /// A conversation over one connection, on a thread of its own.
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

    /// The answer to exactly these bytes.
    @discardableResult
    func exchange(_ bytes: String) async throws -> WireMessage { try await pipeline([bytes])[0] }

    /// The answer of Larder's own interface, whatever the door.
    func askInterface(_ bytes: String) async throws -> WireMessage {
        let address = larder.address
        return try await onOwnThread {
            let client = try Wire(to: address)
            defer { client.close() }
            try client.send(bytes)
            return try client.receive()
        }
    }

    /// The answers to requests that are all sent before the first is read.
    func pipeline(_ requests: [String]) async throws -> [WireMessage] {
        try await talk { client in
            try client.send(requests.joined())
            return try requests.map { try client.receive(to: $0.hasPrefix("HEAD ") ? "HEAD" : "GET") }
        }
    }

    /// Sends a body, by its length or in chunks of several sizes.
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

    /// What becomes of a request whose answer may be cut; nil where not even a head came.
    func outcome(_ bytes: String) async throws -> WireMessage? {
        try await talk { client in
            try client.send(bytes)
            return try? client.receive(to: bytes.hasPrefix("HEAD ") ? "HEAD" : "GET")
        }
    }

    /// Asks, takes so much of the body, does something, and takes what is left of it.
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

    /// Asks, takes so much of the body, does something, and leaves.
    func leave(_ target: String, atLeast count: Int, then next: @escaping @Sendable () -> Void = {}) async throws {
        try await talk { client in
            try client.send(request("GET", target))
            let head = try client.receiveHead()
            _ = try client.receiveBody(head, atLeast: count)
            next()
            client.reset()
        }
    }

    /// Waits until the daemon has nothing under way.
    func settles() async throws {
        try await larder.eventually("nothing is under way") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }
}

/// A body that could not come whole must not look whole: the connection is cut, or, where nothing of the head had gone
/// out, 502 is answered.
func expectCutOr502(_ outcome: WireMessage?, sourceLocation: SourceLocation = #_sourceLocation) {
    guard let outcome else {
        Issue.record("the connection ended without an answer", sourceLocation: sourceLocation)
        return
    }
    let isHonest = outcome.status == 502 ? outcome.isWhole : !outcome.isWhole
    #expect(isHonest, "\(outcome)", sourceLocation: sourceLocation)
}
