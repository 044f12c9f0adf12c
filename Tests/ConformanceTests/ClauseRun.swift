// Runs one clause with its own daemon, an origin that the clause scripts and a clock that the clause sets. A failure
// prints the whole conversation.
import LarderCore
import LarderTestSupport
import Testing

extension Clause {
    /// Runs the scenario. A failed expectation is recorded together with the whole conversation.
    func run(at location: SourceLocation = #_sourceLocation) async throws {
        try await ClauseRun(self, location).run()
    }
}

final class ClauseRun: Sendable {
    private let clause: Clause
    private let location: SourceLocation
    private let time = ManualTime()
    private struct State {
        var transcript: [String] = []
        /// Responses not given yet, by path; "" stands for any path.
        var waiting: [String: [Answer]] = [:]
        var last: [String: Answer] = [:]
        var counts: [String: Int] = [:]
        var requests: [(target: String, message: Message)] = []
        var gates: [String: Gate] = [:]
        var started: [String: Task<WireResponse, any Error>] = [:]
    }
    private let state = Lock(State())

    init(_ clause: Clause, _ location: SourceLocation) {
        self.clause = clause
        self.location = location
    }

    func run() async throws {
        let origin = ScriptedOrigin { [self] request in acts(for: request) }
        defer { origin.stop() }
        // Only the clock and the responses of the scenario must have an effect.
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", rate: off, quota: off\(clause.settings) } }
            fetch: { failurePause: 0s }
            """
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        do {
            try await withLarder(configuration, listen: listen, time: time) { larder in
                for step in clause.steps { try await perform(step, larder, origin) }
                let left = state.withLock { $0.started.keys.sorted() }
                if !left.isEmpty { fail("requests never finished: \(left)") }
            }
        } catch {
            fail("\(error)")
        }
    }

    // MARK: Steps

    private func perform(_ step: Step, _ larder: RunningLarder, _ origin: ScriptedOrigin) async throws {
        switch step {
        case .answer(let answer):
            state.withLock { $0.waiting[answer.path ?? "", default: []].append(answer) }
        case .exchange(let ask, let checks):
            let response = try await exchange(ask, larder, origin)
            verify(Message(response), checks, "the answer")
            if state.withLock({ $0.started.isEmpty }) { try await settle(larder) }
        case .attempt(let ask):
            do {
                _ = try await exchange(ask, larder, origin)
            } catch {
                note("client <", "\(error)")
            }
            try await settle(larder)
        case .start(let name, let ask):
            let bytes = placeholders(origin).fill(ask.bytes)
            note("client \(name) >", bytes)
            let address = larder.addresses[1]
            let task = Task { try await Self.converse(bytes, ask.isHead, address) }
            state.withLock { $0.started[name] = task }
        case .finish(let name, let checks):
            guard let task = state.withLock({ $0.started.removeValue(forKey: name) }) else {
                return fail("no request is called \(name)")
            }
            let response = try await task.value
            note("client \(name) <", "\(response)")
            verify(Message(response), checks, "the answer to \(name)")
            if state.withLock({ $0.started.isEmpty }) { try await settle(larder) }
        case .crowd(let crowd): try await gather(crowd, larder, origin)
        case .pass(let seconds):
            note("time", "\(seconds) s pass")
            time.advance(by: .seconds(seconds))
        case .open(let name):
            note("gate", "\(name) opens")
            gate(name).open()
        case .reaches(let count, let path):
            try await larder.eventually("\(count) requests reach the origin") { seen(path).count >= count }
        case .joins(let count):
            try await larder.eventually("\(count) requests have joined a fetch") {
                try await larder.counter("larder_joined_total") >= count
            }
        case .saw(let count, let path):
            let found = seen(path).count
            if found != count { fail("the origin has received \(found) requests and not \(count)") }
        case .received(let number, let path, let checks):
            let requests = seen(path)
            guard requests.count >= number else {
                return fail("the origin has received \(requests.count) requests, of which none is number \(number)")
            }
            verify(requests[number - 1], checks, "request \(number) at the origin")
        case .settle:
            try await settle(larder)
        }
    }

    private func exchange(_ ask: Ask, _ larder: RunningLarder, _ origin: ScriptedOrigin) async throws -> WireResponse {
        let bytes = placeholders(origin).fill(ask.bytes)
        note("client >", bytes)
        let response = try await Self.converse(bytes, ask.isHead, larder.addresses[1])
        note("client <", "\(response)")
        return response
    }

    private static func converse(_ bytes: String, _ isHead: Bool, _ address: String) async throws -> WireResponse {
        try await onOwnThread {
            let client = try WireClient(address, timeout: .seconds(60))
            try client.send(bytes)
            return try client.receive(toHead: isHead)
        }
    }

    /// Opens the gate once the origin has been asked and all other requests that can share the response wait for it.
    private func gather(_ crowd: Crowd, _ larder: RunningLarder, _ origin: ScriptedOrigin) async throws {
        let bytes = placeholders(origin).fill(crowd.ask.bytes)
        note("\(crowd.count) clients >", bytes)
        let address = larder.addresses[1]
        let isHead = crowd.ask.isHead
        let joined = try await larder.counter("larder_joined_total")
        let asked = seen(nil).count
        let tasks = (0..<crowd.count).map { _ in Task { try await Self.converse(bytes, isHead, address) } }
        try await larder.eventually("\(crowd.count) requests wait") {
            try await larder.counter("larder_joined_total") + seen(nil).count >= joined + asked + crowd.count
        }
        gate(crowd.gate).open()
        var collapsed = 0
        for (place, task) in tasks.enumerated() {
            let response = try await task.value
            note("client \(place + 1) of \(crowd.count) <", "\(response)")
            verify(Message(response), crowd.checks, "an answer to the crowd")
            if ourCacheStatus(Message(response))?["collapsed"] != nil { collapsed += 1 }
        }
        if collapsed != crowd.collapsed { fail("\(collapsed) answers say collapsed, and not \(crowd.collapsed)") }
        try await settle(larder)
    }

    private func settle(_ larder: RunningLarder) async throws {
        try await larder.eventually("nothing is fetched") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }

    // MARK: The origin

    private func acts(for request: SeenRequest) -> [Act] {
        let message = Message(request)
        let target = request.target
        let (answer, number) = state.withLock { state -> (Answer?, Int) in
            state.requests.append((target, message))
            let path = state.waiting[target] != nil || state.last[target] != nil ? target : ""
            state.counts[target, default: 0] += 1
            var waiting = state.waiting[path] ?? []
            if !waiting.isEmpty {
                state.last[path] = waiting.removeFirst()
                state.waiting[path] = waiting
            }
            return (state.last[path], state.counts[target] ?? 0)
        }
        note("origin <", message.text)
        guard let answer else {
            note("origin >", "(no answer was given to it: it closes the connection)")
            return [.close]
        }
        let base = request.field("Host").map { "http://\($0)" } ?? ""
        let filler = Placeholders(
            now: Int(time.wall().milliseconds / 1000), origin: base, number: number, request: message)
        return answer.parts.map { part in
            switch part {
            case .text(let text):
                let text = filler.fill(text)
                note("origin >", text)
                return .send(text)
            case .bytes(let bytes): return .sendBytes(bytes)
            case .gate(let name): return .await(gate(name))
            case .close: return .close
            case .reset: return .reset
            }
        }
    }

    private func seen(_ path: String?) -> [Message] {
        state.withLock { $0.requests }.filter { path == nil || $0.target == path }.map(\.message)
    }

    private func gate(_ name: String) -> Gate {
        state.withLock { state in
            let gate = state.gates[name] ?? Gate()
            state.gates[name] = gate
            return gate
        }
    }

    private func placeholders(_ origin: ScriptedOrigin) -> Placeholders {
        Placeholders(now: Int(time.wall().milliseconds / 1000), origin: origin.base)
    }

    // MARK: Findings

    private func verify(_ message: Message, _ checks: [Check], _ what: String) {
        for check in checks {
            if let found = check.look(message) { fail("\(what): expected that \(check.claim); found \(found)") }
        }
    }

    private func note(_ who: String, _ text: String) {
        let plain = text.replacing("\r\n", with: "\n")
        let lines = plain.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
        state.withLock { $0.transcript.append(who + "\n" + lines.joined(separator: "\n")) }
    }

    private func fail(_ what: String) {
        let said = state.withLock { $0.transcript }.joined(separator: "\n")
        Issue.record("\(clause.id): \(clause.text)\n  \(what)\n\(said)", sourceLocation: location)
    }
}

extension Message {
    init(_ response: WireResponse) {
        self.init(start: response.statusLine, fields: response.fields, body: response.text)
    }

    init(_ request: SeenRequest) {
        let lines = request.head.split(separator: "\r\n")
        let fields = lines.dropFirst().map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(ASCII.trimmed(parts[1])) : "")
        }
        self.init(start: String(lines.first ?? ""), fields: fields, body: request.body.lossyText)
    }
}
