// One request as `/v1/requests` reports it, and which parts of it a viewer may see. Values only.
import LarderCache
import LarderCore
import LarderIO
import LarderServer

/// One request that was answered.
struct SeenRequest: Sendable {
    /// The source of a hit that never left its loop.
    enum Tier: String, Sendable {
        case memory
        case database
    }

    var id: RequestID
    var at: WallTime
    var method: String
    var target: SeenTarget
    var route: String
    var status: Int
    /// The length of the body in bytes, if it is known.
    var bytes: Int?
    var took: Duration?
    /// The client; unknown for a hit that a loop answered.
    var client: String?
    var providers: [String] = []
    var outcome = CacheOutcome.none
    var tier: Tier?
    var rule: CacheRule?
    /// A sentence that contains nothing from the request itself.
    var sentence: String
    /// The sentence for viewers with authority, if it differs.
    var fullSentence: String?
}

/// The target of a request.
struct SeenTarget: Sendable, Hashable {
    var path: String
    var query: String?
    /// The names of parameters whose values viewers with authority may see.
    var tellable: Set<String> = []

    /// The most bytes of a target that are shown.
    static let longest = 1024

    /// The target as a viewer sees it: the path and the names of the query parameters. A viewer with authority also
    /// sees the values of tellable parameters. A parameter without a value may be a secret, so it is hidden.
    func told(isRedacted: Bool) -> String {
        guard let query, !query.isEmpty else { return path }
        let parameters = query.split(separator: "&").map { parameter -> String in
            let name = String(parameter.prefix { $0 != "=" })
            return !isRedacted && tellable.contains(name) ? String(parameter) : EntryLabel.name(parameter)
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// The names of the parameters of a query.
    static func names(_ query: String) -> String {
        query.split(separator: "&").map(EntryLabel.name).joined(separator: "&")
    }

    /// Shortens a long query to whole parameters, because the later removal of secrets does not recognise half a
    /// secret. If a parameter does not fit, its name is kept if that fits.
    static func noted(_ query: String?) -> String? {
        guard let query, query.utf8.count > longest else { return query }
        var kept = ""
        var room = longest - "&…".utf8.count
        for parameter in query.split(separator: "&") {
            let pieces = [parameter, Substring(EntryLabel.name(parameter)), "…"]
            guard let piece = pieces.first(where: { $0.utf8.count < room }) else { return kept + "&…" }
            kept += (kept.isEmpty ? "" : "&") + piece
            room -= piece.utf8.count + 1
        }
        return kept
    }

    static func cut(_ text: String) -> String {
        text.utf8.count <= longest ? text : String(decoding: text.utf8.prefix(longest), as: UTF8.self) + "…"
    }
}

/// The viewer, who determines which parts of a request are shown.
struct RequestViewer: Sendable {
    /// Whether the viewer has no authority.
    var isRedacted: Bool
    /// Removes the daemon's own secrets, for every viewer.
    var secrets: SecretRedactor

    /// The target for this viewer. Secrets are removed before the target is cut, because a cut could leave part of one.
    func target(_ request: SeenRequest) -> String {
        SeenTarget.cut(secrets.redacted(request.target.told(isRedacted: isRedacted)))
    }

    func sentence(_ request: SeenRequest) -> String {
        secrets.redacted((isRedacted ? nil : request.fullSentence) ?? request.sentence)
    }
}

extension SeenRequest {
    /// Writes the request as a JSON object.
    /// - Parameter target: the target as this viewer sees it.
    func write(to writer: inout JSONWriter, for viewer: RequestViewer, target: String) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("at", at.rfc3339Milliseconds)
            writer.member("method", method)
            writer.member("target", target)
            writer.member("route", route)
            writer.member("status", status)
            if let bytes { writer.member("bytes", bytes) }
            if let took { writer.member("milliseconds", number: took.roundedMilliseconds) }
            writer.member(ifPresent: "client", client)
            if providers.count == 1 {
                writer.member("provider", providers[0])
            } else if !providers.isEmpty {
                writer.member("providers", strings: providers)
            }
            writer.member("outcome", outcome.rawValue)
            writer.member(ifPresent: "tier", tier?.rawValue)
            writer.member(ifPresent: "rule", rule?.rawValue)
            writer.member("sentence", viewer.sentence(self))
        }
    }
}

extension Duration {
    /// The duration in milliseconds with three decimals.
    var roundedMilliseconds: Double { Double(max(0, wholeMicroseconds)) / 1000 }
}

extension Peer {
    /// The client as requests report it: an address, or a user of this machine.
    var client: String {
        switch self {
        case .tcp(.some(.ipv4(let bytes, _))), .tcp(.some(.ipv6(let bytes, _))): Address.text(bytes)
        case .tcp: "unknown"
        case .unix(let uid, _): "user \(uid)"
        case .probe: "self"
        }
    }
}
