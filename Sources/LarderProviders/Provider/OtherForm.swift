// What an API answers in another of its own forms. A client of `/raw` may ask for JSONP: a script that calls a function
// of the client's with the JSON. The padding is taken off to classify the answer; the client and the store get it as it
// came. Other forms (XML, RSS, an empty answer) are passed on and not judged: `CallSubject.isKnownPath` is false.
import LarderCore

public enum OtherForm {
    /// Parameters by which built-in APIs let a client choose another form. Larder's own questions send none of them.
    private static let parameters: Set = ["callback", "jsonp", "format", "_format", "output", "print"]

    /// Whether a request may ask for another form than JSON.
    public static func isAsked(by request: UpstreamRequest) -> Bool {
        if request.path.hasSuffix(".xml") || request.path.hasSuffix(".rss") { return true }
        return items(of: request).contains { parameters.contains($0.name.lowercased()) }
    }

    /// Returns the JSON inside a script that calls the function which the request names; nil for any other answer.
    static func unpadded(_ body: Bytes, of request: UpstreamRequest) -> Bytes? {
        guard request.query != nil else { return nil }
        // Some APIs begin the script with an empty comment, against attacks by an old plug-in of browsers.
        var text = body[...]
        text = text.drop { $0 <= 0x20 }
        if text.starts(with: "/**/".utf8) { text = text.dropFirst(4).drop { $0 <= 0x20 } }
        // JSON itself, as almost always.
        guard let first = text.first, first != 0x7B, first != 0x5B else { return nil }
        let isNamed = items(of: request).contains { item in
            guard let name = item.value, !name.isEmpty, text.starts(with: name.utf8) else { return false }
            return text.dropFirst(name.utf8.count).first == 0x28
        }
        guard isNamed, let start = text.firstIndex(of: 0x28), let end = text.lastIndex(of: 0x29), start < end,
            text[(end + 1)...].allSatisfy({ $0 <= 0x20 || $0 == 0x3B })
        else { return nil }
        return Bytes(text[(start + 1)..<end])
    }

    private static func items(of request: UpstreamRequest) -> [QueryParameters.Item] {
        request.query.flatMap { try? QueryParameters(parsing: $0) }?.items ?? []
    }
}

extension UpstreamResponse {
    /// The same response with the JSON that its script carries, if it is such a script.
    func unpadded(of request: UpstreamRequest) -> UpstreamResponse {
        guard let json = OtherForm.unpadded(body, of: request) else { return self }
        var plain = self
        plain.body = json
        return plain
    }
}
