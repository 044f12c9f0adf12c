// A local stand-in for the public APIs, for the demo, for tests and for benchmarks. It writes its answers itself and
// does not use `HTTPServer`, because many of its answers must be wrong: cut off, unframed, late or missing.
import LarderCore
import LarderIO
import LarderProviders

/// The source of the answers.
public enum OriginSource: Sendable {
    /// The built-in samples.
    case samples
    /// A tape, or a folder of recorded answers with an `index.json`.
    case recordings(folder: String)
    /// A function that is called first. If it returns nil, the samples answer the request.
    case custom(@Sendable (OriginRequest) -> OriginAnswer?)
}

/// The stand-in. It serves `/{name}/…` for each API and `/artwork/…`. With recordings it also serves `/only/FILE/…`,
/// where that one recording answers every request.
public final class OriginServer: Sendable {
    private let responder: OriginResponder
    private let loop: EventLoop
    private let address: Address
    private let state = Lock<State>(State())

    private struct State {
        var listener: Int32?
        var port: UInt16 = 0
    }

    /// - Parameters:
    ///   - rewritesImageHosts: whether image URLs in answers are rewritten to lead to this stand-in.
    ///   - port: 0 lets the kernel choose a port.
    /// - Throws: `OriginError` if a recordings folder cannot be read, `SystemError` if no loop can be made.
    public init(source: OriginSource, rewritesImageHosts: Bool = false, port: UInt16 = 0) throws {
        let path: String? = if case .recordings(let folder) = source { folder } else { nil }
        let tape = try path.flatMap { path throws(OriginError) in try OriginTape(folder: path) }
        let folder = try tape == nil ? path.map { path throws(OriginError) in try RecordingFolder(folder: path) } : nil
        let custom: (@Sendable (OriginRequest) -> OriginAnswer?)? =
            if case .custom(let body) = source { body } else { nil }
        responder = OriginResponder(tape: tape, folder: folder, custom: custom, rewrites: rewritesImageHosts)
        loop = try EventLoop(name: "origin", index: 0)
        address = try Address("127.0.0.1:\(port)")
    }

    /// Listens and serves until `stop`. Returns the port.
    @discardableResult
    public func start() throws(SystemError) -> UInt16 {
        let listener = try Socket.listen(on: address)
        let port = Socket.localAddress(listener)?.port ?? 0
        state.withLock { state in
            state.listener = listener
            state.port = port
        }
        responder.setOrigin("http://127.0.0.1:\(port)")
        try loop.start()
        let (loop, responder) = (loop, responder)
        loop.post {
            let host = OriginHost(loop: loop, responder: responder, listener: listener)
            responder.attach(LoopBound(host, on: loop))
        }
        return port
    }

    /// Closes every connection, even with pending output, and ends the loop. The caller of `start` must call this once.
    public func stop() {
        let responder = responder
        loop.post {
            responder.host()?.close()
            responder.detach()
        }
        loop.stop()
        loop.join()
        responder.faults.end()
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        if let listener { Syscall.close(listener) }
    }

    public var port: UInt16 { state.withLock { $0.port } }

    /// The root URL without a slash at its end.
    public var root: String { "http://127.0.0.1:\(port)" }

    /// The value for `providers.<name>.baseURL`.
    public func baseURL(for provider: String) -> String {
        "\(root)/\(SampleAPIs.of(provider: provider)?.name ?? provider)"
    }

    /// A base URL below which this recording answers every request ("itunes/search-….json").
    public func baseURL(only file: String) -> String { "\(root)/only/\(file)" }

    /// The tape that is played; nil if there is none.
    public var tape: OriginTape? { responder.tape }

    /// The recordings, in the order of the index; empty if the stand-in serves samples.
    public var recordings: [RecordedRequest] { responder.recordings }

    /// Makes this recording answer every request to an API from now on, as below `/only/`. Nil ends this. For tests
    /// that ask the same question of several recordings in turn.
    public func choose(_ file: String?) { responder.choose(file) }

    /// The accounts for sign-ins.
    public var signIn: SignInStandIn { responder.signIn }

    // MARK: Scripts and counters

    /// The number of requests to paths with this prefix ("/itunes/search"; "/" for all), including requests that got a
    /// fault.
    public func requests(to prefix: String) -> Int { responder.faults.count(prefix) }

    /// The requests to paths with this prefix, from the first ten thousand requests in all.
    public func log(of prefix: String) -> [OriginRequest] { responder.faults.requests(prefix) }

    /// The uploads that were received, including those under way and those cut off.
    public var uploads: [SeenUpload] { responder.uploads.all }

    /// Adds faults for the next requests below a path prefix, one for each request. Later requests are answered as
    /// usual.
    public func script(_ prefix: String, _ faults: [Fault]) { responder.faults.add(prefix, faults) }

    /// Removes all remaining faults of all scripts.
    public func clearScripts() { responder.faults.clear() }

    /// Answers every held request below the prefix, and continues reading every stalled upload there.
    public func release(_ prefix: String = "/") {
        let responder = responder
        loop.post { responder.host()?.release(prefix) }
    }

    /// Suspends until this many requests in all have arrived below the prefix, or until the stand-in stops.
    public func arrival(of count: Int, to prefix: String) async { await responder.faults.waitFor(count, prefix) }
}

/// The reason why a stand-in could not be made.
public struct OriginError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
