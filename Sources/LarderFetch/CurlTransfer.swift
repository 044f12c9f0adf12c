// One request and its response: an easy handle, its options, and its result. A transfer is confined to one loop. It
// knows nothing of redirects, retries and places; the exchange handles those.
import CCurl
import LarderCore
import LarderHTTP
import LarderIO

/// How a transfer ended.
enum TransferEnd: Sendable {
    /// The body is complete, in the response or on the transfer's tape.
    case answered(UpstreamResponse)
    /// - sawAnswer: whether a byte of a response had come.
    case failed(FetchError, sawAnswer: Bool)
}

/// The limits of one transfer.
struct TransferLimits {
    var maxBody: Int
    /// The number of requests that may be sent for it, 1 or 2.
    var maxSends: Int
    /// For name resolution, connection and TLS together.
    var connectTimeout: Duration
    /// The bytes of the body's tape that are kept in memory; nil if the body is gathered whole.
    var window: Int?
    /// Whether a connection is made and no request is sent.
    var isConnection = false
}

/// What the transfers of one loop share.
struct TransferContext {
    let share: OpaquePointer?
    let sockets: OpenSockets
    let handles: EasyHandles
    let memory: BodyMemory
    let loop: EventLoop
    let time: any TimeSource
}

/// An easy handle and the state of its callbacks.
final class CurlTransfer {
    let hop: Hop
    /// Nil once closed.
    private(set) var easy: UnsafeMutableRawPointer?
    /// Requests sent. More than one if libcurl resent on a new connection a request that was lost on a kept one.
    private(set) var sends = 0
    /// Connections made for the transfer, known once it ended. Zero if a kept connection served it.
    var connectionsMade = 0
    /// The duration of its stages, known once it ended.
    var stages: TransferStages?
    /// Body bytes received, whether kept or not.
    private(set) var received = 0
    let began: MonotonicTime
    /// When the final head began.
    private(set) var firstByte: MonotonicTime?
    /// When data last came or went.
    private(set) var touched: MonotonicTime
    let limits: TransferLimits
    /// The body that is passed on as it comes. Set once the final head is complete.
    private(set) var tape: BodyTape?
    /// The tape has no room for more.
    private(set) var isFull = false
    /// The request body.
    let feed: UploadFeed?
    /// Called inside libcurl's calls. The owner should look at the transfer once those calls have returned.
    var callsForAttention: (() -> Void)?

    let context: TransferContext
    let isProxied: Bool
    /// The number of TLS layers between the request and the socket: one for an https proxy, one for an https origin.
    let tlsLayers: Int
    private var list: UnsafeMutablePointer<curl_slist>?
    /// Where hosts are connected to instead.
    var ways: UnsafeMutablePointer<curl_slist>?
    /// Directions in which libcurl was told to pause.
    private(set) var restsReceiving = false
    private var restsSending = false

    var head: ResponseHeadReader
    var body = WholeBody()
    /// The buffer in which libcurl describes an error in words.
    let said: UnsafeMutablePointer<CChar>
    var requestTime: WallTime
    var responseTime: WallTime
    /// The finding of one of our own checks. It takes precedence over libcurl's code, which only says that a callback
    /// refused.
    var failure: FetchError?
    var refusedAddress = false
    var triedAddress = false
    /// A kept connection was not fit for use, and nothing was sent.
    private(set) var metUnaskedInput = false
    /// The socket of a transfer that only makes a connection. Its owner closes it.
    var connection: Int32?
    /// The transfer completed, and libcurl holds no state of it any more.
    var isReusable = false
    /// Decodes the response's chunks while a request body is sent. libcurl reports the end of a chunked response only
    /// when the request has ended too.
    private var chunks: ChunkedDecoder?
    private var isLastChunkThere = false
    /// A socket was opened for this transfer. Bytes that come first on a new connection are the server's own business.
    private var isNewConnection = false

    /// Makes a handle that is ready to be added to a multi handle.
    /// - Parameter feed: the request body; it replaces the hop's body.
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
        // To libcurl an empty text means a direct connection, so the address check must not take it for a proxy.
        isProxied = settings.proxy?.isEmpty == false
        let isProxySecure = settings.proxy?.lowercased().hasPrefix("https:") == true
        tlsLayers = (isProxySecure ? 1 : 0) + (hop.url.origin.isSecure ? 1 : 0)
        head = ResponseHeadReader(method: hop.method)
        requestTime = context.time.wall()
        responseTime = requestTime
        let lines: Bytes
        do {
            lines = try RequestLines.make(
                fields: hop.fields, secretFields: hop.secretFields, hasBody: hop.body != nil || feed != nil,
                expectsContinue: feed?.isHeld == true)
        } catch {
            throw fault(.send, error.message)
        }
        guard RequestLines.isMethod(hop.method) else { throw fault(.send, "The method of the request is not valid.") }
        if isProxySecure, limits.isConnection {
            throw fault(.connect, "A tunnel cannot lead through an https proxy (fetch.proxy).")
        }
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
        // `CurlMulti` closes the transfers it was given. This call is for a transfer that was never added.
        close()
        said.deallocate()
    }

    var origin: String { hop.url.origin.description }

    /// Frees what belongs to libcurl. The handle must not be in a multi handle.
    func close() {
        if let easy { context.handles.giveBack(easy, isReusable: isReusable) }
        if let list { curl_slist_free_all(list) }
        if let ways { curl_slist_free_all(ways) }
        easy = nil
        (list, ways) = (nil, nil)
        body = WholeBody()
    }

    // MARK: Resting

    /// Notes that the tape has room again.
    func gotRoom() {
        isFull = false
        touched = context.loop.monotonic
    }

    /// Whether libcurl has paused a direction that could go on.
    var canGoOn: Bool { restsReceiving && !isFull || restsSending && feed?.isReady == true }

    /// Whether the request body is paused because its next bytes have not come, and no response has come either.
    var waitsForBody: Bool { restsSending && feed?.isReady == false && head.framing == nil }

    /// Resumes the directions that can go on. Must not be called inside libcurl's calls. libcurl may call back at once:
    /// it delivers what it kept during the pause before this returns (https://curl.se/libcurl/c/curl_easy_pause.html).
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

    /// Whether a socket may be opened to an address; nil is an address of an unknown kind.
    func permitsConnection(to address: PublicAddress?) -> Bool {
        guard isPermitted(address) else {
            refusedAddress = true
            return false
        }
        triedAddress = true
        return true
    }

    /// Whether the request may be sent over the connection, which may be a kept one opened under another address
    /// policy.
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
            failure = fault(.receive, "The upstream sent data before it got the request.")
            return false
        }
        sends += 1
        takeNewConnectionIfLost()
        head = ResponseHeadReader(method: hop.method)
        requestTime = context.time.wall()
        return true
    }

    /// libcurl sends a request again that was lost on a kept connection, and looks for a kept connection first. An
    /// origin that has closed one idle connection has probably closed the others too, so the second must be new. libcurl
    /// reads the option whenever it looks for a connection.
    private func takeNewConnectionIfLost() {
        guard !isNewConnection, sends < limits.maxSends, let easy else { return }
        _ = larder_easy_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
    }

    /// Notes that a socket was opened for the transfer's connection.
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
            failure = fault(.malformed, "The answer is not acceptable HTTP: \(error.message).")
            return false
        }
    }

    /// What happens to a piece of the body.
    enum Taking {
        case taken
        /// Not accepted now: libcurl must offer the same piece again.
        case rests
        case refused
    }

    func tookBody(_ piece: UnsafeRawBufferPointer) -> Taking {
        // libcurl keeps a piece that finds the tape full. It keeps at most what it reads at a time.
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

    /// Whether the whole response has come while the request body is still being sent.
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

    /// The number of request body bytes written to `buffer`; nil if there are none now.
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
            // A final response of 300 or above ends the request body (RFC 9112 §9.5). libcurl stops sending too, and
            // closes the connection after the response. Any other final response makes the 100 unnecessary.
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
            .overloaded, "There was no memory for the answer: other answers use all of fetch.maxMemory.")
        return false
    }

    private func isPermitted(_ address: @autoclosure () -> PublicAddress?) -> Bool {
        switch hop.addresses {
        case .configured: true
        // Behind a proxy the socket is the proxy's, which the configuration names.
        case .publicOnly: isProxied || address()?.isPublic == true
        }
    }

    func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: origin, message: message)
    }
}
