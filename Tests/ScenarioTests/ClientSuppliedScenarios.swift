// A refusal of what a client supplied to TMDb: its session, its token, an item of somebody else. It concerns that client.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct ClientSuppliedScenarios {
    private static func refusal(_ code: Int) -> String {
        ok(
            #"{"success":false,"status_code":\#(code),"status_message":"no"}"#, status: "401 Unauthorized",
            fields: "Content-Type: application/json;charset=utf-8\r\n")
    }

    private static let films = ok(#"{"page":1,"results":[{"id":1,"title":"A"}]}"#)

    private func state(_ larder: RunningLarder) async throws -> String? {
        let status = try await larder.get("/v1/status").json()
        return status["providers"]?.elements.first { $0["name"]?.string == "tmdb" }?["state"]?.string
    }

    private func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { tmdb: { baseURL: \"\(origin.base)\", key: \"0123456789abcdef0123456789abcdef\" } }"
    }

    @Test func anExpiredSessionAndAForeignItemSuspendNobody() async throws {
        let origin = ScriptedOrigin { request in
            if request.target.contains("/list/") { return [.send(Self.refusal(39))] }
            return [.send(request.target.contains("session_id") ? Self.refusal(3) : Self.films)]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) {
            larder async throws in
            for number in 0..<4 {
                let account = try await larder.get("/raw/tmdb/3/account?session_id=expired\(number)")
                #expect(account.status == 401 && account.text.contains("status_code"), "\(account)")
                #expect(try await larder.get("/raw/tmdb/3/list/\(number)").status == 401)
            }
            #expect(try await state(larder) == "ready")
            #expect(try await larder.get("/raw/tmdb/3/movie/popular").status == 200)
        }
    }

    @Test func aPageInPlaceOfTheAPIIsNoWordAboutTheKeyIfOtherQuestionsWork() async throws {
        let blocked = ok("<html>", status: "403 Forbidden")
        let origin = ScriptedOrigin { [.send($0.target.contains("query=odd") ? blocked : Self.films)] }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) {
            larder async throws in
            #expect(try await larder.get("/raw/tmdb/3/movie/popular").status == 200)
            #expect(try await larder.get("/raw/tmdb/3/search/movie?query=odd").status == 403)
            try await larder.eventually("the known question was asked again") {
                origin.requests.filter { $0.target.contains("/popular") }.count == 2
            }
            #expect(try await larder.get("/raw/tmdb/3/movie/top_rated").status == 200)
            #expect(try await state(larder) == "ready")
        }
    }

    @Test func aRevokedKeyIsStillSuspendedAlthoughOtherQuestionsWorkedLately() async throws {
        let isRevoked = Lock(false)
        let origin = ScriptedOrigin { _ in [.send(isRevoked.withLock { $0 } ? Self.refusal(7) : Self.films)] }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) {
            larder async throws in
            #expect(try await larder.get("/raw/tmdb/3/movie/popular").status == 200)
            isRevoked.withLock { $0 = true }
            #expect(try await larder.get("/raw/tmdb/3/search/movie?query=x").status == 401)
            try await larder.eventually("it is suspended") { try await state(larder) == "suspended" }
            #expect(origin.requests.count == 3)
        }
    }
}
