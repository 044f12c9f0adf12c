import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Testing

@Suite struct RetryTests {
    /// Fetches with the clock standing still, and advances the clock when a second try is waiting.
    private func fetch(
        _ rig: Rig, _ time: ManualTime, _ order: FetchOrder
    ) async throws -> Result<UpstreamResponse, FetchError> {
        let task = Task { await rig.outcome(order) }
        let ended = LarderCore.Lock(false)
        let watcher = Task {
            _ = await task.value
            ended.withLock { $0 = true }
        }
        let before = rig.count(FetchCounters.retries)
        try await eventually { rig.count(FetchCounters.retries) > before || ended.withLock { $0 } }
        time.advance(by: .milliseconds(2300))
        rig.loop.post {}
        await watcher.value
        return await task.value
    }

    @Test(arguments: [
        [Act.reset], [.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")],
        [.send("HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n")],
        [.send("HTTP/1.1 502 Gateway\r\nContent-Length: 0\r\n\r\n")],
        [.send("HTTP/1.1 504 Gateway\r\nContent-Length: 0\r\n\r\n")],
    ])
    func whatMayPassIsTriedOnceMore(first: [Act]) async throws {
        let count = LarderCore.Lock(0)
        let origin = ScriptedOrigin { _ in
            count.withLock {
                $0 += 1; return $0
            } == 1 ? first : [.send(ok("second"))]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let outcome = try await fetch(rig, time, order(origin.base + "/", mayRetry: true))
            #expect((try? outcome.get())?.body.lossyText == "second")
            #expect(origin.requests.count == 2)
            #expect(rig.count(FetchCounters.retries) == 1)
        }
    }

    @Test func theSecondTryIsTheLast() async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let outcome = try await fetch(rig, time, order(origin.base + "/", mayRetry: true))
            #expect((try? outcome.get())?.status == 503)
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: [
        "403 Forbidden", "429 Too Many", "500 Oops", "404 Not Found", "503 Busy\r\nRetry-After: 3",
        "503 Busy\r\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT",
    ])
    func limitsAndRefusalsAreNeverTriedAgain(status: String) async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/", mayRetry: true))
            #expect(status.hasPrefix("\(response.status)"))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatChangesSomethingIsNeverSentTwice() async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/ok" ? [.send(ok("x"))] : [.reset]
        }
        defer { origin.stop() }
        try await withRig { rig in
            // A kept connection is available, and must not be used.
            _ = try await rig.fetcher.fetch(order(origin.base + "/ok"))
            let error = await rig.failure(order(origin.base + "/", method: .post, body: [1], mayRetry: true))
            #expect(error?.stage == .receive)
            #expect(origin.requests.map(\.target) == ["/ok", "/"])
            #expect(origin.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func anOrderMayForbidIt() async throws {
        let origin = ScriptedOrigin { _ in [.reset] }
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.failure(order(origin.base + "/"))?.stage == .receive)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aKeptConnectionThatDiesIsReplacedOnceAndThatIsTheRetry() async throws {
        let origin = ScriptedOrigin { request in request.target == "/1" ? [.send(ok("one"))] : [.close] }
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(order(origin.base + "/1"))
            let error = await rig.failure(order(origin.base + "/2", mayRetry: true))
            #expect(error?.stage == .receive)
            #expect(origin.requests.map(\.target) == ["/1", "/2", "/2"])
            #expect(rig.count(FetchCounters.retries) == 1)
        }
    }

    @Test func aKeptConnectionThatDiesIsNotReplacedWhereThatIsForbidden() async throws {
        let origin = ScriptedOrigin { request in request.target == "/1" ? [.send(ok("one"))] : [.close] }
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(order(origin.base + "/1"))
            let error = await rig.failure(order(origin.base + "/2"))
            #expect(error?.stage == .receive)
            #expect(origin.requests.map(\.target) == ["/1", "/2"])
        }
    }

    /// Answers the first request of each connection after all connections have one, and closes each connection when
    /// another request arrives on it.
    private func originWhoseIdleConnectionsDie(_ connections: Int) -> ScriptedOrigin {
        let arrived = LarderCore.Lock((count: 0, served: Set<Int>()))
        let all = Gate()
        return ScriptedOrigin { request in
            let (isFirst, isLast) = arrived.withLock { arrived in
                arrived.count += 1
                return (arrived.served.insert(request.connection).inserted, arrived.count == connections)
            }
            if isLast { all.open() }
            return isFirst ? [.await(all), .send(ok(request.target))] : [.close]
        }
    }

    @Test(arguments: [false, true])
    func theRetryTakesANewConnectionWhereAllKeptOnesDie(isStream: Bool) async throws {
        let origin = originWhoseIdleConnectionsDie(4)
        defer { origin.stop() }
        try await withRig { rig in
            let pool = (0..<4).map { number in Task { await rig.text(order(origin.base + "/pool\(number)")) } }
            for task in pool { #expect(await task.value.hasPrefix("/pool")) }
            for number in 0..<2 {
                let order = order(origin.base + "/\(number)", mayRetry: true)
                if isStream {
                    let stream = try await rig.fetcher.open(order, upload: nil, stall: .seconds(30))
                    #expect(stream.head.status == 200)
                } else {
                    #expect(await rig.text(order) == "/\(number)")
                }
            }
            // Each was lost once and sent once more, on a connection of its own.
            #expect(origin.requests.map(\.target).suffix(4) == ["/0", "/0", "/1", "/1"])
            #expect(origin.connections == 6)
            #expect(rig.count(FetchCounters.retries) == 2)
        }
    }

    @Test func theRetryOfAResetTakesANewConnectionToo() async throws {
        let isIdle = Gate()
        let origin = ScriptedOrigin { request in
            switch (request.connection, request.target) {
            case (0, "/kept"): [.await(isIdle), .send(ok("kept"))]
            case (0, _): [.close]
            case (1, _): [.reset]
            default: [.send(ok("second"))]
            }
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let kept = Task { await rig.text(order(origin.base + "/kept")) }
            try await eventually { origin.connections == 1 }
            let task = Task { await rig.text(order(origin.base + "/", mayRetry: true)) }
            try await eventually { rig.count(FetchCounters.retries) == 1 }
            isIdle.open()
            #expect(await kept.value == "kept")
            time.advance(by: .milliseconds(2300))
            rig.loop.post {}
            #expect(await task.value == "second")
            #expect(origin.requests.filter { $0.target == "/" }.map(\.connection) == [1, 2])
        }
    }

    /// A redirect may lead to an origin whose kept connection dies too, and the one retry is spent by then.
    @Test(arguments: [false, true])
    func aRedirectAfterARetryTakesANewConnection(isStream: Bool) async throws {
        let origin = ScriptedOrigin { request in
            switch (request.connection, request.target) {
            case (0, "/kept"): [.send(ok("kept"))]
            case (1, "/go"): [.send("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n")]
            case (2, "/end"): [.send(ok("end"))]
            default: [.close]
            }
        }
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.text(order(origin.base + "/kept")) == "kept")
            let order = order(origin.base + "/go", maxRedirects: 1, mayRetry: true, permits: { _ in .configured })
            if isStream {
                let stream = try await rig.fetcher.open(order, upload: nil, stall: .seconds(30))
                #expect(stream.head.status == 200)
            } else {
                #expect(await rig.text(order) == "end")
            }
            #expect(origin.requests.map(\.connection) == [0, 0, 1, 2])
        }
    }
}
