// kill -9 in the middle of writing, again and again. Afterwards everything that was committed is there, nothing wrong is
// served, and no call is forgotten (sqlite.org/pragma.html#pragma_synchronous: only a power cut loses commits). A commit
// follows its answer (`cache.commitWithin`), so each client asks once a round whether everything is committed. What it
// was told before that must be there.
//
// LARDER_KILLS sets the number of kills, 50 by default. With LARDER_KILL_WITHIN everything that was acknowledged this many
// milliseconds before the kill must be there, too:
//     LARDER_KILLS=1000 LARDER_KILL_WITHIN=100 scripts/test --filter CrashScenarios
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CrashScenarios {
    static let rounds = getenv("LARDER_KILLS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 50
    static let clients = 3
    static let within = getenv("LARDER_KILL_WITHIN").flatMap { Int(String(cString: $0)) }
        .map { Duration.milliseconds($0) }

    /// One question, which determines its correct answer.
    struct Question: Sendable, Hashable {
        var number: Int
        var isSearch: Bool { number % 5 == 0 }
        /// A large body is streamed and written to the store piece by piece. A kill may leave half of it.
        var isLarge: Bool { !isSearch && number % 16 == 7 }
        var target: String { isSearch ? "/v1/itunes/search?q=word\(number)" : "/file/\(number)" }

        func isAnswered(by response: WireResponse) -> Bool {
            guard response.status == 200 else { return false }
            guard isSearch else { return response.body == TellingOrigin.body(target) }
            guard let json = try? response.json(), json["count"]?.integer == 1 else { return false }
            return json["results"]?.elements.first { _ in true }?["title"]?.string
                == TellingOrigin.title("word\(number)")
        }
    }

    /// What the clients of one round saw.
    struct Round: Sendable {
        /// The answers that are committed, as the daemon itself said.
        var stored: [Question] = []
        /// The answers that count as stored but might not be committed, with the time of their acknowledgement.
        var accepted: [(question: Question, at: MonotonicTime)] = []
        var killedAt: MonotonicTime?
        /// All large answers that were asked for, complete or not.
        var large: [Question] = []
        var wrong: [String] = []
    }

    @Test func killsWhileWritingLoseNothingThatWasStored() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let limit = 1_000_000
        let launch = LarderLaunch(
            TellingOrigin.configuration(origin, in: directory, itunes: "    rate: off\n    quota: \(limit)/day"))
        var stored: [Question] = []
        var accepted: [Question] = []
        var large: [Question] = []
        var largeInAll = 0
        var starts: [Duration] = []
        let clock = SystemTime()
        for round in 0..<Self.rounds {
            let began = clock.monotonic()
            let larder = try LarderProcess(launch, in: directory)
            defer { larder.end() }
            let addresses = try await onOwnThread { try larder.listening(2) }
            starts.append(clock.monotonic() - began)

            // This checks nearly all entries of the last round, and a few of every earlier round.
            let recent = stored.suffix(60)
            let (half, uncertain) = (large, accepted)
            let earlier = stored.dropLast(60).enumerated().filter { $0.offset % 37 == round % 37 }.map(\.element)
            try await onOwnThread {
                for question in recent + earlier {
                    let response = try LarderProcess.get(question.target, at: addresses[question.isSearch ? 0 : 1])
                    let status = response["Cache-Status"] ?? "nothing"
                    #expect(question.isAnswered(by: response), "round \(round): \(question.target)")
                    #expect(status.hasPrefix("larder; hit"), "round \(round): \(question.target): \(status)")
                }
                // The entry may be missing. The answer must be right in either case.
                for question in uncertain {
                    let response = try LarderProcess.get(question.target, at: addresses[question.isSearch ? 0 : 1])
                    #expect(question.isAnswered(by: response), "round \(round): \(question.target)")
                }
                for question in half {
                    let response = try LarderProcess.get(question.target, at: addresses[1])
                    #expect(question.isAnswered(by: response), "round \(round): \(question.target), half written?")
                }
                try Self.expectCallsCounted(origin, limit, round, at: addresses[0])
            }
            let seen = try await Self.load(larder, addresses, round: round)
            #expect(seen.wrong.isEmpty)
            stored += seen.stored
            accepted = []
            for (question, at) in seen.accepted {
                if let within = Self.within, let killed = seen.killedAt, killed - at > within {
                    stored.append(question)
                } else {
                    accepted.append(question)
                }
            }
            large = seen.large
            largeInAll += large.count
            #expect(try await onOwnThread { try larder.waitForEnd() } == .signalled(SIGKILL))
            #expect(larder.complaints() == [], "round \(round)")
        }
        #expect(stored.count > Self.rounds * 5, "there was something to lose: \(stored.count)")
        #expect(largeInAll >= Self.rounds, "and to find half written: \(largeInAll)")
        // The slowest start is not checked: other tests share the machine, and `listening` bounds each start.
        let median = starts.sorted()[Self.rounds / 2]
        if !isSanitized { #expect(median < .seconds(5)) }
        print("\(stored.count) entries stored over \(Self.rounds) kills; median start \(median.milliseconds) ms")
    }

    /// Several clients ask new questions until one of them kills the daemon while the others' answers are written.
    static func load(_ larder: LarderProcess, _ addresses: [String], round: Int) async throws -> Round {
        let result = Lock(Round())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                // The last request, whose answer is not awaited. Some rounds end at once, some after a while.
                let last = client == 0 ? 8 + round * 7 % 23 : Int.max
                let first = round * 100_000 + client * 10_000
                group.addTask {
                    try await onOwnThread { ask(larder, addresses, from: first, last: last, result) }
                }
            }
            try await group.waitForAll()
        }
        return result.withLock { $0 }
    }

    private static func ask(
        _ larder: LarderProcess, _ addresses: [String], from first: Int, last: Int, _ result: Lock<Round>
    ) {
        do {
            let connections = try addresses.map { try WireClient($0) }
            for turn in 0..<10_000 {
                if turn == 6 { try awaitCommit(of: result, at: connections[0]) }
                let question = Question(number: first + turn)
                let connection = connections[question.isSearch ? 0 : 1]
                if question.isLarge { result.withLock { $0.large.append(question) } }
                try connection.send("GET \(question.target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if turn == last {
                    larder.signal(SIGKILL)
                    let now = SystemTime().monotonic()
                    result.withLock { $0.killedAt = now }
                }
                let response = try connection.receive()
                let isRight = question.isAnswered(by: response)
                result.withLock { result in
                    if !isRight { result.wrong.append("\(question): \(response)") }
                    if response["Cache-Status"]?.hasSuffix("; stored") == true {
                        result.accepted.append((question, SystemTime().monotonic()))
                    }
                }
            }
        } catch {
            // The kill ended the connection, at any point of an exchange.
        }
    }

    /// Asks until nothing waits for its commit. The other clients do the same, so that moment comes.
    private static func awaitCommit(of result: Lock<Round>, at connection: WireClient) throws {
        while true {
            let accepted = result.withLock { $0.accepted.map(\.question) }
            try connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let text = String(decoding: try connection.receive().body, as: UTF8.self)
            guard text.contains("\nlarder_store_uncommitted 0\n") else { continue }
            let committed = Set(accepted)
            return result.withLock { result in
                result.stored += accepted
                result.accepted.removeAll { committed.contains($0.question) }
            }
        }
    }

    /// Docs/Decisions/0025: at most this many calls of a provider are reserved ahead, for any limits.
    private static let mostAhead = 16

    /// Every call that the origin saw was counted before it was sent. The only calls that are counted but not sent are
    /// those in hand at each kill and those reserved ahead. The daemon that is asked here has itself reserved some
    /// calls ahead, if earlier checks had to fetch.
    static func expectCallsCounted(_ origin: ScriptedOrigin, _ limit: Int, _ round: Int, at address: String) throws {
        let status = try LarderProcess.get("/v1/status", at: address).json()
        let itunes = status["providers"]?.elements.first { $0["name"]?.string == "itunes" }
        let remaining = try #require(itunes?["budget"]?["quota"]?["remaining"]?.integer)
        let calls = origin.requests.filter { $0.target.hasPrefix("/search") }.count
        let counted = limit - Int(remaining)
        #expect(counted >= calls, "round \(round)")
        #expect(counted <= calls + round * (clients + mostAhead) + mostAhead, "round \(round)")
    }
}
