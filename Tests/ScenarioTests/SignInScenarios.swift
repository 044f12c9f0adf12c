// Signing in through the whole daemon: both forms, with a browser's own requests, who may begin a sign-in, who may end
// one, and what is ever told of it.
import Glibc
import LarderCore
import LarderDaemon
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct SignInScenarios {
    @Test func tokensInTheFragmentSignInAndARestartKeepsThem() async throws {
        let directory = TemporaryDirectory()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, directory: directory) { larder in
                let before = try await larder.get(SignIn.account)
                #expect(try before.json()["signedIn"]?.bool == false, "\(before)")
                let url = try await SignIn.begin(larder)
                #expect(url.hasPrefix("\(origin.root)/imgur/oauth2/authorize?client_id=\(SignIn.clientID)&"), "\(url)")
                #expect(url.contains("response_type=token&state="))
                #expect(try await larder.get(SignIn.account).json()["pending"]?.integer == 1)
                let answer = try await SignIn.land(larder, SignIn.agree(url, origin))
                #expect(answer.status == 200, "\(answer)")
                #expect(try answer.json()["account"]?.string == "pantry")
                let own = try await SignIn.get(larder, SignIn.own())
                #expect(own.status == 200 && own.text.contains("Jam of my own"), "\(own)")
                let sent = try #require(origin.log(of: "/imgur/3/account/me").first?.fields.first("Authorization"))
                #expect(sent.hasPrefix("Bearer \(SignInStandIn.accessMark)"))
                #expect(origin.requests(to: "/imgur/oauth2/token") == 0, "the fragment holds the tokens already")
            }
            try await SignIn.withImgur(origin, directory: directory) { larder in
                let account = try await larder.get(SignIn.account)
                #expect(try account.json()["account"]?.string == "pantry", "\(account)")
                #expect(try account.json()["renewable"]?.bool == true)
                let own = try await SignIn.get(larder, SignIn.own(1))
                #expect(own.status == 200, "\(own)")
            }
            var status = stat()
            #expect(stat("\(directory.path)/state/state.db", &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func aCodeIsExchangedByTheDaemon() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder, type: "code"), origin)
                #expect(back.query.contains("code="), "\(back.query)")
                let answer = try await SignIn.land(larder, back)
                #expect(answer.status == 200, "\(answer)")
                #expect(try await SignIn.isSignedIn(larder))
                let form = try #require(origin.log(of: "/imgur/oauth2/token").first)
                #expect(form.method == .post && form.query == nil)
                #expect(form.body.lossyText.contains("grant_type=authorization_code&code=\(SignInStandIn.codeMark)"))
                #expect(try await SignIn.get(larder, SignIn.own()).status == 200)

                // A code that the API does not know signs nobody in. The answer says why.
                _ = try await larder.send("DELETE", SignIn.account, fields: [SignIn.authority])
                let (query, found) = try await SignIn.agree(SignIn.begin(larder, type: "code"), origin)
                var wrong = found
                wrong.items = found.items.map { $0.name == "code" ? .init("code", "of-somebody-else") : $0 }
                let refused = try await SignIn.land(larder, (query, wrong))
                #expect(refused.status == 502 && refused.text.contains("Invalid authorization code"), "\(refused)")
                #expect(try await !SignIn.isSignedIn(larder))
            }
        }
    }

    /// A client that waits for the sign-in must not take the time of the exchange for its end.
    @Test func aSignInIsUnderWayUntilItsCodeIsExchanged() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder, type: "code"), origin)
                origin.script("/imgur/oauth2/token", [.held])
                async let landed = SignIn.post(larder, back.found)
                await origin.arrival(of: 1, to: "/imgur/oauth2/token")
                let meanwhile = try await larder.get(SignIn.account).json()
                #expect(meanwhile["signedIn"]?.bool == false && meanwhile["pending"]?.integer == 1)
                origin.release("/imgur/oauth2/token")
                #expect(try await landed.status == 200)
                let account = try await larder.get(SignIn.account).json()
                #expect(account["signedIn"]?.bool == true && account["pending"]?.integer == 0)
            }
        }
    }

    @Test func aSignInIsKnownAgainWhenItsProviderIsTurnedOnAgain() async throws {
        let directory = TemporaryDirectory()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, directory: directory) { try await SignIn.signIn($0, origin) }
            try await SignIn.withImgur(origin, more: "enabled: false", directory: directory) { larder in
                #expect(try await larder.get(SignIn.own(), SignIn.authority).status == 503)
                directory.write("larder.yaml", "listen: [\"127.0.0.1:0\"]\n" + SignIn.configuration(origin))
                await larder.daemon.reload()
                let own = try await larder.get(SignIn.own(), SignIn.authority)
                #expect(own.status == 200, "\(own)")
            }
        }
    }

    @Test func onlyWhoHasAuthorityBeginsASignInOrEndsOne() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                for (fields, status) in [([], 401), ([("Authorization", "Bearer wrong")], 401)] {
                    let begun = try await larder.send("GET", SignIn.start, fields: fields)
                    try BadInputScenarios.expectProblem(begun, status, "start")
                    let ended = try await larder.send("DELETE", SignIn.account, fields: fields)
                    try BadInputScenarios.expectProblem(ended, status, "sign out")
                }
                #expect(try await SignIn.get(larder, SignIn.start).status == 200, "the socket has authority")
                let browser = try await larder.get(SignIn.start, SignIn.authority, ("Accept", "text/html,*/*"))
                #expect(
                    browser.status == 303 && browser["Location"]?.contains("oauth2/authorize") == true, "\(browser)")
                let wrong = try await larder.get("\(SignIn.start)?response_type=pin", SignIn.authority)
                try BadInputScenarios.expectProblem(wrong, 400, "response_type")
            }
        }
    }

    @Test func aStateIsGoodOnceForTenMinutesAndOnlyIfItIsOurs() async throws {
        let time = ManualTime()
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: time) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder), origin)
                var wrong = back.found
                wrong.items = back.found.items.map { $0.name == "state" ? .init("state", "guessed") : $0 }
                try BadInputScenarios.expectProblem(try await SignIn.post(larder, wrong), 403, "a guessed state")
                #expect(try await !SignIn.isSignedIn(larder))
                #expect(try await SignIn.post(larder, back.found).status == 200)
                _ = try await larder.send("DELETE", SignIn.account, fields: [SignIn.authority])
                try BadInputScenarios.expectProblem(
                    try await SignIn.post(larder, back.found), 403, "the same once more")
                let late = try await SignIn.agree(SignIn.begin(larder), origin)
                time.advance(by: .seconds(600))
                try BadInputScenarios.expectProblem(try await SignIn.post(larder, late.found), 403, "too late")
                #expect(try await !SignIn.isSignedIn(larder))
                #expect(
                    try await larder.counter(
                        "larder_sign_ins_total", #"provider="imgur",result="unknownState""#) == 3)
            }
        }
    }

    @Test func onlyOurOwnPageEndsASignIn() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder), origin)
                let json = ("Content-Type", "application/json")
                let attempts: [([(String, String)], Int)] = [
                    ([json, ("Origin", "https://evil.example")], 403), ([json, ("Origin", "null")], 403),
                    ([json, ("Origin", "http://localhost:3000")], 403), ([json], 403),
                    ([json, ("Origin", "http://localhost"), ("Sec-Fetch-Site", "cross-site")], 403),
                    ([("Content-Type", "text/plain"), ("Origin", "http://localhost")], 415),
                ]
                for (fields, status) in attempts {
                    let answer = try await SignIn.post(larder, back.found, fields: fields)
                    try BadInputScenarios.expectProblem(answer, status, "\(fields)")
                }
                for body in ["", "[]", "{}", "{\"state\":1}", "{\"access_token\":\"x\"}"] {
                    let answer = try await larder.send(
                        "POST", SignIn.tokens, fields: [json, ("Origin", "http://localhost")], body: body)
                    try BadInputScenarios.expectProblem(answer, 400, body)
                }
                // None of these attempts has used up the state.
                #expect(try await SignIn.post(larder, back.found).status == 200)
            }
        }
    }

    /// A foreign page may lead a person to the landing page, but to no other part of it.
    @Test func theLandingPageIsReachedFromAnywhereAndLoadsNothingForeign() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                let foreign = [
                    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
                ]
                let page = try await larder.send("GET", "\(SignIn.callback)?state=x", fields: foreign)
                #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8", "\(page)")
                let policy = try #require(page["Content-Security-Policy"])
                #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe") && !page.text.contains("://") && !page.text.contains("<script>"))
                #expect(page["Referrer-Policy"] == "no-referrer" && page["Cache-Control"] == "no-store")
                let script = try await larder.get("\(SignIn.callback).js")
                #expect(
                    script["Content-Type"] == "text/javascript; charset=utf-8" && script.text.contains("location.hash"))
                #expect(!script.text.contains("innerHTML") && !script.text.contains("://"), "text is set as text only")
                #expect(try await larder.get("\(SignIn.callback).css").status == 200)
                for target in ["\(SignIn.callback).js", SignIn.start, SignIn.account] {
                    #expect(try await larder.send("GET", target, fields: foreign).status == 403, "\(target)")
                }
            }
        }
    }

    @Test func whoDeclinesIsToldSoAndNobodyIsSignedIn() async throws {
        try await SignIn.withOrigin { origin in
            origin.signIn.declines = true
            try await SignIn.withImgur(origin) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder), origin)
                #expect(back.query.contains("error=access_denied"))
                let answer = try await SignIn.land(larder, back)
                try BadInputScenarios.expectProblem(answer, 403, "declined")
                #expect(answer.text.contains("The sign-in was declined at imgur."))
                let account = try await larder.get(SignIn.account).json()
                #expect(account["signedIn"]?.bool == false && account["pending"]?.integer == 0)
                #expect(account["lastFailure"]?["detail"]?.string == "The sign-in was declined at imgur.")
            }
        }
    }

    @Test func withoutAnApplicationThereIsNothingToSignInWith() async throws {
        try await withLarder("admin: { token: \(SignIn.token) }") { larder in
            let answer = try await larder.get(SignIn.start, SignIn.authority)
            try BadInputScenarios.expectProblem(answer, 503, "no key")
            #expect(answer.text.contains("providers.imgur.key"))
            #expect(try await larder.get(SignIn.account).json()["signedIn"]?.bool == false)
        }
    }

    /// Everything that is ever answered, logged or stored is searched for every secret.
    @Test func noTokenIsInAnAnswerALogOrTheCache() async throws {
        let directory = TemporaryDirectory()
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let time = ManualTime()
        var said = ""
        func whole(_ answer: WireResponse) -> String {
            answer.fields.map { "\($0.name): \($0.value)\n" }.joined() + answer.text + "\n"
        }
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: time, directory: directory, log: log) { larder in
                let back = try await SignIn.agree(SignIn.begin(larder, type: "code"), origin)
                said += try await whole(SignIn.land(larder, back))
                said += try await whole(SignIn.signIn(larder, origin))
                for target in [SignIn.own(), SignIn.own(), SignIn.mature()] {
                    let answer = try await SignIn.get(larder, target)
                    #expect(answer.status == 200, "\(answer)")
                    said += whole(answer)
                    said += try await whole(larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")"))
                }
                origin.signIn.endAccess()
                said += try await whole(SignIn.get(larder, SignIn.own(2)))
                // An API repeats what it was sent.
                let refresh = origin.log(of: "/imgur/oauth2/token").last?.body.lossyText ?? ""
                #expect(refresh.contains("refresh_token=\(SignInStandIn.refreshMark)"))
                origin.signIn.endAccess()
                time.advance(by: .seconds(61))
                origin.script(
                    "/imgur/oauth2/token", [.status(400, "{\"error\":\"no such grant: \(refresh.suffix(41))\"}")])
                let refused = try await SignIn.get(larder, SignIn.own(3))
                #expect(refused.status == 502 && refused.text.contains("(400 no such grant: (hidden))"), "\(refused)")
                said += whole(refused)
                said += try await whole(larder.get("/v1/explain/\(refused["X-Request-Id"] ?? "")"))
                for target in [
                    SignIn.account, "/v1/status", "/metrics", "/openapi.json", "/", SignIn.callback, SignIn.own(4),
                    "/raw/imgur/oauth2/token", "/v1/imgur/account/nothing",
                ] {
                    said += try await whole(SignIn.get(larder, target))
                }
            }
        }
        let secrets = [
            SignInStandIn.accessMark, SignInStandIn.refreshMark, SignInStandIn.codeMark, SignIn.clientSecret,
            SignIn.token,
        ]
        let written = lines.withLock { $0 }
        #expect(written.contains("signed in") && written.contains("signed out"), "the log was not kept")
        for secret in secrets {
            let told = said.split(separator: "\n").filter { $0.contains(secret) }.map { $0.prefix(300) }
            #expect(told.isEmpty, "\(secret) in an answer")
            let logged = written.split(separator: "\n").filter { $0.contains(secret) }
            #expect(logged.isEmpty, "\(secret) in the log")
            for file in ["cache/cache.db", "cache/cache.db-wal"] {
                guard let bytes = try? readFile("\(directory.path)/\(file)") else { continue }
                #expect(!bytes.contains(sequence: Bytes(text: secret)), "\(secret) in \(file)")
            }
        }
    }
}
