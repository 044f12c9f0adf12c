import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderServer

/// Clients that keep connections and send no request do not shut out other clients.
@Suite struct CrowdTests {
    @Test(arguments: [
        (4096, 4032, 3780), (16, 15, 15), (15, 15, 15), (2, 2, 2), (1, 1, 1), (1_000_000, 999_936, 937_440),
    ])
    func theLimitIsSharedOut(most: Int, shared: Int, mark: Int) {
        let shares = ConnectionShares(most: most)
        #expect(shares.shared == shared)
        #expect(shares.limit(isUnix: true) == most)
        #expect(shares.excess(open: mark, somebodyWaits: false) == 0)
        #expect(shares.excess(open: mark + 3, somebodyWaits: false) == 3)
        #expect(shares.excess(open: shared, somebodyWaits: true) >= 1)
        #expect(shares.excess(open: 0, somebodyWaits: true) == 0)
    }

    @Test func everyLoopsPartIsRoundedUp() {
        #expect(ConnectionShares.part(of: 3, own: 10, open: 20) == 2)
        #expect(ConnectionShares.part(of: 1, own: 1, open: 4000) == 1)
        #expect(ConnectionShares.part(of: 5, own: 0, open: 10) == 0)
        #expect(ConnectionShares.part(of: 5, own: 0, open: 0) == 0)
    }

    @Test func nearTheLimitTheIdlestGoAndEverybodyIsServed() async throws {
        let clock = ManualTime()
        let limits = ServerLimits(maxConnections: 32, idleTimeout: .seconds(86_400))
        try await withServer(settings: ServerSettings(limits: limits), clock: clock) { test in
            var clients: [RawClient] = []
            for number in 0..<100 {
                let client = try RawClient(test.address)
                #expect(try client.get("/\(number)").status == 200)
                clients.append(client)
                await test.advance(.seconds(2))
            }
            try await eventually { test.count(ServerCounters.open) == 29 }
            #expect(test.count(ServerCounters.shed) == 71)
            #expect(clients[70].isEnded())
            for client in clients[71...] { #expect(try client.get("/again").status == 200) }
        }
    }

    @Test func whoeverHasARequestUnderWayStays() async throws {
        let clock = ManualTime()
        let limits = ServerLimits(
            maxConnections: 2, headTimeout: .seconds(1_000_000_000), idleTimeout: .seconds(1_000_000_000))
        try await withServer(settings: ServerSettings(limits: limits), clock: clock) { test in
            let busy = try RawClient(test.address)
            busy.send("GET /busy HT")
            try busy.awaitDelivery()
            let idle = try RawClient(test.address)
            #expect(try idle.get("/idle").status == 200)
            await test.advance(.seconds(2))
            let third = try RawClient(test.address)
            third.send("GET /third HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // The time-out check also handles waiting connections.
            try await eventually {
                await test.advance(.seconds(1))
                return test.count(ServerCounters.shed) == 1
            }
            #expect(try third.response().status == 200)
            #expect(idle.isEnded())
            busy.send("TP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try busy.response().status == 200)
        }
    }

    /// A full server stops accepting as soon as its last place is taken, whether or not a client waits outside.
    @Test func nobodyIsClosedAtAFullLimitWhereNobodyWaits() async throws {
        let clock = ManualTime()
        let limits = ServerLimits(maxConnections: 2, headTimeout: .seconds(86_400), idleTimeout: .seconds(86_400))
        try await withServer(settings: ServerSettings(limits: limits), clock: clock) { test in
            let clients = try (0..<2).map { _ in try RawClient(test.address) }
            for client in clients { #expect(try client.get("/").status == 200) }
            try await eventually { test.count(ServerCounters.pauses, "connections") > 0 }
            for _ in 0..<5 { await test.advance(.seconds(2)) }
            for client in clients { #expect(try client.get("/again").status == 200) }
            #expect(test.count(ServerCounters.shed) == 0)
        }
    }

    @Test func oneByteOnEachConnectionShutsOutNobody() async throws {
        let limits = ServerLimits(
            maxConnections: 32, headTimeout: .seconds(1_000_000_000), idleTimeout: .seconds(1_000_000_000))
        try await withServer(settings: ServerSettings(limits: limits), clock: ManualTime()) { test in
            let crowd = try (0..<50).map { _ in try RawClient(test.address) }
            for client in crowd { client.send("G") }
            try await eventually { test.count(ServerCounters.pauses, "connections") > 0 }
            let other = try wire(test)
            try other.send(get)
            try await eventually {
                await test.advance(.seconds(1))
                return other.hasInput
            }
            #expect(try other.receive().status == 200)
            #expect(crowd[0].isEnded())
        }
    }

    @Test func theUnixSocketKeepsAReserve() async throws {
        try await withDirectory { directory in
            let local = try Address("unix:\(directory)/larder.sock")
            let listeners = [
                ListenerSpec(address: try Address("127.0.0.1:0"), number: 0), ListenerSpec(address: local, number: 1),
            ]
            // The clock stands still: no connection is ever idle for long enough to be closed.
            let settings = ServerSettings(limits: ServerLimits(maxConnections: 32))
            try await withServer(listeners: listeners, settings: settings, clock: ManualTime()) { test in
                let clients = try (0..<40).map { _ in try RawClient(test.address) }
                try await eventually { test.count(ServerCounters.pauses, "connections") > 0 }
                #expect(test.count(ServerCounters.open) == 30)
                let owner = try RawClient(local)
                #expect(try owner.get("/").status == 200)
                #expect(clients.count == 40)
            }
        }
    }
}
