// The names of request fields that a provider's cache key may contain.
import LarderCore

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

    static func check(_ text: String) throws(SettingFault) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isToken) else {
            throw SettingFault("\"\(text)\" is not the name of a field")
        }
        guard !refused.contains(text) else { throw SettingFault("\(text) has its own rules and cannot be a key field") }
        return text
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
