// The paths of Imgur's lists. Order, time window and page are segments of the path, most of which may be omitted. Raw
// requests get the one complete form, which typed ones have.
import LarderCore

/// The paths of one list.
struct ImgurPaths {
    /// The list's name among the questions.
    let question: String
    /// Whether the path names the list's subject, as in `/3/gallery/t/{tag}`.
    var isNamed = false
    /// The API's orders, the usual one first.
    let sorts: [String]
    /// The window that is meant by none; nil if the path has no window.
    var window: String?
    /// Whether a window can be chosen with each order, and not only with "top".
    var isAlwaysWindowed = false

    static let windows = ["day", "week", "month", "year", "all"]

    static let hot = ImgurPaths(question: "gallery", sorts: ["viral", "top", "time"])
    static let top = ImgurPaths(question: "gallery", sorts: hot.sorts, window: "day", isAlwaysWindowed: true)
    static let user = ImgurPaths(question: "gallery", sorts: hot.sorts + ["rising"])
    static let search = ImgurPaths(question: "search", sorts: ["time", "viral", "top"], window: "all")
    static let tag = ImgurPaths(question: "tag", isNamed: true, sorts: hot.sorts, window: "week")
    static let subreddit = ImgurPaths(question: "subreddit", isNamed: true, sorts: ["time", "top"], window: "week")
    private static let lists = ["hot": hot, "top": top, "user": user, "search": search, "t": tag, "r": subreddit]

    static let function = PathFunction("imgur.lists") { path in
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "3", segments[2] == "gallery" else {
            return (nil, nil)
        }
        let word = segments.count > 3 ? segments[3] : "hot"
        guard let list = lists[word] else { return (nil, nil) }
        if let rest = list.completed(segments.dropFirst(4)) {
            return ("/3/gallery/\(word)/" + rest.joined(separator: "/"), list.question)
        }
        // A picture of a subreddit, by its id. A path that is not certainly a list's keeps the form in which it arrived.
        let isPicture = word == "r" && segments.count == 6 && ImgurPicture.id.matches(segments[5])
        let isOfList = list.question != "gallery" && segments.count { !$0.isEmpty } > 3 && !isPicture
        return (nil, isOfList ? list.question : nil)
    }

    /// All segments behind the list's own; nil if they are not, or might not be, those of the list.
    private func completed(_ segments: ArraySlice<String>) -> [String]? {
        var rest = segments
        var path: [String] = []
        if isNamed {
            guard let name = rest.popFirst(), !name.isEmpty else { return nil }
            path.append(name)
        }
        let sort = rest.popFirst() ?? sorts[0]
        guard sorts.contains(sort) else { return nil }
        path.append(sort)
        var chosen = window
        if let word = rest.first, Self.windows.contains(word) {
            rest.removeFirst()
            if isAlwaysWindowed || sort == "top" { chosen = word }
        } else if !rest.isEmpty, question != "gallery" {
            // Only the gallery's own lists are known to work without a time window.
            return nil
        }
        if window != nil, let chosen { path.append(chosen) }
        let number = rest.popFirst() ?? "0"
        guard rest.isEmpty, (1...6).contains(number.utf8.count), number.utf8.allSatisfy(ASCII.isDigit),
            let page = Int(number)
        else { return nil }
        return path + [String(page)]
    }
}
