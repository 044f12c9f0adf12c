// The paths of Imgur's lists. Subject, order, time window and page are segments of the path, most of which may be
// omitted. Typed and raw requests both use the one complete form written here.
import LarderCore

struct ImgurListing: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case gallery(Section)
        case search
        /// A percent-encoded segment.
        case tag(String)
        case subreddit(String)
    }

    enum Section: String, Sendable, CaseIterable { case hot, top, user }

    static let windows = ["day", "week", "month", "year", "all"]

    var subject: Subject
    var sort: String
    /// The time window. It has no effect unless `isWindowed`.
    var window: String
    /// Counted from 0, as in the path.
    var page: Int

    init(_ subject: Subject, sort: String? = nil, window: String? = nil, page: Int = 0) {
        self.subject = subject
        self.sort = sort ?? subject.sorts[0]
        self.window = window ?? subject.defaultWindow
        self.page = page
    }

    /// Whether a time window can be chosen. If not, its segment is the default or is omitted.
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

    /// Parses a path. Nil if it is not, or might not be, the path of a list.
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
            // Only the gallery's own lists are known to work without a time window.
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
    /// The API's sort orders, the usual one first.
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

    /// The name of the endpoint.
    var endpoint: String {
        switch self {
        case .gallery: "gallery"
        case .search: "search"
        case .tag: "tag"
        case .subreddit: "subreddit"
        }
    }
}
