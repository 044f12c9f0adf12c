import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

@Suite struct LimitTests {
    @Test func aSlowHeadIs408() async throws {
        let clock = ManualTime()
        try await withServer(clock: clock) { test in
            let client = try RawClient(test.address)
            client.send("GET / HT")
            try client.awaitDelivery()
            try await eventually { test.count(ServerCounters.open) == 1 }
            // The head counts as begun only after the server has read these bytes.
            await settle(test)
            for _ in 0..<9 {
                await test.advance(.seconds(1))
                client.send("T")
                try client.awaitDelivery()
                await settle(test)
            }
            await test.advance(.seconds(2))
            #expect(try client.response().status == 408)
            client.endSending()
            #expect(client.isEnded())
            #expect(test.count(ServerCounters.timeouts, "head") == 1)
        }
    }

    /// Lets the loop read what has arrived on its sockets.
    func settle(_ test: TestServer) async {
        await test.advance(.zero)
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        let clock = ManualTime()
        try await withServer(clock: clock) { test in
            let client = try RawClient(test.address)
            #expect(try client.get("/a").status == 200)
            await test.advance(.seconds(74))
            #expect(try client.get("/b").status == 200)
            await test.advance(.seconds(74))
            #expect(test.count(ServerCounters.open) == 1)
            await test.advance(.seconds(2))
            #expect(client.isEnded())
            #expect(test.count(ServerCounters.timeouts, "idle") == 1)
        }
    }

    @Test func aBodyThatStopsComingIs408() async throws {
        let clock = ManualTime()
        try await withServer(clock: clock) { test in
            let client = try RawClient(test.address)
            client.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
            try client.awaitDelivery()
            await settle(test)
            // The time of the body begins when the server has read the head, which may be after the first advance.
            var rounds = 0
            while !client.hasInput, rounds < 3 {
                await test.advance(.seconds(31))
                await settle(test)
                rounds += 1
            }
            #expect(try client.response().status == 408)
            #expect(rounds < 3)
        }
    }

    @Test func aClientThatTakesNothingIsCutOff() async throws {
        let clock = ManualTime()
        let body = Bytes(repeating: 0x61, count: 32 << 20)
        try await withServer(handler: Answering { _ in ServerResponse(status: 200, body: .bytes(body)) }, clock: clock)
        {
            test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { test.count(ServerCounters.requests, "none") == 1 }
            // The response may be written only after the request is counted. Its time begins then.
            try await eventually { client.hasInput }
            await settle(test)
            await test.advance(.seconds(29))
            #expect(test.count(ServerCounters.timeouts, "write") == 0)
            // Bytes that the kernel took after the advance begin the time anew, once.
            await test.advance(.seconds(2))
            if test.count(ServerCounters.timeouts, "write") == 0 { await test.advance(.seconds(31)) }
            #expect(test.count(ServerCounters.timeouts, "write") == 1)
            #expect(client.rest().utf8.count < body.count)
        }
    }

    @Test func aHandlerMayTakeItsTime() async throws {
        let clock = ManualTime()
        let gate = Gate()
        try await withServer(
            handler: Answering { _ in
                await gate.pass()
                return ServerResponse(status: 200)
            }, clock: clock
        ) { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { gate.arrived.current == 1 }
            await test.advance(.seconds(600))
            gate.open()
            #expect(try client.response().status == 200)
        }
    }

    /// The time that a handler takes does not count against the request waiting behind it.
    @Test func aHeadThatWaitedBehindASlowAnswerHasItsTime() async throws {
        let clock = ManualTime()
        let gate = Gate()
        try await withServer(
            handler: Answering { request in
                if request.path == "/slow" { await gate.pass() }
                return ServerResponse(status: 200)
            }, clock: clock
        ) { test in
            let client = try RawClient(test.address)
            client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nGET /next HT")
            try await eventually { gate.arrived.current == 1 }
            await test.advance(.seconds(600))
            gate.open()
            #expect(try client.response().status == 200)
            await test.advance(.seconds(5))
            client.send("TP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().status == 200)
        }
    }

    @Test func atTheConnectionLimitFurtherOnesWaitAndAreServedLater() async throws {
        let settings = ServerSettings(limits: ServerLimits(maxConnections: 2))
        // The clock stands still: no connection is idle for long enough to be closed for another.
        try await withServer(loops: 2, settings: settings, clock: ManualTime()) { test in
            var first: RawClient? = try RawClient(test.address)
            let second = try RawClient(test.address)
            #expect(try first?.get("/1").status == 200)
            #expect(try second.get("/2").status == 200)
            let third = try RawClient(test.address)
            third.send("GET /3 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { test.count(ServerCounters.pauses, "connections") > 0 }
            #expect(test.count(ServerCounters.open) == 2)
            first = nil
            #expect(try third.response().text == "GET /3 - ")
            _ = first
        }
    }

    @Test func aRaisedLimitLetsThoseInWhoWait() async throws {
        var settings = ServerSettings(limits: ServerLimits(maxConnections: 1))
        try await withServer(settings: settings, clock: ManualTime()) { test in
            let first = try RawClient(test.address)
            #expect(try first.get("/1").status == 200)
            let second = try RawClient(test.address)
            second.send("GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { test.count(ServerCounters.pauses, "connections") > 0 }
            settings.limits.maxConnections = 2
            await test.server.apply(settings)
            #expect(try second.response().status == 200)
        }
    }

    @Test func newSettingsHoldOnOpenConnections() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            #expect(try client.get("/1").status == 200)
            var settings = ServerSettings()
            settings.limits.head = HeadLimits(target: 8)
            settings.hosts = HostPolicy(names: ["Pantry.example"])
            await test.server.apply(settings)
            await settle(test)
            client.send("GET /2 HTTP/1.1\r\nHost: pantry.example:80\r\n\r\n")
            #expect(try client.response().status == 200)
            #expect(try client.get("/123456789").status == 414)
        }
    }
}

@Suite struct ServerLifeTests {
    @Test func unixSocketsTellWhoAsks() async throws {
        try await withDirectory { directory in
            let address = try Address("unix:\(directory)/larder.sock")
            try await withServer(
                listeners: [ListenerSpec(address: address, number: 9, provider: "itunes")],
                handler: Answering { request in
                    let text = "\(request.peer) \(request.listener) \(request.listenerProvider ?? "")"
                    return ServerResponse(status: 200, body: .bytes(Bytes(text: text)))
                }
            ) { test in
                let client = try RawClient(address)
                #expect(try client.get("/").text == "\(Peer.unix(uid: getuid(), pid: getpid())) 9 itunes")
                await test.server.stopAccepting()
                #expect(access("\(directory)/larder.sock", F_OK) != 0)
            }
        }
    }

    @Test func inheritedSocketsTakeThePlaceOfTheirAddress() async throws {
        let descriptor = try Socket.listen(on: Address("127.0.0.1:0"))
        let address = try #require(Socket.localAddress(descriptor))
        let other = try Address("127.0.0.1:0")
        let joined = ListenerSpec.joined(
            [ListenerSpec(address: other, number: 0), ListenerSpec(address: address, number: 1)],
            inherited: [InheritedSocket(descriptor: descriptor, address: address)])
        #expect(joined.map(\.inherited) == [nil, descriptor])
        try await withServer(listeners: joined) { test in
            #expect(test.addresses[1] == address)
            let client = try RawClient(address)
            #expect(try client.get("/").status == 200)
        }
    }

    @Test func inheritedSocketsThatNobodyNamedAreServedToo() throws {
        let named = ListenerSpec(address: try Address("127.0.0.1:1"), number: 4)
        let socket = InheritedSocket(descriptor: 9, address: try Address("127.0.0.1:2"))
        let joined = ListenerSpec.joined([named], inherited: [socket])
        #expect(joined.map(\.number) == [4, 5])
        #expect(ListenerSpec.joined([], inherited: [socket]).map(\.number) == [0])
    }

    @Test func aTakenPortIsAnErrorThatNamesIt() async throws {
        try await withServer { test in
            let loop = try EventLoop(name: "second", index: 0)
            let server = HTTPServer(
                loops: [loop], listeners: [ListenerSpec(address: test.address, number: 0)], ready: nil,
                handler: Answering.echo, settings: ServerSettings(), log: .silent, counters: CounterRegistry())
            let error = #expect(throws: ListenError.self) { try server.start() }
            #expect(error?.description.contains(test.address.description) == true)
        }
    }

    @Test func anOptionalAddressThatIsNotThereIsLeftOut() async throws {
        // This address is reserved for documentation (RFC 5737). No machine has it.
        let nowhere = try Address("192.0.2.1:0")
        let here = try Address("127.0.0.1:0")
        let listeners = [
            ListenerSpec(address: nowhere, number: 0, isOptional: true), ListenerSpec(address: here, number: 1),
        ]
        try await withServer(listeners: listeners) { test in
            #expect(test.addresses.count == 1)
            let client = try RawClient(test.address)
            #expect(try client.get("/").status == 200)
        }
        await #expect(throws: ListenError.self) {
            try await withServer(listeners: [ListenerSpec(address: nowhere, number: 0)]) { _ in }
        }
    }

    @Test func everyLoopAnswersTheProbe() async throws {
        let asked = CounterCell()
        try await withServer(
            loops: 2,
            handler: Answering { request in
                asked.add()
                #expect(request.peer == .probe)
                return ServerResponse(status: request.path == "/healthz" ? 200 : 404)
            }, settings: ServerSettings(limits: ServerLimits(maxConnections: 1))
        ) { test in
            let client = try RawClient(test.address)
            client.send("GET")
            try await eventually { test.count(ServerCounters.open) == 1 }
            #expect(await test.server.probe(within: .seconds(300)))
            #expect(asked.current == 2)
            #expect(await !test.server.probe(path: "/nowhere", within: .seconds(300)))
        }
    }

    @Test func aStuckLoopFailsTheProbe() async throws {
        try await withServer { test in
            let entered = CounterCell()
            // The test holds the loop with this gate.
            let stuck = Gate()
            test.loops[0].post {
                entered.add()
                while stuck.arrived.current == 0 { sched_yield() }
            }
            try await eventually { entered.current == 1 }
            #expect(await !test.server.probe(within: .milliseconds(50)))
            stuck.arrived.add()
        }
    }

    @Test func drainingFinishesAnswersInHandAndClosesTheRest() async throws {
        let gate = Gate()
        try await withServer(
            handler: Answering { request in
                if request.path == "/slow" { await gate.pass() }
                return ServerResponse(status: 200, body: .bytes(Bytes(text: "done")))
            }
        ) { test in
            let idle = try RawClient(test.address)
            #expect(try idle.get("/").status == 200)
            let busy = try RawClient(test.address)
            busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { gate.arrived.current == 1 }
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(60)) }
            #expect(idle.isEnded())
            gate.open()
            let response = try busy.response()
            #expect(response.text == "done")
            #expect(response.fields.first("Connection") == "close")
            #expect(busy.isEnded())
            await drained.value
            #expect(test.server.connectionCount == 0)
            #expect(throws: SystemError.self) { try Socket.connect(to: test.address) }
        }
    }

    /// Only the drain's own deadline ends a connection. The clock may advance by years before the drain begins, because
    /// the drain runs in another task than the clock's advances.
    private static let endless = ServerLimits(
        headTimeout: .seconds(1_000_000_000), bodyTimeout: .seconds(1_000_000_000),
        idleTimeout: .seconds(1_000_000_000),
        minimumRate: MinimumRate(bytesPerSecond: 0))

    @Test func atItsDeadlineADrainTellsWhoeverStillWaits() async throws {
        let clock = ManualTime()
        let gate = Gate()
        let limits = Self.endless
        try await withServer(
            handler: Answering { _ in
                await gate.pass()
                return ServerResponse(status: 200)
            }, settings: ServerSettings(limits: limits), clock: clock
        ) { test in
            let client = try RawClient(test.address)
            client.send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let sending = try RawClient(test.address)
            sending.send("POST /half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
            #expect(try sending.response().status == 100)
            let begun = try RawClient(test.address)
            begun.send("GET /unfin")
            try await eventually { gate.arrived.current == 1 && test.server.connectionCount == 3 }
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(5)) }
            // A client whose head is incomplete has not sent a request, and is cut.
            try await eventually {
                await test.advance(.seconds(6))
                return test.server.connectionCount < 3
            }
            #expect(begun.isEnded())
            for waiting in [client, sending] {
                let response = try waiting.response()
                #expect(response.status == 503)
                #expect(response.fields.first("Connection") == "close")
                #expect(response.fields.first("Content-Type") == "application/problem+json")
                #expect(response.text.contains("server.drainTimeout"), "\(response.text)")
                #expect(waiting.isEnded())
            }
            try await eventually {
                await test.advance(.seconds(2))
                return test.server.connectionCount == 0
            }
            await drained.value
            gate.open()
        }
    }

    @Test func atTheEndOfADrainOnlyWhatMayBeRepeatedIsToBeAskedAgain() async throws {
        let clock = ManualTime()
        let gate = Gate()
        let limits = Self.endless
        try await withServer(
            handler: Answering { _ in
                await gate.pass()
                return ServerResponse(status: 200)
            }, settings: ServerSettings(limits: limits), clock: clock
        ) { test in
            func client(_ request: String) throws -> RawClient {
                let client = try RawClient(test.address)
                client.send(request)
                return client
            }
            let rest = "/late HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            let sent = try client("POST \(rest)2\r\n\r\nab")
            let repeatable = try client("PUT \(rest)2\r\n\r\nab")
            let unsent = try client("POST \(rest)9\r\nExpect: 100-continue\r\n\r\n")
            #expect(try unsent.response().status == 100)
            try await eventually { gate.arrived.current == 2 }
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(5)) }
            try await eventually {
                await test.advance(.seconds(6))
                return test.server.connectionCount == 0
            }
            await drained.value
            gate.open()
            for again in [repeatable, unsent] {
                let answer = try again.response()
                #expect(answer.status == 503 && answer.fields.first("Retry-After") == "5", "\(answer.text)")
                #expect(answer.text.contains("\"retryable\":true"), "\(answer.text)")
            }
            let answer = try sent.response()
            #expect(answer.status == 503 && answer.fields.first("Retry-After") == nil, "\(answer.text)")
            #expect(answer.text.contains("\"retryable\":false"), "\(answer.text)")
            #expect(answer.text.contains("may have taken effect"), "\(answer.text)")
        }
    }

    @Test func theLastWordsToAHeadRequestHaveNoBody() async throws {
        let clock = ManualTime()
        let gate = Gate()
        try await withServer(
            handler: Answering { _ in
                await gate.pass()
                return ServerResponse(status: 200)
            }, clock: clock
        ) { test in
            let client = try RawClient(test.address)
            client.send("HEAD /late HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { gate.arrived.current == 1 }
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(5)) }
            try await eventually {
                await test.advance(.seconds(6))
                return test.server.connectionCount == 0
            }
            await drained.value
            gate.open()
            #expect(try client.response(toHead: true).status == 503)
            #expect(client.isEnded(), "nothing follows the head")
        }
    }

    @Test func whoDoesNotReadTheLastWordsHoldsUpNobody() async throws {
        let clock = ManualTime()
        let gate = Gate()
        try await withServer(
            handler: Answering { _ in
                await gate.pass()
                return ServerResponse(status: 200)
            }, clock: clock
        ) { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { gate.arrived.current == 1 }
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(5)) }
            // The client neither reads nor closes. Its connection is closed anyway.
            try await eventually {
                await test.advance(.seconds(6))
                return test.server.connectionCount == 0
            }
            await drained.value
            gate.open()
            #expect(try client.response().status == 503)
        }
    }

    @Test func manyClientsOverTwoLoopsGetTheirOwnAnswers() async throws {
        try await withServer(loops: 2) { test in
            let address = test.address
            let wrong = CounterCell()
            let threads = (0..<8).map { number in
                startThread {
                    do {
                        let client = try RawClient(address)
                        for round in 0..<100 {
                            let target = "/\(number)/\(round)"
                            if try client.get(target).text != "GET \(target) - " { wrong.add() }
                        }
                    } catch {
                        wrong.add()
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(wrong.current == 0)
            #expect(test.count(ServerCounters.requests, "miss") == 800)
        }
    }
}

/// A directory for one test.
func withDirectory(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/larder-server-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    func clean() {
        _ = unlink(path + "/larder.sock")
        _ = rmdir(path)
    }
    do { try await body(path) } catch {
        clean()
        throw error
    }
    clean()
}
