// Uploads for the signed-in account: when an upload renews the tokens, and that its file is sent only once.
import LarderCore
import LarderHTTP
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct AccountUploadScenarios {
    /// The request head has `Expect`. The stand-in refuses it at once, before it wants any of the file.
    @Test func tokensThatEndedAreRenewedBeforeAnythingOfTheFileIsSent() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin, time: ManualTime()) { larder in
                try await SignIn.signIn(larder, origin)
                let film = UploadStand.film(300_000)
                origin.signIn.endAccess()
                let answer = try await upload(film, to: larder)
                #expect(answer.status == 201, "\(answer)")
                let calls = origin.log(of: UploadStand.route)
                #expect(calls.count == 2)
                #expect(calls.allSatisfy { $0.fields.first("Authorization")?.hasPrefix("Bearer ") == true })
                #expect(Set(calls.map { $0.fields.first("Authorization") }).count == 2)
                #expect(origin.uploads.map(\.digest) == [Digest(of: film)])
                // The second refusal of the same sign-in is final.
                origin.signIn.endAll()
                let refused = try await upload(film, to: larder)
                #expect(!(200..<300).contains(refused.status), "\(refused)")
                #expect(origin.uploads.count == 1)
            }
        }
    }

    /// The API takes the whole file first, and then says that the token has ended.
    @Test func aFileThatWasSentInVainIsNotSentAgainButTheNextOneGoesOutWithNewTokens() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                try await SignIn.signIn(larder, origin)
                origin.script(
                    UploadStand.route,
                    [.status(401, #"{"data":{"error":"The access token is over"},"success":false,"status":401}"#)])
                let film = UploadStand.film(300_000)
                let refused = try await upload(film, to: larder)
                #expect(refused.status == 502 && refused.text.contains("larder imgur login"), "\(refused)")
                #expect(origin.requests(to: UploadStand.route) == 1)
                #expect(origin.requests(to: "/imgur/oauth2/token") == 1)
                #expect(try await upload(film, to: larder).status == 201)
                let calls = origin.log(of: UploadStand.route)
                #expect(Set(calls.map { $0.fields.first("Authorization") }).count == 2)
            }
        }
    }

    /// The refusal concerns the address. Another token would not help.
    @Test func aLimitOfTheAddressRenewsNoTokens() async throws {
        try await SignIn.withOrigin { origin in
            try await SignIn.withImgur(origin) { larder in
                try await SignIn.signIn(larder, origin)
                let body = #"{"data":{"error":"Imgur is temporarily over capacity."},"success":false,"status":403}"#
                origin.script(
                    UploadStand.route, [.early(OriginAnswer(status: 403, body: Bytes(text: body)))])
                let refused = try await upload(UploadStand.film(300_000), to: larder)
                #expect(refused.status == 429, "\(refused)")
                #expect(origin.requests(to: UploadStand.route) == 1)
                #expect(origin.requests(to: "/imgur/oauth2/token") == 0)
            }
        }
    }

    private func upload(_ film: Bytes, to larder: RunningLarder) async throws -> WireResponse {
        try await larder.talk { client in
            let head = UploadStand.head("POST", "/v1/imgur/images", length: film.count)
                .replacing(UploadStand.token, with: SignIn.token)
            try client.send(head)
            try? client.send(film)
            return try client.receive()
        }
    }
}
