// The names of request fields that a provider's cache key may contain, that may carry its key, and that may be sent with
// every request.
import LarderCore
import LarderProviders

/// Checks such names.
enum KeyFieldName {
    /// Fields with rules of their own: those of the connection and of the cache, conditions, codings, and those that
    /// make an answer personal.
    private static let refused: FieldNameSet = [
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Keep-Alive", "Expect",
        "Via", "Accept-Encoding", "Cache-Control", "Pragma", "Authorization", "Cookie", "If-Match", "If-None-Match",
        "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range", "X-Larder-Session", "traceparent",
        "tracestate",
    ]
    /// Further fields that say something about one request, or belong to its connection.
    private static let ofOneRequest: FieldNameSet = [
        "Proxy-Authorization", "Proxy-Connection", "If", "Destination", "Content-Type", "Content-Encoding",
        "Content-Language", "Content-Location", "Request-Range", "A-IM", "Last-Event-ID",
    ]

    /// Fields that are for Larder alone and are taken out of each request.
    private static let takenOut: FieldNameSet = ["Priority", "X-Larder-Tool"]

    static func check(_ text: String) throws(SettingFault) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isToken) else {
            throw SettingFault("\"\(text)\" is not the name of a field")
        }
        guard !refused.contains(text) else { throw SettingFault("\(text) has its own rules and cannot be a key field") }
        guard !takenOut.contains(text) else { throw SettingFault("\(text) is for Larder and is not sent upstream") }
        return text
    }

    /// Checks the name of a field that carries a provider's key.
    static func checkKey(_ text: String) throws(SettingFault) {
        _ = try check(text)
        guard !ofOneRequest.contains(text) else { throw SettingFault("\(text) cannot carry a key") }
    }

    /// Checks the name of a field that is sent with every request.
    static func checkSent(_ text: String, keyIn: KeyPlacement?) throws(SettingFault) {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isToken) else {
            throw SettingFault("\"\(text)\" is not the name of a field")
        }
        guard !refused.contains(text), !ofOneRequest.contains(text) else {
            throw SettingFault("\(text) has its own rules and cannot be the same in every request")
        }
        // Such fields tell callers apart. Their values are secret as a rule.
        guard !RequestCredentials.isField(text) else {
            throw SettingFault("\(text) looks like a credential; it is set by key, with keyIn: header \(text)")
        }
        if let name = keyIn?.fieldName, ASCII.equalFolded(name, text) {
            throw SettingFault("\(text) carries the key (keyIn)")
        }
    }
}

extension ProviderSettings {
    /// Which of a client's fields go to a provider of the user's own with a read; nil if all do.
    public var forwardedNote: String? {
        guard isPassthrough, semantics == .ttl else { return nil }
        let further = keyFields.isEmpty ? "" : ", and \(keyFields.joined(separator: ", "))"
        return
            "\(name) gets of a client's GET: Accept, Accept-Language, Authorization, cookies that forwardCookies or a "
            + "listener permits, and fields that look like credentials\(further); others need keyFields"
    }
}
