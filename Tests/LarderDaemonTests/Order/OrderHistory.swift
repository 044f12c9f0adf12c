// A random history of requests for one URL of a running daemon: calls that are answered in any order, purges, unsafe
// methods, commits that fail, clients that leave, restarts. The clock moves only by steps of the history.
//
// After each step the daemon gets time for what follows from it. The rule holds whether that time was enough or not,
// because `OrderRecord` judges by what was observed.
import LarderCore
import LarderTestSupport

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

final class OrderHistory: Sendable {
    static let token = "0123456789abcdef0123456789abcdef"
    static let target = "/raw/api/folder/a?q=1"
    /// SQLITE_FULL.
    private static let full: Int32 = 13
    /// The most requests that wait at the same time.
    private static let mostWaiting = 6

    /// An answer that the upstream holds back.
    private struct Held {
        /// Nil for the answer to an unsafe method.
        let call: Int?
        let head = Gate()
        let rest = Gate()
        var isHeadOpen = false
    }

    private struct State {
        var record = OrderRecord()
        var dice: SeededGenerator
        var held: [Held] = []
        /// The questions whose clients shall leave.
        var leaving: Set<Int> = []
        var waiting = 0
        /// The questions that got the head of one answer and the body of another.
        var mixed: [Int] = []
        /// Set at the end, when everything is answered at once.
        var answersAtOnce = false
    }

    private let state: Lock<State>
    private let time: ManualTime
    /// What happened, for the report of a failure.
    private let log = Lock<[String]>([])

    init(seed: UInt64, time: ManualTime) {
        state = Lock(State(dice: SeededGenerator(seed)))
        self.time = time
    }

    /// What is wrong with the answers.
    var faults: [String] {
        state.withLock { state in
            state.record.questions.indices.compactMap(state.record.fault)
                + state.mixed.map { "question \($0) got the body of another answer" }
        }
    }
    var events: String { log.withLock { $0.joined(separator: "\n") } }
    private func note(_ text: String) { log.withLock { $0.append(text) } }

    // MARK: The upstream

    /// The acts of the upstream for a request.
    func acts(_ request: LarderTestSupport.SeenRequest) -> [Act] {
        request.method == "GET" ? answer(request) : change(request)
    }

    private func answer(_ request: LarderTestSupport.SeenRequest) -> [Act] {
        state.withLock { state in
            let number = state.record.calls.count
            let kind = Self.kind(&state.dice, offered: request.field("If-None-Match"))
            var call = OrderRecord.Call(
                question: request.field("X-Question").flatMap { Int($0) } ?? 0, choice: request.field("X-A") ?? "",
                kind: kind, received: state.record.instant(), released: nil)
            if state.answersAtOnce { call.released = state.record.instant() }
            state.record.calls.append(call)
            note("\(call.received): call \(number) for question \(call.question) (\(call.choice)): \(kind)")
            let held = Held(call: number)
            if state.answersAtOnce {
                held.head.open()
                held.rest.open()
            } else {
                state.held.append(held)
            }
            let (head, rest) = Self.bytes(kind, number, isLasting: state.dice.chance(60))
            return [.await(held.head), .send(head), .await(held.rest), .send(rest)]
        }
    }

    private static func kind(_ dice: inout SeededGenerator, offered: String?) -> OrderRecord.Kind {
        let tags = (offered ?? "").split(separator: ",").compactMap { Int($0.filter(\.isNumber)) }
        if !tags.isEmpty, dice.chance(50) { return .confirmation(of: dice.pick(tags)) }
        return dice.pick([
            .stored, .stored, .stored, .stored, .variant, .variant, .variant, .unstored, .unstored, .absence,
            .serverError,
        ])
    }

    /// The head with the first bytes of the body, and the rest of the body.
    private static func bytes(_ kind: OrderRecord.Kind, _ number: Int, isLasting: Bool) -> (String, String) {
        let body = "content \(number)"
        let lifetime = isLasting ? "max-age=600" : "max-age=20, stale-if-error=60, stale-while-revalidate=9"
        let life = "Cache-Control: \(lifetime)\r\nETag: \"\(number)\"\r\n"
        func head(_ status: String, _ fields: String) -> String {
            "HTTP/1.1 \(status)\r\nX-Content: \(number)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n"
        }
        switch kind {
        case .stored: return (head("200 OK", life), body)
        case .variant: return (head("200 OK", life + "Vary: X-A\r\n"), body)
        case .unstored: return (head("200 OK", "Cache-Control: no-store\r\n"), body)
        case .absence: return (head("404 Not Found", life), body)
        case .serverError: return (head("503 Service Unavailable", ""), body)
        case .confirmation(let content):
            return ("HTTP/1.1 304 Not Modified\r\nETag: \"\(content)\"\r\nCache-Control: max-age=600\r\n\r\n", "")
        }
    }

    private func change(_ request: LarderTestSupport.SeenRequest) -> [Act] {
        let held = Held(call: nil)
        let isAtOnce = state.withLock { state in
            if !state.answersAtOnce { state.held.append(held) }
            return state.answersAtOnce
        }
        if isAtOnce { held.head.open() }
        let status = request.field("X-Fails") == nil ? "204 No Content" : "409 Conflict"
        return [.await(held.head), .send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")]
    }

    /// Lets the upstream send the next part of one of the answers that it holds back.
    private func release() {
        let opened = state.withLock { state -> Gate? in
            guard !state.held.isEmpty else { return nil }
            let index = Int.random(in: 0..<state.held.count, using: &state.dice)
            let held = state.held[index]
            if held.isHeadOpen || held.call == nil { state.held.remove(at: index) }
            guard !held.isHeadOpen else { return held.rest }
            let instant = state.record.instant()
            if let call = held.call {
                state.record.calls[call].released = instant
                state.held[index].isHeadOpen = true
                note("\(instant): head of call \(call)")
                // Most answers come whole.
                if state.dice.chance(70) {
                    state.held.remove(at: index)
                    held.rest.open()
                }
            } else {
                note("\(instant): answer to the unsafe method")
            }
            return held.head
        }
        guard let opened else { return }
        // Two heads seldom arrive in one millisecond.
        if state.withLock({ $0.dice.chance(80) }) { time.advance(by: .milliseconds(1)) }
        opened.open()
    }

    // MARK: Clients

    private func ask(_ larder: RunningLarder, _ group: inout ThrowingTaskGroup<Void, any Error>) {
        let asked = state.withLock { state -> (number: Int, head: String)? in
            guard state.waiting < Self.mostWaiting else { return nil }
            state.waiting += 1
            let number = state.record.questions.count
            let choice = state.dice.pick(["a", "b"])
            let instant = state.record.instant()
            let directive = state.dice.pick(
                ["", "", "", "", "", "", "no-cache", "no-cache", "max-stale=60", "no-store", "only-if-cached"])
            state.record.questions.append(
                OrderRecord.Question(choice: choice, isAlone: directive == "no-store", asked: instant))
            note("\(instant): question \(number) (\(choice)) \(directive)")
            let more = directive.isEmpty ? "" : "Cache-Control: \(directive)\r\n"
            return (
                number,
                "GET \(Self.target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-A: \(choice)\r\n"
                    + "X-Question: \(number)\r\nAccept-Encoding: identity\r\n\(more)\r\n"
            )
        }
        guard let asked else { return }
        let address = larder.address
        group.addTask { [self] in
            defer { state.withLock { $0.waiting -= 1 } }
            try await onOwnThread { [self] in
                let client = try WireClient(address)
                try client.send(asked.head)
                try blockUntil("question \(asked.number) is answered") {
                    client.hasInput(within: 5) || state.withLock { $0.leaving.contains(asked.number) }
                }
                if state.withLock({ $0.leaving.remove(asked.number) }) != nil {
                    note("question \(asked.number) leaves")
                    return client.resetAtEnd()
                }
                let answer = try client.receiveHead()
                take(answer, asked.number)
                end(answer, try client.receiveRest(), asked.number)
            }
        }
    }

    private func take(_ head: WireResponse, _ number: Int) {
        let status = head["Cache-Status"] ?? ""
        state.withLock { state in
            let instant = state.record.instant()
            state.record.questions[number].headCame = instant
            state.record.questions[number].content = head["X-Content"].flatMap { Int($0) }
            state.record.questions[number].isHit = !status.contains("fwd=")
            note("\(instant): question \(number) got \(head.status) \(head["X-Content"] ?? "") \(status)")
        }
    }

    /// A body that was cut is not whole.
    private func end(_ head: WireResponse, _ body: Bytes, _ number: Int) {
        guard let content = head["X-Content"], body.count == head["Content-Length"].flatMap({ Int($0) }) else { return }
        state.withLock { state in
            state.record.questions[number].wholeCame = state.record.instant()
            if body.lossyText != "content \(content)" { state.mixed.append(number) }
        }
    }

    private func leave() {
        state.withLock { state in
            let waiting = state.record.questions.indices.filter { state.record.questions[$0].headCame == nil }
            guard !waiting.isEmpty else { return }
            let number = state.dice.pick(waiting)
            state.leaving.insert(number)
        }
    }

    // MARK: Floors

    private func remove(_ larder: RunningLarder) async throws {
        let (number, query) = state.withLock { state -> (Int, String) in
            let query = state.dice.pick([
                "all=1", "provider=api", "url=/raw/api/folder/a%3Fq%3D1", "prefix=/raw/api/folder",
            ])
            let instant = state.record.instant()
            note("\(instant): purge \(query)")
            state.record.removals.append(OrderRecord.Removal(what: "purge \(query)", earliest: instant))
            return (state.record.removals.count - 1, query)
        }
        let answer = try await larder.send(
            "DELETE", "/v1/cache?\(query)", fields: [("Authorization", "Bearer \(Self.token)")])
        guard answer.status == 200 else { throw WireError("\(answer)") }
        finish(number)
    }

    private func finish(_ removal: Int) {
        state.withLock { state in
            let instant = state.record.instant()
            state.record.removals[removal].done = instant
            note("\(instant): done")
        }
    }

    private func change(_ larder: RunningLarder, _ group: inout ThrowingTaskGroup<Void, any Error>) {
        let (number, fails) = state.withLock { state -> (Int, Bool) in
            let instant = state.record.instant()
            let fails = state.dice.chance(25)
            note("\(instant): PUT\(fails ? " that fails" : "")")
            state.record.removals.append(OrderRecord.Removal(what: "PUT", earliest: instant))
            return (state.record.removals.count - 1, fails)
        }
        group.addTask { [self] in
            let fields = fails ? [("X-Fails", "1")] : []
            let answer = try await larder.send("PUT", Self.target, fields: fields, body: "new")
            if answer.status == 204 {
                finish(number)
            } else if answer.status == 409 {
                state.withLock { $0.record.removals[number].failed = $0.record.instant() }
            }
        }
    }

    // MARK: The course

    /// Makes a number of steps, and then lets everything be answered.
    func run(_ larder: RunningLarder, steps: Int) async throws {
        let store = larder.daemon.engine.cache.store
        state.withLock { $0.answersAtOnce = false }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Otherwise a failed step would wait for clients that wait for the upstream.
            defer { releaseAll() }
            for _ in 0..<steps {
                switch state.withLock({ Int.random(in: 0..<100, using: &$0.dice) }) {
                case 0..<36: ask(larder, &group)
                case 36..<72: release()
                case 72..<77: try await remove(larder)
                case 77..<82: change(larder, &group)
                case 82..<86: leave()
                case 86..<91:
                    let seconds = state.withLock { Int.random(in: 1...40, using: &$0.dice) }
                    note("\(seconds) s pass")
                    time.advance(by: .seconds(seconds))
                case 91..<94:
                    set(store, commitsFail: true)
                case 94..<97:
                    set(store, commitsFail: false)
                default:
                    note("commit")
                    await store.commit()
                }
                // Two passes through the loops, for what follows from the step.
                for _ in 0..<2 { _ = try await larder.get("/healthz") }
            }
            set(store, commitsFail: false)
            releaseAll()
            try await group.waitForAll()
            for _ in 0..<4 { ask(larder, &group) }
            try await group.waitForAll()
        }
        await store.commit()
    }

    /// The record holds each failure from before it begins until after it has ended.
    private func set(_ store: SQLiteStore, commitsFail: Bool) {
        if commitsFail { state.withLock { $0.record.commits(fail: true) } }
        store.shared.faults.fail(with: commitsFail ? Self.full : nil)
        if !commitsFail { state.withLock { $0.record.commits(fail: false) } }
        note(commitsFail ? "commits fail" : "commits succeed")
    }

    private func releaseAll() {
        let all = state.withLock { state in
            defer { state.held = [] }
            state.answersAtOnce = true
            let instant = state.record.instant()
            for held in state.held where !held.isHeadOpen {
                if let call = held.call { state.record.calls[call].released = instant }
            }
            note("\(instant): everything is answered")
            return state.held
        }
        for held in all {
            held.head.open()
            held.rest.open()
        }
    }
}
