// How the fields of an upstream go out to one client: below `/raw/NAME` of Larder's own origin, which all providers
// share, or at the root of a listener bound to the provider, which is an origin of its own. The store keeps the
// upstream's own fields. They are adapted here for each mount, and memory keeps the result.
import LarderCore
import LarderHTTP
import LarderSettings

/// A class, since everything on the way of a request holds it.
public final class WayOut: Sendable {
    /// What precedes the provider's paths: "/raw/NAME" as the client wrote it, or nothing on a bound listener.
    let mount: String
    /// Whose fields these are.
    public let provider: ConfiguredProvider
    /// The client's path below the mount, without single dots, and its query.
    public let path: String
    let query: String?
    /// The whole path as the client wrote it: what it resolves relative references against.
    let clientPath: String

    /// - Parameters:
    ///   - mount: see `mount`.
    ///   - path: below the mount, without single dots.
    ///   - query: without "?"; nil where there is none.
    ///   - clientPath: the whole path as the client wrote it.
    public init(mount: String, provider: ConfiguredProvider, path: String, query: String?, clientPath: String) {
        self.mount = mount
        self.provider = provider
        self.path = path
        self.query = query
        self.clientPath = clientPath
    }

    /// The origin is Larder's own, and every provider's.
    var isSharedOrigin: Bool { !mount.isEmpty }

    /// The fields of a final answer.
    /// - Parameters:
    ///   - isShared: others get the same bytes, so nobody's cookies go along.
    ///   - received: see `PassFields.toClient`.
    public func fields(_ upstream: HeaderFields, isShared: Bool, received: WallTime) -> HeaderFields {
        let isWithoutCookies = isShared && provider.settings.cookies != .keep
        var fields = PassFields.toClient(upstream, isShared: isWithoutCookies, received: received)
        fit(&fields)
        if isSharedOrigin {
            fields.remove(PassFields.sharing)
            PassFields.confine(&fields)
        } else if fields.contains("Access-Control-Allow-Origin"), !Vary(fields).names("origin") {
            // A browser that keeps an answer asked without Origin gives it to pages of other origins later, whose own question would
            // have been refused here (Fetch §4.10, RFC 9110 §12.5.5).
            fields.add("Vary", "Origin")
        }
        return fields
    }

    /// Interim answers (RFC 9110 §15.2), by the rules of the final one. None of them sets a cookie: they are no answer yet.
    public func interim(_ heads: [InterimHead]) -> [InterimHead] {
        heads.map { head in
            var fields = PassFields.filtered(head.fields)
            fields.remove(PassFields.cookies)
            fields.remove(PassFields.sharing)
            fit(&fields)
            return InterimHead(status: head.status, fields: fields)
        }
    }

    /// The fields that a mount may change or leave out.
    private static let changed = FieldNameSet(Relocation.names.names + PassFields.ofWholeOrigin.names + ["Set-Cookie"])

    private func fit(_ fields: inout HeaderFields) {
        // Mostly there is nothing to change, which one look tells.
        guard fields.contains(anyOf: Self.changed) else { return }
        if fields.contains(anyOf: Relocation.names), let relocation = Relocation(self) { relocation.apply(to: &fields) }
        guard isSharedOrigin else { return }
        fields.remove(PassFields.ofWholeOrigin)
        guard fields.contains("Set-Cookie") else { return }
        let base = basePath
        fields.lines = fields.lines.compactMap { line in
            guard ASCII.equalFolded(line.name, "Set-Cookie") else { return line }
            return ConfinedCookie.line(line.value, mount: mount, base: base, path: path)
                .map { HeaderField(line.name, $0) }
        }
    }

    /// The path of the base URL that the mount stands for, without a slash at its end.
    private var basePath: String {
        let target = HTTPURL(provider.url(UpstreamRequest(path: "/")))?.target ?? "/"
        return target.utf8.last == 0x2F ? String(target.dropLast()) : target
    }
}
