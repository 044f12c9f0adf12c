// A stand-in for the public APIs on this machine, for the demo, for tests and for measuring. It writes its answers
// byte by byte itself instead of through `HTTPServer`, since half of what it is for is to answer as no server should:
// cut off, unframed, late or never.
import LarderCore
import LarderIO
import LarderProviders

/// Where the answers come from.
public enum OriginSource: Sendable {
    /// The built-in samples.
    case samples
    /// A folder of recorded answers with its `index.json`.
    case recordings(folder: String)
    /// A function of one's own, asked first; nil leaves the request to the samples.
    case custom(@Sendable (OriginRequest) -> OriginAnswer?)
}

/// The stand-in: `/{name}/…` for each API, `/artwork/…`, and with recordings `/only/FILE/…`, which
/// answers every request below it with that one recording.
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
    ///   - rewritesImageHosts: image URLs in answers then lead to this stand-in.
    ///   - port: 0 for one that the kernel chooses.
    /// - Throws: `OriginError` where a recordings folder cannot be read, `SystemError` where no loop can be made.
    public init(source: OriginSource, rewritesImageHosts: Bool = false, port: UInt16 = 0) throws {
        let folder: RecordingFolder? =
            if case .recordings(let folder) = source { try RecordingFolder(folder: folder) } else { nil }
        let custom: (@Sendable (OriginRequest) -> OriginAnswer?)? =
            if case .custom(let body) = source { body } else { nil }
        responder = OriginResponder(folder: folder, custom: custom, rewrites: rewritesImageHosts)
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

    /// Closes every connection, whatever is still owed on it, and ends the loop. To be called once, by whoever called
    /// `start`.
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

    /// The root without a slash at its end.
    public var root: String { "http://127.0.0.1:\(port)" }

    /// What to put into `providers.<name>.baseURL`.
    public func baseURL(for provider: String) -> String {
        "\(root)/\(SampleAPIs.of(provider: provider)?.name ?? provider)"
    }

    /// A base URL below which everything is answered with that recording ("itunes/search-….json").
    public func baseURL(only file: String) -> String { "\(root)/only/\(file)" }

    /// The recordings that it has, in the order of their index; none where it gives samples.
    public var recordings: [RecordedRequest] { responder.recordings }

    /// From now on every request to an API is answered with that recording, as below `/only/`; nil ends that. For one
    /// who asks the same question of several recordings in turn.
    public func choose(_ file: String?) { responder.choose(file) }

    /// The accounts that people sign in to.
    public var signIn: SignInStandIn { responder.signIn }

    // MARK: Scripts and counters

    /// Requests that came to paths beginning so ("/itunes/search"; "/" for all), faulty ones included.
    public func requests(to prefix: String) -> Int { responder.faults.count(prefix) }

    /// The requests themselves, the first ten thousand.
    public func log(of prefix: String) -> [OriginRequest] { responder.faults.requests(prefix) }

    /// The uploads that came, those under way and those cut off included.
    public var uploads: [SeenUpload] { responder.uploads.all }

    /// Adds faults for the next requests below a path prefix, one each; after them all is well again.
    public func script(_ prefix: String, _ faults: [Fault]) { responder.faults.add(prefix, faults) }

    /// Drops what is left of all scripts.
    public func clearScripts() { responder.faults.clear() }

    /// Answers every request below the prefix that is held, and reads on from every upload there that stands still.
    public func release(_ prefix: String = "/") {
        let responder = responder
        loop.post { responder.host()?.release(prefix) }
    }

    /// Suspends until so many requests have come below the prefix in all, or until the stand-in stops.
    public func arrival(of count: Int, to prefix: String) async { await responder.faults.waitFor(count, prefix) }
}

/// Why a stand-in could not be made.
public struct OriginError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
