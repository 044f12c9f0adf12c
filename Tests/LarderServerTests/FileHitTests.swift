// Hits whose bodies lie in files: what is sent is what a body in memory would give, nothing is read from the disk on the
// loop, and a body that is no longer whole is cut.
import Glibc
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderServer

/// A body in a file without a name. The test says what is in memory.
final class StubFile: FileBody {
    private struct State {
        var isInMemory = true
        var loads: [@Sendable (Bool) -> Void] = []
        var asked: [Range<Int>] = []
    }

    let descriptor: Int32
    let length: Int
    private let state = Lock(State())

    init(_ body: Bytes) throws {
        length = body.count
        var name = Array("/tmp/larder-file-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        unlink(name)
        try #require(body.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == body.count)
    }

    deinit { close(descriptor) }

    func isInMemory(_ stretch: Range<Int>) -> Bool {
        state.withLock { state in
            state.asked.append(stretch)
            return state.isInMemory
        }
    }

    func load(then: @escaping @Sendable (Bool) -> Void) { state.withLock { $0.loads.append(then) } }

    var asked: [Range<Int>] { state.withLock { $0.asked } }

    var isLoading: Bool { state.withLock { !$0.loads.isEmpty } }

    func isInMemory(from now: Bool) { state.withLock { $0.isInMemory = now } }

    /// Ends the load that waits. False if there is none.
    func endLoad(whole: Bool) -> Bool {
        let then = state.withLock { $0.loads.popLast() }
        then?(whole)
        return then != nil
    }
}

@Suite struct FileHitTests {
    private static let body = Bytes((0..<(12 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) })

    /// A client that takes nothing before `test` says so, so that most of the body waits.
    private func withSlowClient(_ test: (RawClient, StubFile) async throws -> Void) async throws {
        let clock = ManualTime()
        let file = try StubFile(Self.body)
        let ready = OneReady(file: file, now: clock.wall())
        try await withServer(ready: ready, clock: clock) { server in
            let client = try RawClient(server.address)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the socket is full") { !file.asked.isEmpty }
            try await test(client, file)
        }
    }

    @Test func aSlowReaderOfAFileGetsEveryByteOfIt() async throws {
        try await withSlowClient { (client, file) async throws in
            let response = try client.response()
            #expect(response.status == 200 && response.body == Self.body)
            #expect(file.asked.allSatisfy { $0.count <= 128 << 10 }, "the loop looks before each part")
        }
    }

    @Test func whatIsNotInMemoryIsLoadedBeforeItIsSent() async throws {
        let file = try StubFile(Self.body)
        let clock = ManualTime()
        file.isInMemory(from: false)
        try await withServer(ready: OneReady(file: file, now: clock.wall()), clock: clock) { server in
            let client = try RawClient(server.address)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the loop waits for the disk") { file.isLoading }
            file.isInMemory(from: true)
            #expect(file.endLoad(whole: true))
            for _ in 0..<2 { #expect(try client.response().body == Self.body) }
        }
    }

    @Test func aBodyThatIsDamagedMeanwhileIsCut() async throws {
        let file = try StubFile(Self.body)
        let clock = ManualTime()
        file.isInMemory(from: false)
        try await withServer(ready: OneReady(file: file, now: clock.wall()), clock: clock) { server in
            let client = try RawClient(server.address)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("the loop waits for the disk") { file.endLoad(whole: false) }
            #expect(client.rest().utf8.count < Self.body.count)
        }
    }

    @Test func aFileThatBecameShorterIsCut() async throws {
        try await withSlowClient { (client, file) async throws in
            #expect(ftruncate(file.descriptor, 11 << 20) == 0)
            var bytes = Bytes()
            while case .bytes = client.transfer(into: &bytes) {}
            #expect(bytes.count < Self.body.count)
        }
    }

    @Test func aClientThatLeavesWhileItsBodyIsLoadedHarmsNobody() async throws {
        let file = try StubFile(Self.body)
        let clock = ManualTime()
        file.isInMemory(from: false)
        try await withServer(ready: OneReady(file: file, now: clock.wall()), clock: clock) { server in
            do {
                let client = try RawClient(server.address)
                client.resetAtEnd()
                client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await eventually("the socket is full") { !file.asked.isEmpty }
            }
            file.isInMemory(from: true)
            try await eventually("the load ends") { file.endLoad(whole: true) }
            #expect(try RawClient(server.address).get("/a").body == Self.body)
        }
    }
}
