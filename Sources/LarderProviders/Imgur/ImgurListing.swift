// The paths of Imgur's lists: what, in which order, from which span of time, which page: all of it segments of the path,
// most of which may be left out. They are written here in one form, for typed and raw requests alike.
import LarderCore

struct ImgurListing: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case gallery(Section)
        case search
        /// Percent-encoded, as a segment.
        case tag(String)
        case subreddit(String)
    }

    enum Section: String, Sendable, CaseIterable { case hot, top, user }

    static let windows = ["day", "week", "month", "year", "all"]

    var subject: Subject
    var sort: String
    /// A span of time; of no effect unless `isWindowed`.
    var window: String
    /// The first is 0, as in the path.
    var page: Int

    init(_ subject: Subject, sort: String? = nil, window: String? = nil, page: Int = 0) {
        self.subject = subject
        self.sort = sort ?? subject.sorts[0]
        self.window = window ?? subject.defaultWindow
        self.page = page
    }

    /// Whether a span of time can be chosen: where there is none to choose, its segment is its default or left out.
    var isWindowed: Bool {
        if case .gallery(let section) = subject { section == .top } else { sort == "top" }
    }

    var path: String {
        switch subject {
        case .gallery(.top): "/3/gallery/top/\(sort)/\(window)/\(page)"
        case .gallery(let section): "/3/gallery/\(section.rawValue)/\(sort)/\(page)"
        case .search: "/3/gallery/search/\(sort)/\(span)/\(page)"
        case .tag(let name): "/3/gallery/t/\(name)/\(sort)/\(span)/\(page)"
        case .subreddit(let name): "/3/gallery/r/\(name)/\(sort)/\(span)/\(page)"
        }
    }

    private var span: String { isWindowed ? window : subject.defaultWindow }

    /// Reads a path; nil where it is no list, or not certainly one.
    init?(path: String) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count >= 3, segments[0].isEmpty, segments[1] == "3", segments[2] == "gallery" else { return nil }
        var rest = segments[3...]
        let subject: Subject
        switch rest.popFirst() {
        case nil: subject = .gallery(.hot)
        case "search"?: subject = .search
        case "t"?:
            guard let name = rest.popFirst(), !name.isEmpty else { return nil }
            subject = .tag(name)
        case "r"?:
            guard let name = rest.popFirst(), !name.isEmpty else { return nil }
            subject = .subreddit(name)
        case let word?:
            guard let section = Section(rawValue: word) else { return nil }
            subject = .gallery(section)
        }
        self.init(subject)
        guard let sort = rest.popFirst() else { return }
        guard subject.sorts.contains(sort) else { return nil }
        self.sort = sort
        if let word = rest.first, Self.windows.contains(word) {
            window = word
            rest.removeFirst()
        } else if !rest.isEmpty {
            // Only the gallery's own lists are known to go without it.
            guard case .gallery = subject else { return nil }
        }
        guard let number = rest.popFirst() else { return }
        guard rest.isEmpty, (1...6).contains(number.utf8.count), number.utf8.allSatisfy(ASCII.isDigit),
            let page = Int(number)
        else { return nil }
        self.page = page
    }
}

extension ImgurListing.Subject {
    /// The orders that the API has, the usual one first.
    var sorts: [String] {
        switch self {
        case .gallery(.user): ["viral", "top", "time", "rising"]
        case .gallery, .tag: ["viral", "top", "time"]
        case .search: ["time", "viral", "top"]
        case .subreddit: ["time", "top"]
        }
    }

    var defaultWindow: String {
        switch self {
        case .gallery: "day"
        case .search: "all"
        case .tag, .subreddit: "week"
        }
    }

    /// The endpoint's name.
    var endpoint: String {
        switch self {
        case .gallery: "gallery"
        case .search: "search"
        case .tag: "tag"
        case .subreddit: "subreddit"
        }
    }
}
