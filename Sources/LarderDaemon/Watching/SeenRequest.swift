// One request as `/v1/requests` tells of it, and what of it whom is told. A value: what was noted goes in, and who looks.
import LarderCache
import LarderCore
import LarderIO
import LarderServer

/// One request that was answered.
struct SeenRequest: Sendable {
    /// Where a hit that never left its loop came from.
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
    /// Of the body, where it is known.
    var bytes: Int?
    var took: Duration?
    /// Of a hit of a loop it is not known.
    var client: String?
    var providers: [String] = []
    var outcome = CacheOutcome.none
    var tier: Tier?
    var rule: CacheRule?
    /// Without anything that the request said.
    var sentence: String
    /// What only those with authority are told instead.
    var fullSentence: String?
}

/// What a request asked for.
struct SeenTarget: Sendable, Hashable {
    var path: String
    var query: String?
    /// Names of parameters whose values those with authority are told.
    var tellable: Set<String> = []

    /// Longer targets are cut.
    static let longest = 1024

    /// As it is told: the path, and of the query the names of its parameters, with authority the values of the tellable ones
    /// too. A parameter without a value may be a secret as a whole.
    func told(isRedacted: Bool) -> String {
        guard let query, !query.isEmpty else { return path }
        let parameters = query.split(separator: "&").map { parameter -> String in
            let name = String(parameter.prefix { $0 != "=" })
            return !isRedacted && tellable.contains(name) ? String(parameter) : EntryLabel.name(parameter)
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// A query as it is noted: of one that is too long, whole parameters. What takes secrets out afterwards knows none by its
    /// half; of a parameter that does not fit the name is kept, where that fits.
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

/// Who looks: what is told of a request depends on it.
struct RequestViewer: Sendable {
    /// Without authority.
    var isRedacted: Bool
    /// Takes out the daemon's own secrets, whoever looks.
    var secrets: SecretRedactor

    /// A secret is taken out before the target is cut, which could leave a part of one.
    func target(_ request: SeenRequest) -> String {
        SeenTarget.cut(secrets.redacted(request.target.told(isRedacted: isRedacted)))
    }

    func sentence(_ request: SeenRequest) -> String {
        secrets.redacted((isRedacted ? nil : request.fullSentence) ?? request.sentence)
    }
}

extension SeenRequest {
    /// Writes it as a JSON object.
    /// - Parameter target: as this viewer is told it.
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
    /// Milliseconds with three decimals.
    var roundedMilliseconds: Double { Double(max(0, wholeMicroseconds)) / 1000 }
}

extension Peer {
    /// Who it is, as requests are told of: an address, or a user of this machine.
    var client: String {
        switch self {
        case .tcp(.some(.ipv4(let bytes, _))), .tcp(.some(.ipv6(let bytes, _))): Address.text(bytes)
        case .tcp: "unknown"
        case .unix(let uid, _): "user \(uid)"
        case .probe: "self"
        }
    }
}
