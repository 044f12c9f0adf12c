// A stored entry's label as it is shown: the URL. Clients without authority see only the names of its query parameters.
// A path that identifies a person is shortened, as in the log.
import LarderCore
import LarderProviders

enum EntryLabel {
    /// "GET https://h/p?q=a" → "https://h/p?q=a". A mark of the request content stays at the end.
    static func url(_ label: String) -> String {
        guard let space = label.firstIndex(of: " ") else { return label }
        return String(label[label.index(after: space)...])
    }

    /// "GET https://h/p?q=a&limit=5" → "https://h/p?q=…&limit=…".
    /// - Parameter about: describes the provider of the entry, if it is configured.
    static func redacted(_ label: String, _ about: ProviderAbout?) -> String {
        // A mark of the request content may follow the URL. Only its own client may see it.
        let url = url(label).prefix { $0 != " " }
        let mark = url.firstIndex(of: "?") ?? url.endIndex
        var front = String(url[..<mark])
        if let about, let scheme = front.firstRange(of: "://") {
            let slash = front[scheme.upperBound...].firstIndex(of: "/") ?? front.endIndex
            if let personal = about.personalPath(of: String(front[slash...])) { front = front[..<slash] + personal }
        }
        if mark == url.endIndex { return front }
        let names = url[url.index(after: mark)...].split(separator: "&").map(name)
        return front + "?" + names.joined(separator: "&")
    }

    /// "q=a" → "q=…". A parameter without a value, padded with "=" or not, may be a secret: "…".
    static func name(_ parameter: Substring) -> String {
        guard let equals = parameter.firstIndex(of: "="), parameter[equals...].contains(where: { $0 != "=" }) else {
            return "…"
        }
        return "\(parameter[..<equals])=…"
    }
}
