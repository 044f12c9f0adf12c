// A stored entry's label as it is shown: the URL, and to those without authority the URL with the names of its parameters
// only. A path that is about one person is cut there as in the log.
import LarderCore
import LarderProviders

enum EntryLabel {
    /// "GET https://h/p?q=a" → "https://h/p?q=a"; a mark of the question's content stays behind it.
    static func url(_ label: String) -> String {
        guard let space = label.firstIndex(of: " ") else { return label }
        return String(label[label.index(after: space)...])
    }

    /// "GET https://h/p?q=a&limit=5" → "https://h/p?q=…&limit=…".
    /// - Parameter about: of the provider it came from, where that is configured.
    static func redacted(_ label: String, _ about: ProviderAbout?) -> String {
        // Behind it may stand a mark of the question's content, which is nobody else's business.
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

    /// "q=a" → "q=…". What has no value may be a secret as a whole, padded or not: "…".
    static func name(_ parameter: Substring) -> String {
        guard let equals = parameter.firstIndex(of: "="), parameter[equals...].contains(where: { $0 != "=" }) else {
            return "…"
        }
        return "\(parameter[..<equals])=…"
    }
}
