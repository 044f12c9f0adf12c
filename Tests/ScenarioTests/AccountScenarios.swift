// Calls for the signed-in account: which of two credentials a call carries, for whom its answer is kept, and what
// happens when the tokens end while one request or fifty requests wait.
import LarderCore
import LarderOrigin
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct AccountScenarios {
    private static let token = "/imgur/oauth2/token"
    private static let ownCalls = "/imgur/3/account/me"

    /// Fifty questions with fifty different flights: half of them raw, half of them typed.
    private static let fifty = (0..<25).map { SignIn.own($0) } + (1...25).map { SignIn.mature($0) }

    private func askFifty(
        _ larder: RunningLarder, meanwhile: () async throws -> Void = {}
    ) async throws -> [WireResponse] {
        try await withThrowingTaskGroup(of: WireResponse.self) { group in
            for target in Self.fifty { group.addTask { try await SignIn.get(larder, target) } }
            try await meanwhile()
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func fiftyThatWaitForAnExpiredTokenHaveItRenewedOnce() async throws {
        let time = ManualTime()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: time) { larder in
                try await SignIn.signIn(larder, origin)
                time.advance(by: .seconds(2 * 3600))
                origin.signIn.endAccess()
                origin.script(Self.token, [.held])
                let answers = try await askFifty(larder) {
                    try await larder.eventually("all of them wait") {
                        try await larder.counter("larder_flights_under_way") >= 50
                    }
                    await origin.arrival(of: 1, to: Self.token)
                    origin.release(Self.token)
                }
                #expect(
                    answers.count == 50 && answers.allSatisfy { $0.status == 200 },
                    "\(answers.first { $0.status != 200 }?.description ?? "")")
                #expect(origin.requests(to: Self.token) == 1, "one renewal")
                #expect(origin.requests(to: "/imgur/3/") == 50, "nothing was sent before it, or twice")
                #expect(
                    try await larder.counter("larder_token_renewals_total", #"provider="imgur",result="done""#) == 1)
            }
        }
    }

    @Test func fiftyThatAreRefusedAreSentOnceMoreAfterOneRenewal() async throws {
        try await SignIn.withOrigin { origin in
            let limits = "rate: off, quota: off, maxConnections: 64, deadline: 120s"
            try await SignIn.withImgur(origin, more: limits) { larder in
                try await SignIn.signIn(larder, origin)
                origin.signIn.endAccess()
                // All fifty calls are sent before the first is refused. A call after a refusal would wait at once.
                let before = origin.requests(to: "/imgur/3/")
                origin.script("/imgur/3/", Array(repeating: .held, count: 50))
                let answers = try await askFifty(larder) {
                    try await larder.eventually("all of them are sent") {
                        origin.requests(to: "/imgur/3/") == before + 50
                    }
                    try await larder.eventually("all of them are answered") {
                        origin.release("/imgur/3/")
                        return try await larder.counter("larder_flights_under_way") == 0
                    }
                }
                #expect(
                    answers.count == 50 && answers.allSatisfy { $0.status == 200 },
                    "\(answers.first { $0.status != 200 }?.description ?? "")")
                #expect(origin.requests(to: Self.token) == 1, "one renewal")
                let sent = origin.log(of: "/imgur/3/").reduce(into: [:]) { counts, request in
                    counts["\(request.path)?\(request.query ?? "")", default: 0] += 1
                }
                #expect(sent.count == 50 && sent.values.allSatisfy { $0 == 2 }, "each was sent twice: \(sent)")
            }
        }
    }

    @Test func tokensAreRenewedAheadOfTheirEnd() async throws {
        let time = ManualTime()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: time) { larder in
                try await SignIn.signIn(larder, origin)
                time.advance(by: .seconds(3239))
                #expect(try await SignIn.get(larder, SignIn.own(1)).status == 200)
                #expect(origin.requests(to: Self.token) == 0)
                time.advance(by: .seconds(1))
                #expect(try await SignIn.get(larder, SignIn.own(2)).status == 200)
                #expect(origin.requests(to: Self.token) == 1 && origin.requests(to: Self.ownCalls) == 2)
                // The new tokens last as long as the old ones.
                time.advance(by: .seconds(3239))
                #expect(try await SignIn.get(larder, SignIn.own(3)).status == 200)
                #expect(origin.requests(to: Self.token) == 1)
            }
        }
    }

    @Test(arguments: [401, 403])
    func aRefusalIsOneRenewalAndOneMoreCallOfTheBudget(_ status: Int) async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, more: "rate: off, quota: 1000/day") { larder in
                try await SignIn.signIn(larder, origin)
                origin.script(Self.ownCalls, [.status(status, #"{"data":{"error":"The access token is over"}}"#)])
                let answer = try await SignIn.get(larder, SignIn.own())
                #expect(answer.status == 200, "\(answer)")
                #expect(origin.requests(to: Self.token) == 1 && origin.requests(to: Self.ownCalls) == 2)
                let report = try await imgur(larder)
                #expect(report["budget"]?["quota"]?["remaining"]?.integer == 998)
                #expect(report["state"]?.string == "ready", "a refused token is no reason to rest")
            }
        }
    }

    private func imgur(_ larder: RunningLarder) async throws -> JSONValue {
        let status = try await larder.get("/v1/status").json()
        return try #require(status["providers"]?.elements.first { $0["name"]?.string == "imgur" })
    }

    /// Some requests are refused with every token. They cause at most one renewal a minute.
    @Test func aRequestThatIsAlwaysRefusedIsSentTwiceAndTheNextOnce() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                try await SignIn.signIn(larder, origin)
                let refusal = Fault.status(403, #"{"data":{"error":"not yours"},"success":false,"status":403}"#)
                origin.script(Self.ownCalls, [refusal, refusal, refusal])
                let first = try await SignIn.get(larder, SignIn.own(1))
                #expect(
                    first.status == 403 && first.text.contains("not yours"), "raw shows the API's own word: \(first)")
                #expect(origin.requests(to: Self.ownCalls) == 2 && origin.requests(to: Self.token) == 1)
                let second = try await SignIn.get(larder, SignIn.own(2))
                #expect(second.status == 403)
                #expect(origin.requests(to: Self.ownCalls) == 3 && origin.requests(to: Self.token) == 1)
                #expect(try await SignIn.isSignedIn(larder))
                #expect(try await imgur(larder)["state"]?.string == "ready")
                #expect(try await SignIn.get(larder, SignIn.own(3)).status == 200)
            }
        }
    }

    /// The second call's answer would be kept and given as the first account's.
    @Test func aCallThatIsRefusedIsNotSentOnceMoreForAnotherAccount() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                try await SignIn.signIn(larder, origin)
                origin.signIn.endAccess()
                origin.script(Self.ownCalls, [.held])
                async let asked = SignIn.get(larder, SignIn.own())
                await origin.arrival(of: 1, to: Self.ownCalls)
                var back = try await SignIn.agree(SignIn.begin(larder), origin)
                back.found.items = back.found.items.map { $0.name == "account_id" ? .init("account_id", "2") : $0 }
                #expect(try await SignIn.land(larder, back).status == 200)
                origin.release(Self.ownCalls)
                let answer = try await asked
                try BadInputScenarios.expectProblem(answer, 503, "another account")
                #expect(answer.text.contains("Another account was signed in meanwhile"))
                #expect(origin.requests(to: Self.ownCalls) == 1)
                #expect(try await SignIn.get(larder, SignIn.own()).status == 200)
            }
        }
    }

    @Test func aRefusedRenewalSignsOutAndNamesTheWayBack() async throws {
        let directory = TemporaryDirectory()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, directory: directory) { larder in
                try await SignIn.signIn(larder, origin)
                origin.signIn.endAll()
                let answer = try await SignIn.get(larder, SignIn.own())
                try BadInputScenarios.expectProblem(answer, 502, "refused")
                #expect(answer.text.contains("larder imgur login") && answer.text.contains("Invalid refresh token"))
                #expect(try await !SignIn.isSignedIn(larder))
                #expect(
                    try await larder.get(SignIn.account).json()["reason"]?.string?.contains("Invalid refresh token")
                        == true)
                let calls = origin.requests(to: "/")
                #expect(try await SignIn.get(larder, SignIn.own(1)).status == 502)
                #expect(origin.requests(to: "/") == calls, "nothing is asked without an account")
            }
            // The status still says so after a restart, until somebody acts.
            try await SignIn.withImgur(origin, directory: directory) { larder in
                let answer = try await SignIn.get(larder, SignIn.own(2))
                #expect(answer.status == 502 && answer.text.contains("larder imgur login"), "\(answer)")
                try await SignIn.signIn(larder, origin)
                #expect(try await SignIn.get(larder, SignIn.own(2)).status == 200)
            }
        }
    }

    @Test func aRenewalThatIsNotAnsweredKeepsTheSignIn() async throws {
        let time = ManualTime()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: time) { larder in
                try await SignIn.signIn(larder, origin)
                time.advance(by: .seconds(3600))
                origin.script(Self.token, [.closed])
                let answer = try await SignIn.get(larder, SignIn.own())
                try BadInputScenarios.expectProblem(answer, 502, "unreachable")
                #expect(try answer.json()["class"]?.string == "unreachable", "\(answer)")
                #expect(origin.requests(to: Self.token) == 1 && origin.requests(to: Self.ownCalls) == 0, "no retry")
                #expect(try await SignIn.isSignedIn(larder))
                // For a few seconds no renewal is tried. After that a renewal succeeds.
                #expect(try await SignIn.get(larder, SignIn.own(1)).status == 502)
                #expect(origin.requests(to: Self.token) == 1)
                time.advance(by: .seconds(30))
                #expect(try await SignIn.get(larder, SignIn.own(1)).status == 200)
                #expect(origin.requests(to: Self.token) == 2)
            }
        }
    }

    @Test func withoutTheSecretTheTokensAreKeptAndTheSettingNamed() async throws {
        let time = ManualTime()
        try await SignIn.withOrigin { origin in
            let settings = SignIn.configuration(origin).replacing(", clientSecret: \(SignIn.clientSecret)", with: "")
            let socket = TemporaryDirectory()
            try await withLarder(
                settings, listen: [#""127.0.0.1:0""#, "\"unix:\(socket.path)/s\""], time: time
            ) { larder in
                try await SignIn.signIn(larder, origin)
                #expect(try await SignIn.get(larder, SignIn.own()).status == 200)
                time.advance(by: .seconds(3600))
                let answer = try await SignIn.get(larder, SignIn.own(1))
                #expect(answer.status == 503 && answer.text.contains("providers.imgur.clientSecret"), "\(answer)")
                #expect(try await SignIn.isSignedIn(larder))
            }
        }
    }

    @Test func whatBelongsToTheAccountIsForItsOwnerAlone() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                let nobody = try await SignIn.get(larder, SignIn.own())
                try BadInputScenarios.expectProblem(nobody, 503, "nobody is signed in")
                #expect(nobody.text.contains("larder imgur login") && origin.requests(to: Self.ownCalls) == 0)
                try await SignIn.signIn(larder, origin)
                #expect(try await SignIn.get(larder, SignIn.own()).text.contains("stand-in-delete-1"))
                let again = try await SignIn.get(larder, SignIn.own())
                #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
                #expect(again["Cache-Control"] == "private, no-store")
                // Other clients on this machine get the answer neither from the API nor from memory.
                for fields in [[], [("Authorization", "Bearer of-nobody")]] {
                    let answer = try await larder.send("GET", SignIn.own(), fields: fields)
                    try BadInputScenarios.expectProblem(answer, 401, "\(fields)")
                }
                #expect(try await larder.get(SignIn.own(), SignIn.authority).status == 200)
            }
        }
    }

    @Test(.enabled(if: !ImgurScenarios.recordings.isEmpty))
    func theRecordingOfAnAccountPassesThroughTheDaemon() async throws {
        let recordings = try Recording.plain.get().recordings.filter {
            $0.api == "imgur" && $0.path.contains("/account/me")
        }
        #expect(recordings.count == 1)
        for recording in recordings {
            let bytes = try readFile("\(Recording.folder)/\(recording.file)")
            let source = OriginSource.custom { request in
                guard request.path == "/imgur\(recording.path)" else { return nil }
                let isOurs = request.fields.first("Authorization")?.hasPrefix("Bearer \(SignInStandIn.accessMark)")
                return OriginAnswer(
                    status: isOurs == true ? recording.status : 401, fields: ["Content-Type": "application/json"],
                    body: bytes)
            }
            try await SignIn.withOrigin(source) { origin in
                try await SignIn.withImgur(origin) { larder in
                    try await SignIn.signIn(larder, origin)
                    let raw = try await SignIn.get(larder, "/raw/imgur\(recording.path)")
                    #expect(raw.status == recording.status && raw.body == bytes, "\(raw)")
                    let again = try await SignIn.get(larder, "/raw/imgur\(recording.path)")
                    #expect(again["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(again)")
                }
            }
        }
    }

    /// The account's answer and everybody's are two entries. Signing in or out switches between them at once.
    @Test func answersForAnAccountAreKeptApart() async throws {
        let source = OriginSource.custom { request in
            guard request.path.hasPrefix("/imgur/3/gallery/"),
                request.fields.first("Authorization") == "Client-ID \(SignIn.clientID)"
            else { return nil }
            let title = request.query?.contains("mature=true") == true ? "What all may see" : "Kitchen of the day"
            let body = """
                {"data":[{"id":"abc1234","title":"\(title)","datetime":1,"type":"image/png","is_album":false,
                "link":"https://i.imgur.com/abc1234.png"}],"success":true,"status":200}
                """
            return OriginAnswer(fields: ["Content-Type": "application/json"], body: Bytes(text: body))
        }
        try await SignIn.withOrigin(source) { origin in
            try await SignIn.withImgur(origin) { larder in
                func title(_ target: String) async throws -> String? {
                    for _ in 0..<2 { _ = try await larder.get(target) }
                    return try await larder.get(target).json()["results"]?.elements.first { _ in true }?["title"]?
                        .string
                }
                #expect(try await title(SignIn.mature()) == "What all may see")
                try await SignIn.signIn(larder, origin)
                #expect(try await title(SignIn.mature()) == "What pantry may see")
                let hot = try await title("/v1/imgur/gallery")
                #expect(hot == "Kitchen of the day", "an account is not shown needlessly")
                // A local search finds what was stored after the account's answer, and not that answer.
                try await larder.eventually("the kitchen is found") {
                    try await larder.get("/v1/local?q=kitchen").json()["count"]?.integer == 1
                }
                #expect(try await larder.get("/v1/local?q=pantry").json()["count"]?.integer == 0)
                let out = try await larder.send("DELETE", SignIn.account, fields: [SignIn.authority])
                #expect(try out.json()["wasSignedIn"]?.bool == true, "\(out)")
                #expect(try await title(SignIn.mature()) == "What all may see")
                #expect(origin.requests(to: "/imgur/3/gallery/") == 3, "each of the three was asked for once")
                #expect(try await SignIn.get(larder, SignIn.own()).status == 503)
            }
        }
    }
}
