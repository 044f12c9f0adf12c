// One request and its answer: an easy handle, what it was set to, and what came of it. Lives on the fetch loop. A
// transfer knows nothing of redirects, retries and turns; those are the exchange's.
import CCurl
import LarderCore

/// How a transfer ended.
enum TransferEnd: Sendable {
    case answered(UpstreamResponse)
    /// - sawAnswer: whether a byte of an answer had come.
    case failed(FetchError, sawAnswer: Bool)
}

/// An easy handle and its callbacks' state.
final class CurlTransfer {
    let hop: Hop
    /// Nil once closed.
    private(set) var easy: UnsafeMutableRawPointer?
    /// Requests that went out: more than one where libcurl resent on a fresh connection what a kept one had swallowed.
    private(set) var sends = 0
    /// Connections made for it, once it ended: none where a kept one served.
    private(set) var connectionsMade = 0
    /// Bytes of the body that came, kept or not.
    private(set) var received = 0
    private let maxBody: Int
    private let maxSends: Int
    private let isProxied: Bool
    private let time: any TimeSource
    private var list: UnsafeMutablePointer<curl_slist>?

    private var head: AnswerHead
    private var body = Bytes()
    private var requestTime: WallTime
    private var responseTime: WallTime
    /// What one of our own checks found; it outranks libcurl's code, which only says that a callback refused.
    private var failure: FetchError?
    private var refusedAddress = false
    private var triedAddress = false

    /// Makes the handle ready to be added.
    /// - Parameters:
    ///   - maxSends: requests that may go out for this transfer, 1 or 2.
    ///   - connectTimeout: for name, connection and TLS together.
    init(
        _ hop: Hop, maxBody: Int, maxSends: Int, connectTimeout: Duration, settings: FetchSettings,
        share: OpaquePointer?, time: any TimeSource
    ) throws(FetchError) {
        self.hop = hop
        self.maxBody = maxBody
        self.maxSends = maxSends
        self.time = time
        // An empty text would mean a direct connection to libcurl, and must not mean a proxy to the address check.
        isProxied = settings.proxy?.isEmpty == false
        head = AnswerHead(method: hop.method)
        requestTime = time.wall()
        responseTime = requestTime
        let lines: [Bytes]
        do {
            lines = try RequestLines.make(
                fields: hop.fields, secretFields: hop.secretFields, hasBody: hop.body != nil)
        } catch {
            throw fault(.send, error.message)
        }
        guard RequestLines.isMethod(hop.method) else { throw fault(.send, "The method cannot be sent.") }
        if isProxied, hop.addresses == .publicOnly, PublicAddress.isPlainlyLocal(host: hop.url.origin.host) {
            throw fault(.forbidden, "The host is not a public one.")
        }
        guard let easy = curl_easy_init() else { throw CurlError.error(CURLE_FAILED_INIT, origin: origin) }
        self.easy = easy
        var options = CurlOptions(easy)
        configure(&options, settings: settings, connectTimeout: connectTimeout, share: share)
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
    }

    var origin: String { hop.url.origin.description }

    /// Frees what belongs to libcurl. Only when the handle is in no multi handle.
    func close() {
        if let easy { curl_easy_cleanup(easy) }
        if let list { curl_slist_free_all(list) }
        easy = nil
        list = nil
    }

    /// What became of it; called once, after libcurl reported its end and before `close`.
    func end(_ code: CURLcode) -> TransferEnd {
        readConnectionUse()
        if let failure { return .failed(failure, sawAnswer: !head.isUntouched) }
        guard code == CURLE_OK else {
            if refusedAddress, !triedAddress {
                return .failed(fault(.forbidden, "The address of the host is not a public one."), sawAnswer: false)
            }
            var error = CurlError.error(code, origin: origin)
            if sends == 0, error.stage == .receive || error.stage == .send, isProxied {
                error.stage = .connect
                error.message = "The proxy made no connection."
            }
            return .failed(error, sawAnswer: !head.isUntouched)
        }
        // libcurl has said so already; "complete" is never concluded from the absence of an error alone.
        switch head.framing {
        case nil:
            return .failed(fault(.receive, "The answer has no head."), sawAnswer: !head.isUntouched)
        case .length(let length) where Int64(body.count) != length:
            return .failed(fault(.receive, "The answer was cut off."), sawAnswer: true)
        case .length, .chunked, .untilClose, .some(.none):
            break
        }
        let whole = body
        body = []
        return .answered(
            UpstreamResponse(
                status: head.status, reason: head.reason, fields: head.fields, body: whole, requestTime: requestTime,
                responseTime: responseTime, url: hop.url.text))
    }

    private func readConnectionUse() {
        var made = 0
        if let easy, larder_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK { connectionsMade = made }
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
    func permitsSending(to address: PublicAddress?) -> Bool {
        guard isPermitted(address) else {
            failure = fault(.forbidden, "The address of the host is not a public one.")
            return false
        }
        guard sends < maxSends else {
            failure = CurlError.error(CURLE_GOT_NOTHING, origin: origin)
            return false
        }
        sends += 1
        head = AnswerHead(method: hop.method)
        requestTime = time.wall()
        return true
    }

    func tookHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        do {
            switch try head.take(line) {
            case .began: responseTime = time.wall()
            case .more, .trailer: break
            case .complete(let framing): return begins(framing)
            }
            return true
        } catch {
            failure = fault(.malformed, "The answer is not HTTP as we accept it: \(error.message).")
            return false
        }
    }

    func tookBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        received += piece.count
        guard piece.count <= maxBody - body.count else { return isTooLarge() }
        body.append(contentsOf: piece)
        return true
    }

    private func begins(_ framing: BodyFraming) -> Bool {
        if case .length(let length) = framing {
            guard length <= Int64(maxBody) else { return isTooLarge() }
            // A length is a promise of the far side: believed up to a point, earned beyond it.
            body.reserveCapacity(Int(min(length, 1 << 20)))
        }
        return true
    }

    private func isTooLarge() -> Bool {
        failure = fault(.tooLarge, "The body is larger than \(Units.format(size: Int64(maxBody))).")
        return false
    }

    private func isPermitted(_ address: PublicAddress?) -> Bool {
        switch hop.addresses {
        case .configured: true
        // Through a proxy the socket is the proxy's, which the configuration names.
        case .publicOnly: isProxied || address?.isPublic == true
        }
    }

    private func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: origin, message: message)
    }

    // MARK: Options

    private func configure(
        _ options: inout CurlOptions, settings: FetchSettings, connectTimeout: Duration, share: OpaquePointer?
    ) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.text(CURLOPT_URL, hop.url.text)
        options.text(CURLOPT_PROTOCOLS_STR, "http,https")
        options.number(CURLOPT_FOLLOWLOCATION, 0)
        options.number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        options.number(CURLOPT_HTTP09_ALLOWED, 0)
        // Bytes stay as received: no content coding is asked for or undone.
        options.number(CURLOPT_HTTP_CONTENT_DECODING, 0)
        setMethod(&options)
        if !settings.userAgent.isEmpty { options.text(CURLOPT_USERAGENT, settings.userAgent) }

        options.data(CURLOPT_HEADERFUNCTION, curlTookHeadLine)
        options.pointer(CURLOPT_HEADERDATA, context)
        options.data(CURLOPT_WRITEFUNCTION, curlTookBody)
        options.pointer(CURLOPT_WRITEDATA, context)
        options.keep(larder_easy_set_open_socket(options.easy, curlOpensSocket))
        options.pointer(CURLOPT_OPENSOCKETDATA, context)
        options.keep(larder_easy_set_prereq(options.easy, curlSendsRequest))
        options.pointer(CURLOPT_PREREQDATA, context)

        // An empty text, unlike none, keeps libcurl from asking the environment.
        options.text(CURLOPT_PROXY, settings.proxy ?? "")
        options.text(CURLOPT_NOPROXY, "")
        options.number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        options.number(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))

        options.number(CURLOPT_SSL_VERIFYPEER, 1)
        options.number(CURLOPT_SSL_VERIFYHOST, 2)
        options.number(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let file = settings.caFile { options.text(CURLOPT_CAINFO, file) }
        if let share { options.pointer(CURLOPT_SHARE, UnsafeMutableRawPointer(share)) }

        options.number(CURLOPT_NOSIGNAL, 1)
        options.number(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, connectTimeout.milliseconds)))
        // Leaving a transfer must not wait for the resolver's thread, which would hold the whole loop: the thread is
        // left to end by itself and frees its state (https://curl.se/libcurl/c/CURLOPT_QUICK_EXIT.html).
        options.number(CURLOPT_QUICK_EXIT, 1)
        options.number(CURLOPT_DNS_CACHE_TIMEOUT, 60)
        options.number(CURLOPT_TCP_KEEPALIVE, 1)
        // Servers drop idle connections after a minute or so; one that is about to go is not worth the race.
        options.number(CURLOPT_MAXAGE_CONN, 55)
        // A name may move: connections are not kept for ever.
        options.number(CURLOPT_MAXLIFETIME_CONN, 600)
    }

    private func setMethod(_ options: inout CurlOptions) {
        if let body = hop.body {
            options.body(body)
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        } else if hop.method == .head {
            options.number(CURLOPT_NOBODY, 1)
        } else if hop.method == .get {
            options.number(CURLOPT_HTTPGET, 1)
        } else if [.post, .put, .patch].contains(hop.method) {
            // These are expected to have a body: an empty one is said so by its length.
            options.body([])
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        } else {
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        }
        // On a kept connection that dies libcurl sends the request again, whatever its method: what may not be sent
        // twice gets a connection of its own.
        if !RetryPolicy.isRepeatable(hop.method) { options.number(CURLOPT_FRESH_CONNECT, 1) }
    }
}
