// Shared by the scenarios with an account: a daemon whose Imgur is the stand-in, and a browser's requests for a
// sign-in, one by one.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

/// The steps of one sign-in.
enum SignIn {
    static let token = "admin-token-of-tests"
    static let clientID = "client-id-of-tests"
    static let clientSecret = "client-secret-of-tests"
    static let authority = ("Authorization", "Bearer \(token)")
    static let start = "/v1/imgur/oauth/start"
    static let callback = "/v1/imgur/oauth/callback"
    static let tokens = "/v1/imgur/oauth/tokens"
    static let account = "/v1/imgur/account"

    /// A page of the account's own pictures.
    static func own(_ page: Int = 0) -> String { "/raw/imgur/3/account/me/images/\(page)" }
    /// A list that depends on the account, if one is signed in.
    static func mature(_ page: Int = 1) -> String { "/v1/imgur/gallery?mature=true&page=\(page)" }

    static func configuration(_ origin: OriginServer, more: String = "rate: off, quota: off") -> String {
        """
        admin: { token: \(token) }
        log: { access: all }
        fetch: { maxTransfers: 128 }
        providers:
          imgur: { baseURL: "\(origin.baseURL(for: "imgur"))", key: \(clientID), clientSecret: \(clientSecret), \(more) }
        """
    }

    /// Runs a daemon on TCP and on a Unix socket. Requests over the socket have authority.
    static func withImgur(
        _ origin: OriginServer, more: String = "rate: off, quota: off", time: any TimeSource = SystemTime(),
        directory: TemporaryDirectory = TemporaryDirectory(), log: Logger = .silent,
        _ body: (RunningLarder) async throws -> Void
    ) async throws {
        let socket = TemporaryDirectory()
        try await withLarder(
            configuration(origin, more: more), listen: [#""127.0.0.1:0""#, "\"unix:\(socket.path)/s\""], time: time,
            directory: directory, log: log, body)
    }

    static func withOrigin(
        _ source: OriginSource = .samples, _ body: (OriginServer) async throws -> Void
    ) async throws {
        let origin = try OriginServer(source: source)
        try origin.start()
        defer { origin.stop() }
        origin.signIn.clientSecret = clientSecret
        try await body(origin)
    }

    /// Begins a sign-in and returns the URL of the page that a person would open.
    static func begin(_ larder: RunningLarder, type: String? = nil) async throws -> String {
        let answer = try await larder.get(start + (type.map { "?response_type=\($0)" } ?? ""), authority)
        #expect(answer.status == 200, "\(answer)")
        return try #require(answer.json()["url"]?.string)
    }

    /// What the API's redirect sends the browser back with: its query and its fragment.
    static func agree(_ url: String, _ origin: OriginServer) async throws -> (query: String, found: QueryParameters) {
        let target = String(url.dropFirst(origin.root.count))
        let port = origin.port
        let answer = try await onOwnThread { try LarderProcess.get(target, at: "127.0.0.1:\(port)") }
        #expect(answer.status == 302, "\(answer)")
        let location = try #require(answer["Location"])
        let parts = location.split(separator: "#", maxSplits: 1)
        let query = parts[0].split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        var found = try QueryParameters(parsing: query)
        if parts.count > 1 { found.items += try QueryParameters(parsing: parts[1]).items }
        return (query, found)
    }

    /// Loads the landing page and posts what its script would post.
    static func land(
        _ larder: RunningLarder, _ back: (query: String, found: QueryParameters),
        fields: [(String, String)] = [("Origin", "http://localhost"), ("Content-Type", "application/json")]
    ) async throws -> WireResponse {
        let page = try await larder.get(
            "\(callback)?\(back.query)", ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "document"))
        #expect(page.status == 200 && page.text.contains("callback.js"), "\(page)")
        return try await post(larder, back.found, fields: fields)
    }

    static func post(
        _ larder: RunningLarder, _ found: QueryParameters,
        fields: [(String, String)] = [("Origin", "http://localhost"), ("Content-Type", "application/json")]
    ) async throws -> WireResponse {
        var writer = JSONWriter()
        writer.object { writer in
            for item in found.items { writer.member(item.name, item.value ?? "") }
        }
        return try await larder.send("POST", tokens, fields: fields, body: writer.bytes.lossyText)
    }

    /// Performs the whole sign-in.
    @discardableResult
    static func signIn(_ larder: RunningLarder, _ origin: OriginServer) async throws -> WireResponse {
        let answer = try await land(larder, agree(begin(larder), origin))
        #expect(answer.status == 200, "\(answer)")
        return answer
    }

    /// Sends a GET request over the socket, which has authority.
    static func get(_ larder: RunningLarder, _ target: String) async throws -> WireResponse {
        try await larder.get(target, at: larder.addresses[1])
    }

    static func isSignedIn(_ larder: RunningLarder) async throws -> Bool {
        try await larder.get(account).json()["signedIn"]?.bool == true
    }
}
