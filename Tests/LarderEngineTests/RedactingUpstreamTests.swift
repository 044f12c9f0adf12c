// The gate that every upstream response passes: no secret of the daemon comes through it.
import LarderCore
import LarderHTTP
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct RedactingUpstreamTests {
    static let key = "0123456789abcdef"
    static let token = "tok-fedcba9876543210"

    /// An upstream that answers as the test says.
    private struct Answers: Upstream {
        var status = 200
        var fields: HeaderFields = [:]
        var body: Bytes = []
        var error: FetchError?
        static let time = WallTime(seconds: 1_767_225_600)

        func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
            if let error { throw error }
            return UpstreamResponse(
                status: status, reason: "No \(RedactingUpstreamTests.key)", fields: fields, body: body,
                requestTime: Self.time, responseTime: Self.time)
        }

        func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream {
            if let error { throw error }
            var head = UpstreamHead(
                status: status, reason: "No \(RedactingUpstreamTests.key)", fields: fields, requestTime: Self.time,
                responseTime: Self.time)
            head.interim = [InterimHead(status: 103, fields: ["Link": RedactingUpstreamTests.key])]
            let tape = BodyTape(window: 4 << 20)
            _ = body.withUnsafeBytes { tape.append($0) }
            tape.finish()
            return UpstreamStream(head: head, body: tape, cancel: {})
        }
    }

    private func gate(_ answers: Answers, time: any TimeSource = ManualTime()) throws -> RedactingUpstream {
        let settings = try load("providers: { newsapi: { key: \(Self.key) } }")
        let secrets = SecretRegistry(settings)
        secrets.setTokens([Self.token], of: "imgur")
        return RedactingUpstream(
            upstream: answers, secrets: secrets, compute: ComputeGate(width: 1), bodies: BodyMemory(limit: .max),
            time: time)
    }

    private func order(_ secrets: HeaderFields = [:], maxBody: Int = .max) -> FetchOrder {
        FetchOrder(
            url: "http://127.0.0.1:1/a?b=c", secretFields: secrets, addresses: .configured, maxBody: maxBody,
            deadline: .seconds(1))
    }

    private let withKey: HeaderFields = ["X-Api-Key": RedactingUpstreamTests.key]

    private func text(_ stream: UpstreamStream) async throws -> String {
        var bytes = Bytes()
        let reader = try #require(stream.body.reader())
        while let piece = try await reader.next() { bytes += piece }
        return bytes.lossyText
    }

    @Test func reasonAndFieldsOfEveryAnswerAreRedacted() async throws {
        let fields: HeaderFields = ["Location": "/?a=\(Self.token)", "X-Mine": Self.key]
        let gate = try gate(Answers(fields: fields, body: Bytes(text: Self.key)))
        let whole = try await gate.fetch(order())
        #expect(whole.reason == "No (hidden)")
        #expect(whole.fields == ["Location": "/?a=(hidden)", "X-Mine": "(hidden)"])
        let stream = try await gate.open(order(), upload: nil, stall: .seconds(1))
        #expect(stream.head.reason == "No (hidden)")
        #expect(stream.head.fields == whole.fields)
        #expect(stream.head.interim.first?.fields == ["Link": "(hidden)"])
    }

    @Test func theBodyOfACallWithASecretIsRedactedWhateverItsStatus() async throws {
        for status in [200, 404] {
            let gate = try gate(Answers(status: status, body: Bytes(text: #"{"next":"/?apiKey=\#(Self.key)"}"#)))
            let body = try await gate.fetch(order(withKey, maxBody: 1000)).body
            #expect(body == Bytes(text: #"{"next":"/?apiKey=(hidden)"}"#), "\(status)")
        }
    }

    @Test func theBodyOfACallWithoutASecretIsReadOnlyWhereItIsAnError() async throws {
        let body = Bytes(text: "my \(Self.key)")
        #expect(try await gate(Answers(body: body)).fetch(order()).body == body)
        #expect(try await gate(Answers(status: 500, body: body)).fetch(order()).body == Bytes(text: "my (hidden)"))
    }

    @Test func credentialsOfTheOrderItselfAreSecretToo() async throws {
        let gate = try gate(Answers(body: Bytes(text: "own client-key-1 and client-key-2")))
        var order = order(["Authorization": "Bearer client-key-1"], maxBody: 1000)
        order.secretQuery = QueryParameters([.init("api_key", "client-key-2")])
        #expect(try await gate.fetch(order).body == Bytes(text: "own (hidden) and (hidden)"))
    }

    @Test func aCodedBodyIsReadAndWhatItsFieldsSaidOfItIsGone() async throws {
        let body = try ContentCoding.gzip(Bytes(text: "my \(Self.key)"))
        let fields: HeaderFields = [
            "Content-Encoding": "gzip", "Content-Length": "\(body.count)", "ETag": "\"a\"", "Content-Digest": "x",
        ]
        let answer = try await gate(Answers(fields: fields, body: body)).fetch(order(withKey, maxBody: 1000))
        #expect(answer.body == Bytes(text: "my (hidden)"))
        #expect(answer.fields == ["ETag": "W/\"a\""])
        let clean = try ContentCoding.gzip(Bytes(text: "nothing"))
        let other = try await gate(Answers(fields: fields, body: clean)).fetch(order(withKey, maxBody: 1000))
        #expect(other.body == clean && other.fields == fields, "what holds no secret comes as it was")
    }

    @Test func anErrorThatCannotBeSearchedKeepsItsStatusAndSaysSo() async throws {
        let coded = Answers(status: 404, fields: ["Content-Encoding": "br", "A": "b"], body: Bytes(text: "???"))
        let answer = try await gate(coded).fetch(order(withKey, maxBody: 1000))
        #expect(answer.status == 404 && answer.body.lossyText.contains("withholds it"))
        #expect(answer.fields == ["A": "b", "Content-Type": "text/plain; charset=utf-8"])
    }

    @Test func dataThatCannotBeSearchedIsAFailureAndNoEmptyAnswer() async throws {
        let gate = try gate(Answers(fields: ["Content-Encoding": "br"], body: Bytes(text: "???")))
        let error = await #expect(throws: FetchError.self) { _ = try await gate.fetch(order(withKey, maxBody: 1000)) }
        #expect(error?.stage == .malformed)
    }

    @Test func anErrorThatIsPassedOnIsRedactedAndToldWithItsLength() async throws {
        let gate = try gate(Answers(status: 403, body: Bytes(text: "bad key \(Self.key)!")))
        let stream = try await gate.open(order(withKey), upload: nil, stall: .seconds(1))
        #expect(stream.head.length == 17)
        #expect(try await text(stream) == "bad key (hidden)!")
    }

    @Test func dataThatIsPassedOnIsNotCollected() async throws {
        let body = Bytes(text: "data \(Self.key)")
        let stream = try await gate(Answers(body: body)).open(order(withKey), upload: nil, stall: .seconds(1))
        #expect(try await text(stream) == body.lossyText)
        let head = try await gate(Answers(status: 403)).open(headOrder, upload: nil, stall: .seconds(1))
        #expect(head.head.length == nil, "HEAD has no body to collect")
    }

    private var headOrder: FetchOrder {
        var order = order(withKey)
        order.method = .head
        return order
    }

    @Test func anErrorLongerThanWhatIsSearchedKeepsItsStatus() async throws {
        let body = Bytes(repeating: 0x41, count: RedactingUpstream.collectedSize + 1)
        let stream = try await gate(Answers(status: 500, body: body))
            .open(order(withKey), upload: nil, stall: .seconds(1))
        #expect(stream.head.status == 500)
        #expect(try await text(stream).contains("withholds it"))
    }

    @Test func anErrorThatDripsBeyondTheDeadlineIsNotWaitedFor() async throws {
        let time = ManualTime()
        time.leap(by: .seconds(3))
        let gate = try gate(Answers(status: 500, body: Bytes(text: "slow")), time: time)
        let error = await #expect(throws: FetchError.self) {
            _ = try await gate.open(order(withKey), upload: nil, stall: .seconds(1))
        }
        #expect(error?.stage == .timedOut)
    }

    @Test func aFailureDoesNotRepeatASecret() async throws {
        let failure = FetchError(stage: .forbidden, origin: "http://\(Self.key)", message: "leads to \(Self.token)")
        let gate = try gate(Answers(error: failure))
        let whole = await #expect(throws: FetchError.self) { _ = try await gate.fetch(order()) }
        let stream = await #expect(throws: FetchError.self) {
            _ = try await gate.open(order(), upload: nil, stall: .seconds(1))
        }
        for error in [whole, stream] {
            #expect(error?.origin == "http://(hidden)" && error?.message == "leads to (hidden)")
        }
    }

    @Test func theBookHoldsEverySecretOfTheConfigurationAndForgetsTheOldOnes() throws {
        let settings = try load(
            """
            admin: { token: "admin-token-1" }
            tools: [{ name: editor, user: 1000 }, { name: batch, token: "token-of-a-tool-1" }]
            providers:
              newsapi: { key: "news-key-1" }
              imgur: { key: "imgur-key-1", clientSecret: "imgur-secret-1" }
              own: { kind: passthrough, baseURL: "http://127.0.0.1:1", key: "own-key-1" }
            """)
        let book = SecretRegistry(settings)
        book.setTokens(["access-1", "refresh-1"], of: "imgur")
        let all = [
            "admin-token-1", "token-of-a-tool-1", "news-key-1", "imgur-key-1", "imgur-secret-1", "own-key-1",
            "access-1", "refresh-1",
        ]
        for secret in all { #expect(book.redactor(for: order()).redacted(secret) == "(hidden)", "\(secret)") }
        book.configure(try load("providers: { newsapi: { key: \"news-key-2\" } }"))
        book.setTokens([], of: "imgur")
        #expect(book.redactor(for: order()).redacted("news-key-2") == "(hidden)")
        for secret in all { #expect(book.redactor(for: order()).redacted(secret) == secret) }
    }
}
