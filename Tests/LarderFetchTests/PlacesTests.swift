// Transfers paced by clients have places of their own and never delay transfers that end soon. No request is turned
// away after it was sent, and the upstream is not blamed.
import Glibc
import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Synchronization
import Testing

@Suite struct PlacesTests {
    /// Answers `/events` with a head and then nothing until the gate is opened, and all other targets at once.
    private func origin(_ gate: Gate) -> ScriptedOrigin {
        ScriptedOrigin { request in
            guard request.target == "/events" else { return [.send(ok("plain"))] }
            return [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .await(gate),
                .send("3\r\nend\r\n0\r\n\r\n"),
            ]
        }
    }

    @Test func answersThatClientsPaceHoldUpNobody() async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer { origin.stop() }
        try await withRig(FetchSettings(maxTransfers: 2, standard: ExchangeLimits(maxConnections: 2))) { rig in
            var streams: [UpstreamStream] = []
            for _ in 0..<8 {
                streams.append(try await rig.open(order(origin.base + "/events"), stall: .seconds(1_000_000)))
            }
            try await eventually { rig.count(FetchCounters.paced) == 8 }
            for _ in 0..<3 { #expect(await rig.text(order(origin.base + "/plain")) == "plain") }
            gate.open()
            for stream in streams { #expect(await text(stream.body) == "end") }
            try await eventually { rig.count(FetchCounters.paced) == 0 }
            #expect(rig.count(FetchCounters.active) == 0)
        }
    }

    @Test func uploadsThatDripHoldUpNobody() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin(answering: ok("plain"))
        defer {
            gate.open()
            origin.stop()
        }
        try await withRig(FetchSettings(maxTransfers: 1)) { rig in
            let readers = (0..<8).map { _ in DrippingReader() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reader in readers {
                    group.addTask {
                        _ = await rig.opened(
                            order(origin.base + "/up", method: .put),
                            upload: Upload(reader: reader, length: nil, expectsContinue: false))
                    }
                }
                try await eventually { rig.count(FetchCounters.paced) == 8 }
                #expect(await rig.text(order(origin.base + "/plain")) == "plain")
                for reader in readers { reader.end() }
            }
        }
    }

    /// Most responses of unknown length end within a moment. They need no other place than the one they have.
    @Test func aShortAnswerOfUnknownLengthPassesThoughNoOtherPlaceIsFree() async throws {
        let gate = Gate()
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let origin = ScriptedOrigin { request in
            request.target == "/events"
                ? [.send(chunked), .await(gate)] : [.send(chunked), .send("2\r\nok\r\n0\r\n\r\n")]
        }
        defer { origin.stop() }
        try await withRig(FetchSettings(standard: ExchangeLimits(maxStreams: 1)), time: ManualTime()) { rig in
            _ = try await rig.open(order(origin.base + "/events"))
            for _ in 0..<5 {
                let stream = try await rig.open(order(origin.base + "/short"))
                #expect(await text(stream.body) == "ok")
            }
        }
    }

    /// The fetcher takes a body that fits the window from its upstream whatever the readers do, and likewise a body
    /// that its caller stores.
    @Test func whatNoClientPacesKeepsItsPlace() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let length = request.target == "/short" ? "Content-Length: 4" : "Transfer-Encoding: chunked"
            return [.send("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n"), .await(gate)]
        }
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.open(order(origin.base + "/short"))
            var stored = order(origin.base + "/long")
            stored.isPacedByClient = { _ in false }
            let stream = try await rig.open(stored)
            #expect(rig.count(FetchCounters.paced) == 0)
            stream.becamePaced()
            try await eventually { rig.count(FetchCounters.paced) == 1 }
            #expect(rig.count(FetchCounters.active) == 2)
        }
    }

    @Test func whoFindsNoPlaceInTimeIsOverloadedAndNothingWasSent() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("late"))] }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(FetchSettings(standard: ExchangeLimits(maxConnections: 1)), time: time) { rig in
            async let first = rig.text(order(origin.base + "/", deadline: .seconds(60)))
            try await eventually { origin.requests.count == 1 }
            async let second = rig.failure(order(origin.base + "/", deadline: .seconds(20)))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            time.advance(by: .seconds(20))
            rig.loop.post {}
            let error = await second
            #expect(error?.stage == .overloaded)
            #expect(error?.isUnsent == true)
            gate.open()
            #expect(await first == "late")
        }
    }

    @Test func whatWasNotSentIsSaidSo() async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/away"
                ? [.send("HTTP/1.1 302 Found\r\nLocation: http://\(impossibleName)/\r\nContent-Length: 0\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
        }
        let closed = LoopbackPort()
        defer { origin.stop() }
        try await withRig { rig in
            let refused = await rig.failure(order("http://127.0.0.1:\(closed.number)/"))
            #expect(refused?.stage == .connect && refused?.isUnsent == true)
            let unknown = await rig.failure(order("http://\(impossibleName)/"))
            #expect(unknown?.stage == .resolve && unknown?.isUnsent == true)
            let cut = await rig.failure(order(origin.base + "/cut"))
            #expect(cut?.stage == .receive && cut?.isUnsent == false)
            // The first hop counted as a call.
            let hop = await rig.failure(
                order(origin.base + "/away", maxRedirects: 1, permits: { _ in .configured }))
            #expect(hop?.stage == .resolve && hop?.isUnsent == false)
        }
        withExtendedLifetime(closed) {}
    }
}

/// A body that gives one byte and then nothing until the test ends it.
final class DrippingReader: BodyReader {
    private struct State {
        var given = false
        var isEnded = false
        var isAbandoned = false
        var waiter: CheckedContinuation<Void, Never>?
    }
    private let state = LarderCore.Lock(State())

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    /// Whether its one byte was given.
    var wasAsked: Bool { state.withLock { $0.given } }

    func next() async throws(BodyFailure) -> Bytes? {
        let isFirst = state.withLock { state in
            defer { state.given = true }
            return !state.given
        }
        if isFirst { return [0x61] }
        await handover { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                if !state.isEnded, !state.isAbandoned { state.waiter = continuation }
                return state.isEnded || state.isAbandoned
            }
            if isOver { continuation.resume() }
        }
        if isAbandoned { throw BodyFailure("Nobody reads it any more.") }
        return nil
    }

    func end() { finish { $0.isEnded = true } }
    func abandon() { finish { $0.isAbandoned = true } }

    private func finish(_ change: (inout State) -> Void) {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }
}
