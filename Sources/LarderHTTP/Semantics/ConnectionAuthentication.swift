// NTLM and Negotiate authenticate a connection and not a request (RFC 4559 §6): whatever comes on that connection later
// is answered as for the same person. Connections to an upstream serve all clients in turn, so credentials of these
// schemes are refused. A connection for one client would have to live as long as that client's own connection, whose
// requests may be answered by other hosts and from the cache.
import LarderCore

/// The authentication schemes that belong to a connection.
public enum ConnectionAuthentication {
    /// Refuses fields that would authenticate the upstream connection.
    public static func check(_ fields: HeaderFields) throws(ClientFacingError) {
        guard fields.contains(.authorization), let name = scheme(in: fields.all(.authorization)) else { return }
        throw ClientFacingError(
            status: 501, code: "notImplemented",
            detail: "\(name) authenticates a connection and not a request (RFC 4559 §6). Larder's connections to the "
                + "upstream serve all clients, so the request was not sent. Use another scheme, or ask without Larder.")
    }

    /// Takes the challenges of these schemes out of a response, so that its client chooses another scheme. They stay if
    /// there is no other: a 401 without a challenge would explain nothing (RFC 9110 §15.5.2).
    public static func removeChallenges(from fields: inout HeaderFields) {
        var kept = HeaderFields()
        var isOtherLeft = false
        for line in fields {
            guard line.isNamed(.wwwAuthenticate) else {
                kept.add(line)
                continue
            }
            let members = FieldList.members([line.value])
            var rest: [Substring] = []
            var isDropping = false
            for member in members {
                if let scheme = scheme(of: member) { isDropping = name(of: scheme) != nil }
                if !isDropping { rest.append(member) }
            }
            isOtherLeft = isOtherLeft || !rest.isEmpty
            if rest.count == members.count {
                kept.add(line)
            } else if !rest.isEmpty {
                kept.add(HeaderField(line.name, rest.joined(separator: ", ")))
            }
        }
        if isOtherLeft { fields = kept }
    }

    private static let names = ["NTLM", "Negotiate"]

    /// The first scheme of a connection. Some servers take several credentials in one line for a list.
    private static func scheme(in values: [String]) -> String? {
        FieldList.members(values).lazy.compactMap { scheme(of: $0).flatMap(name(of:)) }.first
    }

    private static func name(of scheme: Substring) -> String? {
        names.first { ASCII.equalFolded($0, String(scheme)) }
    }

    /// The scheme at the beginning of a member; nil if the member is a further parameter, `name = value` (RFC 9110
    /// §11.2).
    private static func scheme(of member: Substring) -> Substring? {
        let word = member.prefix { $0.utf8.allSatisfy(ASCII.isToken) }
        let rest = member[word.endIndex...].drop { $0 == " " || $0 == "\t" }
        return word.isEmpty || rest.first == "=" ? nil : word
    }
}
