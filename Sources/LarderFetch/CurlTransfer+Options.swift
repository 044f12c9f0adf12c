// The options of an easy handle. An option that is not set here keeps libcurl's default on purpose. All options that
// decide about trust, framing and time are set here.
import CCurl
import LarderCore

extension CurlTransfer {
    /// Bytes that libcurl reads at a time for a body that is passed on. A larger buffer needs fewer loop turns per
    /// megabyte.
    private static let streamBuffer = 64 * 1024

    func configure(
        _ options: inout CurlOptions, settings: FetchSettings
    ) {
        let address = hop.url.joined(hop.secretQuery)
        // The target exactly as it was written. libcurl's own form drops an empty query (RFC 9110 §7.7 forbids
        // rewriting it).
        let target = hop.target ?? (isProxied ? nil : address.target)
        if let target { options.text(CURLOPT_REQUEST_TARGET, target) }
        if target != nil, let parsed = hop.url.parsed {
            options.pointer(CURLOPT_CURLU, UnsafeMutableRawPointer(parsed.handle))
        } else {
            options.text(CURLOPT_URL, address.text)
        }
        options.pointer(CURLOPT_ERRORBUFFER, said)
        options.text(CURLOPT_PROTOCOLS_STR, "http,https")
        options.number(CURLOPT_FOLLOWLOCATION, 0)
        options.number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        options.number(CURLOPT_HTTP09_ALLOWED, 0)
        // Bytes stay as received: no content coding is requested or undone.
        options.number(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // The end of a response must be visible while the request body is still being sent: see `isAnsweredEarly`.
        if feed != nil { options.number(CURLOPT_HTTP_TRANSFER_DECODING, 0) }
        setMethod(&options)
        // libcurl would make the line of its option even if a field of the request replaces it. A CONNECT to a proxy has no
        // other.
        if !settings.userAgent.isEmpty, isProxied || !hop.fields.contains(.userAgent) {
            options.text(CURLOPT_USERAGENT, settings.userAgent)
        }

        setCallbacks(&options)
        if limits.isConnection {
            options.number(CURLOPT_CONNECT_ONLY, 1)
            options.number(CURLOPT_HTTPPROXYTUNNEL, 1)
        }
        if limits.window != nil { options.number(CURLOPT_BUFFERSIZE, Self.streamBuffer) }

        setWay(&options, settings)
        options.number(CURLOPT_SSL_VERIFYPEER, 1)
        options.number(CURLOPT_SSL_VERIFYHOST, 2)
        options.number(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // libcurl uses a kept connection or TLS session only for a transfer with the same authorities.
        if let file = hop.caFile { options.text(CURLOPT_CAINFO, file) }
        if let file = settings.caFile { options.text(CURLOPT_PROXY_CAINFO, file) }
        if let share = self.context.share { options.pointer(CURLOPT_SHARE, UnsafeMutableRawPointer(share)) }

        options.number(CURLOPT_NOSIGNAL, 1)
        options.number(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, limits.connectTimeout.milliseconds)))
        // Removing a transfer must not wait for the resolver's thread, which would block the whole loop. The thread is
        // left to end by itself and frees its state (https://curl.se/libcurl/c/CURLOPT_QUICK_EXIT.html).
        options.number(CURLOPT_QUICK_EXIT, 1)
        options.number(CURLOPT_DNS_CACHE_TIMEOUT, 60)
        options.number(CURLOPT_TCP_KEEPALIVE, 1)
        // Servers drop idle connections after about a minute. A connection close to that age is not worth the race.
        options.number(CURLOPT_MAXAGE_CONN, 55)
        // A name may get another address, so connections are not kept for ever.
        options.number(CURLOPT_MAXLIFETIME_CONN, 600)
    }

    /// Where the connection leads, and through what.
    private func setWay(_ options: inout CurlOptions, _ settings: FetchSettings) {
        // An empty text, unlike an unset option, keeps libcurl from reading the proxy from the environment.
        options.text(CURLOPT_PROXY, settings.proxy ?? "")
        options.text(CURLOPT_NOPROXY, "")
        if let detour = settings.detour {
            if !detour.hosts.isEmpty {
                let lines = Bytes(text: detour.hosts.joined(separator: "\0")) + [0]
                options.list(CURLOPT_CONNECT_TO, lines, kept: &ways)
            }
            if let socket = detour.unixSocket { options.text(CURLOPT_UNIX_SOCKET_PATH, socket) }
        }
        options.number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        options.number(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    private func setCallbacks(_ options: inout CurlOptions) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.data(CURLOPT_HEADERFUNCTION, curlTookHeadLine)
        options.pointer(CURLOPT_HEADERDATA, context)
        options.data(CURLOPT_WRITEFUNCTION, curlTookBody)
        options.pointer(CURLOPT_WRITEDATA, context)
        options.keep(larder_easy_set_open_socket(options.easy, curlOpensSocket))
        options.pointer(CURLOPT_OPENSOCKETDATA, context)
        options.keep(larder_easy_set_close_socket(options.easy, curlClosesSocket))
        options.pointer(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self.context.sockets).toOpaque())
        options.keep(larder_easy_set_prereq(options.easy, curlSendsRequest))
        options.pointer(CURLOPT_PREREQDATA, context)
    }

    private func setMethod(_ options: inout CurlOptions) {
        if let feed {
            let context = Unmanaged.passUnretained(self).toOpaque()
            options.number(CURLOPT_UPLOAD, 1)
            // -1 means an unknown length and makes libcurl send chunks.
            options.keep(larder_easy_set_offset(options.easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(feed.length ?? -1)))
            options.data(CURLOPT_READFUNCTION, curlWantsBody)
            options.pointer(CURLOPT_READDATA, context)
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        } else if let body = hop.body {
            options.body(body)
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        } else if hop.method == .head {
            options.number(CURLOPT_NOBODY, 1)
        } else if hop.method == .get {
            options.number(CURLOPT_HTTPGET, 1)
        } else if [.post, .put, .patch].contains(hop.method) {
            // These methods are expected to have a body, so an empty body is declared by its length.
            options.body([])
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        } else {
            options.text(CURLOPT_CUSTOMREQUEST, hop.method.name)
        }
        // When a kept connection dies, libcurl resends the request whatever its method. A request that must not be sent
        // twice therefore gets a new connection. That connection is not kept: each such request would leave one more to
        // the same host, up to the limit on kept connections.
        let isOwn = feed != nil || !RetryPolicy.isRepeatable(hop.method)
        if isOwn || hop.needsFreshConnection || tlsLayers > 1 || limits.isConnection {
            options.number(CURLOPT_FRESH_CONNECT, 1)
        }
        // Unread input cannot be examined through two layers of TLS: see `KeptConnection`.
        if isOwn || tlsLayers > 1 { options.number(CURLOPT_FORBID_REUSE, 1) }
    }
}
