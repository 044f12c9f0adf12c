// One request and its answer: an easy handle, what it was set to, and what came of it. Lives on one loop. A
// transfer knows nothing of redirects, retries and turns; those are the exchange's.
import CCurl
import LarderCore
import LarderHTTP
import LarderIO

/// How a transfer ended.
enum TransferEnd: Sendable {
    /// The body is whole, in the answer or on the transfer's tape.
    case answered(UpstreamResponse)
    /// - sawAnswer: whether a byte of an answer had come.
    case failed(FetchError, sawAnswer: Bool)
}

/// What one transfer may take.
struct TransferLimits {
    var maxBody: Int
    /// Requests that may go out for it, 1 or 2.
    var maxSends: Int
    /// For name, connection and TLS together.
    var connectTimeout: Duration
    /// Bytes of the body's tape in memory; nil where the body is gathered whole.
    var window: Int?
}

/// What the transfers of one loop have in common.
struct TransferContext {
    let share: OpaquePointer?
    let sockets: OpenSockets
    let handles: EasyHandles
    let memory: BodyMemory
    let loop: EventLoop
    let time: any TimeSource
}

/// An easy handle and its callbacks' state.
final class CurlTransfer {
    let hop: Hop
    /// Nil once closed.
    private(set) var easy: UnsafeMutableRawPointer?
    /// Requests that went out: more than one where libcurl resent on a fresh connection what a kept one had swallowed.
    private(set) var sends = 0
    /// Connections made for it, once it ended: none where a kept one served.
    var connectionsMade = 0
    /// How long its stages took, once it ended.
    var stages: TransferStages?
    /// Bytes of the body that came, kept or not.
    private(set) var received = 0
    let began: MonotonicTime
    /// When the final head began.
    private(set) var firstByte: MonotonicTime?
    /// When something last came or went.
    private(set) var touched: MonotonicTime
    let limits: TransferLimits
    /// The body that is passed on; there once the final head is.
    private(set) var tape: BodyTape?
    /// The tape has no room for more.
    private(set) var isFull = false
    /// The request's body.
    let feed: UploadFeed?
    /// Called inside libcurl's calls when its owner should look at the transfer once they have returned.
    var callsForAttention: (() -> Void)?

    let context: TransferContext
    let isProxied: Bool
    /// Layers of TLS between the request and the socket: that of an https proxy, that of the origin.
    let tlsLayers: Int
    private var list: UnsafeMutablePointer<curl_slist>?
    /// What libcurl was told to rest from.
    private(set) var restsReceiving = false
    private var restsSending = false

    var head: ResponseHeadReader
    var body = WholeBody()
    /// Where libcurl says in words what it met.
    let said: UnsafeMutablePointer<CChar>
    var requestTime: WallTime
    var responseTime: WallTime
    /// What one of our own checks found; it outranks libcurl's code, which only says that a callback refused.
    var failure: FetchError?
    var refusedAddress = false
    var triedAddress = false
    /// A kept connection was not fit to be used; nothing was sent.
    private(set) var metUnaskedInput = false
    /// It came to its end, and libcurl has nothing left of it.
    var isReusable = false
    /// Undoes the answer's chunks where a request's body goes the other way: libcurl tells of the end of a chunked answer
    /// only when the request has ended too.
    private var chunks: ChunkedDecoder?
    private var isLastChunkThere = false
    /// A socket was opened for it: what comes first on that one is the server's own business.
    private var isNewConnection = false

    /// Makes the handle ready to be added.
    /// - Parameter feed: takes the place of the hop's body.
    init(
        _ hop: Hop, _ limits: TransferLimits, settings: FetchSettings, feed: UploadFeed?, in context: TransferContext
    ) throws(FetchError) {
        self.hop = hop
        self.limits = limits
        self.feed = feed
        self.context = context
        said = .allocate(capacity: Int(CURL_ERROR_SIZE))
        said.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        touched = context.loop.monotonic
        began = touched
        // An empty text would mean a direct connection to libcurl, and must not mean a proxy to the address check.
        isProxied = settings.proxy?.isEmpty == false
        let isProxySecure = settings.proxy?.lowercased().hasPrefix("https:") == true
        tlsLayers = (isProxySecure ? 1 : 0) + (hop.url.origin.isSecure ? 1 : 0)
        head = ResponseHeadReader(method: hop.method)
        requestTime = context.time.wall()
        responseTime = requestTime
        let lines: [Bytes]
        do {
            lines = try RequestLines.make(
                fields: hop.fields, secretFields: hop.secretFields, hasBody: hop.body != nil || feed != nil,
                expectsContinue: feed?.isHeld == true)
        } catch {
            throw fault(.send, error.message)
        }
        guard RequestLines.isMethod(hop.method) else { throw fault(.send, "The method cannot be sent.") }
        if isProxied, hop.addresses == .publicOnly, PublicAddress.isPlainlyLocal(host: hop.url.origin.host) {
            throw fault(.forbidden, "The host is not a public one.")
        }
        guard let easy = context.handles.take() else { throw CurlError.error(CURLE_FAILED_INIT, origin: origin) }
        self.easy = easy
        var options = CurlOptions(easy)
        configure(&options, settings: settings)
        options.list(CURLOPT_HTTPHEADER, lines, kept: &list)
        if options.failure != CURLE_OK {
            close()
            throw FetchError(
                stage: .send, origin: origin, curlCode: Int(options.failure.rawValue),
                message: "libcurl refused a setting of the transfer.")
        }
    }

    deinit {
        // `CurlMulti` closes what it was given; this is for a transfer that was never added.
        close()
        said.deallocate()
    }

    var origin: String { hop.url.origin.description }

    /// Frees what belongs to libcurl. Only when the handle is in no multi handle.
    func close() {
        if let easy { context.handles.giveBack(easy, isReusable: isReusable) }
        if let list { curl_slist_free_all(list) }
        easy = nil
        list = nil
        body = WholeBody()
    }

    // MARK: Resting

    /// The tape has room again.
    func gotRoom() {
        isFull = false
        touched = context.loop.monotonic
    }

    /// Whether libcurl rests from something that could go on.
    var canGoOn: Bool { restsReceiving && !isFull || restsSending && feed?.isReady == true }

    /// Whether the request's body rests for want of more while no answer has come.
    var waitsForBody: Bool { restsSending && feed?.isReady == false && head.framing == nil }

    /// Lets libcurl go on with what can. Never inside its calls, but it may call back at once: what it kept while it
    /// rested is delivered before this returns (https://curl.se/libcurl/c/curl_easy_pause.html).
    func goOn() -> CURLcode {
        guard let easy else { return CURLE_OK }
        if !isFull { restsReceiving = false }
        if feed?.isReady == true { restsSending = false }
        var rests: Int32 = 0
        if restsReceiving { rests |= larder_CURLPAUSE_RECV }
        if restsSending { rests |= larder_CURLPAUSE_SEND }
        return curl_easy_pause(easy, rests)
    }

    // MARK: Inside libcurl's calls

    /// Whether a socket may be opened to that address; nil is one of an unknown kind.
    func permitsConnection(to address: PublicAddress?) -> Bool {
        guard isPermitted(address) else {
            refusedAddress = true
            return false
        }
        triedAddress = true
        return true
    }

    /// Whether the request may go out over the connection, which may be one that another policy opened.
    func permitsSending(to address: @autoclosure () -> PublicAddress?, over ends: ConnectionEnds?) -> Bool {
        guard isPermitted(address()) else {
            failure = fault(.forbidden, "The address of the host is not a public one.")
            return false
        }
        guard sends < limits.maxSends else {
            failure = CurlError.error(CURLE_GOT_NOTHING, origin: origin)
            return false
        }
        guard isNewConnection || KeptConnection.isFit(easy, ends, tls: tlsLayers, sockets: context.sockets) else {
            metUnaskedInput = true
            failure = fault(.receive, "The upstream spoke before it was asked.")
            return false
        }
        sends += 1
        head = ResponseHeadReader(method: hop.method)
        requestTime = context.time.wall()
        return true
    }

    /// A socket was opened for its connection.
    func opened(_ descriptor: Int32) {
        isNewConnection = true
        context.sockets.add(descriptor)
    }

    func tookHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        touched = context.loop.monotonic
        do {
            switch try head.take(line) {
            case .began:
                responseTime = context.time.wall()
                if firstByte == nil { firstByte = touched }
            case .more, .trailer: break
            case .interim(100):
                firstByte = nil
                feed?.release()
                callsForAttention?()
            case .interim:
                firstByte = nil
                callsForAttention?()
            case .complete(let framing): return begins(framing)
            }
            return true
        } catch {
            failure = fault(.malformed, "The answer is not HTTP as we accept it: \(error.message).")
            return false
        }
    }

    /// What becomes of a piece of the body.
    enum Taking {
        case taken
        /// Not now: the same piece is to be given again.
        case rests
        case refused
    }

    func tookBody(_ piece: UnsafeRawBufferPointer) -> Taking {
        // A piece that finds the tape full stays with libcurl: at most what it reads at a time is kept there.
        if isFull {
            if !restsReceiving { callsForAttention?() }
            restsReceiving = true
            return .rests
        }
        touched = context.loop.monotonic
        let taking = chunks == nil ? keep(piece) : keepChunks(piece)
        if taking == .taken { noteWholeAnswer() }
        return taking
    }

    private func keepChunks(_ piece: UnsafeRawBufferPointer) -> Taking {
        var content = Bytes()
        let progress = chunks?.decode(piece.bindMemory(to: UInt8.self), into: &content, limit: .max).progress
        if case .fault = progress {
            failure = fault(.malformed, "The answer's chunks are malformed.")
            return .refused
        }
        isLastChunkThere = progress == .done
        return content.isEmpty ? .taken : content.withUnsafeBytes(keep)
    }

    private func keep(_ piece: UnsafeRawBufferPointer) -> Taking {
        guard piece.count <= limits.maxBody - received else {
            received += piece.count
            _ = isTooLarge()
            return .refused
        }
        received += piece.count
        if let tape {
            isFull = !tape.append(piece)
        } else {
            guard body.append(piece, limit: limits.maxBody, context.memory) else {
                _ = isOverloaded()
                return .refused
            }
        }
        return .taken
    }

    /// Whether the whole answer came while the request's body is still being sent.
    var isAnsweredEarly: Bool {
        guard let feed, !feed.isWhole else { return false }
        switch head.framing {
        case .some(.none): return true
        case .length(let length): return Int64(received) == length
        case .chunked: return isLastChunkThere
        case .untilClose, nil: return false
        }
    }

    private func noteWholeAnswer() {
        if isAnsweredEarly { callsForAttention?() }
    }

    /// The next bytes of the request's body; nil where there are none now.
    func wantsBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let feed else { return 0 }
        touched = context.loop.monotonic
        switch feed.give(into: buffer) {
        case .bytes(let count): return count
        case .end: return 0
        case .wait:
            restsSending = true
            if feed.isHeld { callsForAttention?() }
            return nil
        }
    }

    private func begins(_ framing: ResponseFraming) -> Bool {
        if case .length(let length) = framing {
            guard length <= Int64(limits.maxBody) else { return isTooLarge() }
            if limits.window == nil, !body.expect(Int(length), context.memory) { return isOverloaded() }
        }
        chunks = feed != nil && framing == .chunked ? ChunkedDecoder() : nil
        if let window = limits.window {
            tape = BodyTape(window: window, promised: finalHead?.length)
            callsForAttention?()
        }
        if let feed, !feed.isWhole {
            // A final answer that is no success ends the request's body (RFC 9112 §9.5): libcurl stops there too, and
            // closes the connection after the answer. Any other final answer does without the 100.
            if head.status >= 300 { feed.drop() } else { feed.release() }
        }
        noteWholeAnswer()
        return true
    }

    private func isTooLarge() -> Bool {
        failure = fault(.tooLarge, "The body is larger than \(Units.format(size: Int64(limits.maxBody))).")
        return false
    }

    private func isOverloaded() -> Bool {
        failure = fault(
            .overloaded, "There was no memory for the answer: others that are held whole have all of fetch.maxMemory.")
        return false
    }

    private func isPermitted(_ address: @autoclosure () -> PublicAddress?) -> Bool {
        switch hop.addresses {
        case .configured: true
        // Through a proxy the socket is the proxy's, which the configuration names.
        case .publicOnly: isProxied || address()?.isPublic == true
        }
    }

    func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: origin, message: message)
    }
}
