// How an upstream's response fields go out to one client: below `/raw/NAME` of Larder's own origin, which all providers
// share, or at the root of a listener bound to the provider, which is an origin of its own. The store keeps the
// upstream's own fields. They are adapted here for each mount, and memory keeps the result.
import LarderCore
import LarderHTTP
import LarderSettings

/// This is a class because every step of a request holds it.
public final class WayOut: Sendable {
    /// What precedes the provider's paths: "/raw/NAME" as the client wrote it, or empty on a bound listener.
    let mount: String
    /// The provider that the fields come from.
    public let provider: ConfiguredProvider
    /// The client's path below the mount, without single-dot segments.
    public let path: String
    let query: String?
    /// The whole path as the client wrote it. The client resolves relative references against it.
    let clientPath: String
    /// Whether a URL leads to this daemon, but not to this provider.
    let isElsewhereHere: @Sendable (HTTPURL) -> Bool

    /// Whether the client asks the provider's own host, through the proxy. The fields go out as they came.
    public let isProxied: Bool

    /// - Parameters:
    ///   - mount: see `mount`.
    ///   - path: the client's path below the mount, without single-dot segments.
    ///   - query: the query without "?"; nil if there is none.
    ///   - clientPath: the whole path as the client wrote it.
    ///   - isElsewhereHere: whether a URL leads to this daemon, but not to this provider.
    // More than six parameters: where the provider is mounted, and what the client asks for.
    public init(
        mount: String, provider: ConfiguredProvider, path: String, query: String?, clientPath: String,
        isProxied: Bool = false, isElsewhereHere: @escaping @Sendable (HTTPURL) -> Bool = { _ in false }
    ) {
        self.mount = mount
        self.provider = provider
        self.path = path
        self.query = query
        self.clientPath = clientPath
        self.isProxied = isProxied
        self.isElsewhereHere = isElsewhereHere
    }

    /// Whether the fields go out on Larder's own origin, which all providers share.
    var isSharedOrigin: Bool { !mount.isEmpty }

    /// The fields of a final response.
    /// - Parameters:
    ///   - isShared: whether others get the same bytes. If so, cookies are removed unless the settings keep them.
    ///   - received: see `PassFields.toClient`.
    public func fields(_ upstream: HeaderFields, isShared: Bool, received: WallTime) -> HeaderFields {
        let isWithoutCookies = isShared && provider.settings.cookies != .keep
        var fields = PassFields.toClient(upstream, isShared: isWithoutCookies, received: received)
        fit(&fields)
        if isSharedOrigin {
            fields.remove(PassFields.sharing)
            PassFields.confine(&fields)
        } else if fields.contains(.accessControlAllowOrigin), !Vary(fields).names("origin") {
            // A browser may keep a response to a request without `Origin` and give it later to pages of other origins.
            // Their own requests would have been refused here (Fetch §4.10, RFC 9110 §12.5.5).
            fields.add(.vary, "Origin")
        }
        return fields
    }

    /// The fields of interim responses (RFC 9110 §15.2), by the rules of the final one. An interim response sets no
    /// cookie, because it is not yet the response.
    public func interim(_ heads: [InterimHead]) -> [InterimHead] {
        heads.map { head in
            var fields = PassFields.filtered(head.fields)
            fields.remove(PassFields.cookies)
            fields.remove(PassFields.sharing)
            fit(&fields)
            return InterimHead(status: head.status, fields: fields)
        }
    }

    /// The fields that a mount may change or remove.
    private static let changed = FieldNameSet(
        Relocation.names.names + PassFields.ofWholeOrigin.names + PassFields.ofWholeHost.names
            + ["Set-Cookie", "WWW-Authenticate"])

    private func fit(_ fields: inout HeaderFields) {
        // Most responses have no such field. One scan finds that out.
        guard fields.contains(anyOf: Self.changed) else { return }
        if isProxied { return ConnectionAuthentication.removeChallenges(from: &fields) }
        if fields.contains(anyOf: Relocation.names), let relocation = Relocation(self) { relocation.apply(to: &fields) }
        if fields.contains(.wwwAuthenticate) { ConnectionAuthentication.removeChallenges(from: &fields) }
        fields.remove(PassFields.ofWholeHost)
        if isSharedOrigin { fields.remove(PassFields.ofWholeOrigin) }
        guard fields.contains(.setCookie) else { return }
        let base = basePath
        fields = fields.changed { line in
            guard line.isNamed(.setCookie) else { return line }
            let confined =
                isSharedOrigin
                ? ConfinedCookie.line(line.value, mount: mount, base: base, path: path)
                : ConfinedCookie.ofHost(line.value)
            return confined.map(line.with(value:))
        }
    }

    /// The path of the base URL that the mount stands for, without a slash at its end.
    private var basePath: String {
        let target = HTTPURL(provider.url(UpstreamRequest(path: "/")))?.target ?? "/"
        return target.utf8.last == 0x2F ? String(target.dropLast()) : target
    }
}
