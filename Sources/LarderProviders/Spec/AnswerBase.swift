// What the paths in an answer are relative to. An API may be served below another path (a stand-in, a proxy). That path
// is prepended: "/api/images/…" in an answer of "http://host/dnd5e/api/2014/…" is below "http://host/dnd5e".
import LarderCore

struct AnswerBase: Sendable {
    /// The URL in front of the API's own paths, without a slash at its end.
    let prefix: String
    /// The first segment of the API's paths: "/api/".
    let root: String

    /// - Parameters:
    ///   - url: that of the answer.
    ///   - path: that of the request.
    init?(url: String, path: String) {
        guard let url = WebURL(url) else { return nil }
        let root = "/" + path.dropFirst().prefix { $0 != "/" } + "/"
        self.root = root
        prefix = url.origin + (url.target.firstRange(of: root).map { url.target[..<$0.lowerBound] } ?? "")
    }

    /// The URL of a path; nil if the text is none.
    func url(_ path: String) -> String? { path.hasPrefix("/") ? prefix + path : nil }

    /// The same for a text of any kind, which is a path if it begins as the request's does.
    func reference(_ text: String) -> String? { text.hasPrefix(root) ? prefix + text : nil }
}
