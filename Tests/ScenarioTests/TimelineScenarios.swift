// How long each step took, in `/v1/explain`: the steps of a miss, and of a request that joins it.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct TimelineScenarios {
    private static let search = "/v1/itunes/search?term=jack&media=music"

    private func stages(_ answer: WireResponse, _ larder: RunningLarder) async throws -> [String] {
        let id = try #require(answer["X-Request-Id"])
        let explanation = try await larder.get("/v1/explain/\(id)").json()
        return explanation["timeline"]?.elements.compactMap { $0["stage"]?.string } ?? []
    }

    @Test func aMissTellsItsLookUpsItsTransferItsWorkAndItsCommit() async throws {
        try await InterfaceScenarios.withSamples { larder in
            let answer = try await larder.get(Self.search)
            #expect(answer.status == 200)
            var told: [String] = []
            // The commit follows the answer, and the socket may take the last bytes a moment later.
            try await larder.eventually("commit and write are noted") {
                told = try await stages(answer, larder)
                return told.contains("commit") && told.contains("write")
            }
            for stage in ["lookUp", "connect", "answer", "body", "classify", "normalise"] {
                #expect(told.contains(stage), "\(stage) is not in \(told)")
            }
            #expect(told.first == "lookUp")
        }
    }

    @Test func whoJoinsAFetchIsToldOfTheWaitForItAndNotOfItsTransfer() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(CacheScenarios.song)] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let head = "GET \(CacheScenarios.search) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let first = try WireClient(larder.address)
            try first.send(head)
            try await larder.eventually("the first one leads") { origin.requests.count == 1 }
            let second = try WireClient(larder.address)
            try second.send(head)
            try await larder.eventually("the second one has joined") {
                try await larder.counter("larder_joined_total") >= 1
            }
            gate.open()
            let answer = try await onOwnThread { [second] in try second.receive() }
            let told = try await stages(answer, larder)
            #expect(told.contains("join"), "\(told)")
            #expect(!told.contains("answer"), "\(told)")
        }
    }
}

extension TimelineScenarios {
    /// For a request with a body libcurl counts the wait for the answer from the first byte that it sends.
    @Test func theAnswerToAnUploadBeginsWithItsFirstByte() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("page"))] }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") { larder in
            let client = try WireClient(larder.address)
            try client.send("POST /raw/api/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
            try await larder.eventually("the origin has it") { origin.requests.count == 1 }
            // Only the wait for the answer takes this long.
            let began = ContinuousClock.now
            while ContinuousClock.now - began < .milliseconds(120) { _ = try await larder.get("/healthz") }
            gate.open()
            let answer = try await onOwnThread { [client] in try client.receive() }
            let id = try #require(answer["X-Request-Id"])
            try await larder.eventually("the transfer has ended") {
                let timeline = try await larder.get("/v1/explain/\(id)").json()["timeline"]?.elements.map { $0 } ?? []
                return timeline.contains {
                    $0["stage"]?.string == "answer" && ($0["milliseconds"]?.double ?? 0) >= 100
                }
            }
        }
    }
}
