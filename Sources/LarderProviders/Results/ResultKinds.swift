// What a category of a source's search means for results that are searched without it: which kinds they have. A category
// that the kinds do not tell (an app's and a song's kinds do, a headline's topic does not) is unknown here.
import LarderCore

extension Provider {
    public func kinds(of category: String?) -> [String]? { category == nil ? [] : nil }
}

extension ITunes {
    public func kinds(of category: String?) -> [String]? {
        guard let category else { return [] }
        return switch ITunesCategory(rawValue: category) {
        case .all: []
        case .music: ["song", "album", "musicVideo", "track", "artist"]
        case .software: ["software", "macSoftware"]
        case .ebooks: ["ebook"]
        case nil: nil
        }
    }
}

extension DnD {
    public func kinds(of category: String?) -> [String]? {
        DnDCollection(rawValue: category ?? "monsters").map { [$0.kind] }
    }
}

extension NewsAPI {
    public func kinds(of category: String?) -> [String]? { category == nil ? ["article"] : nil }
}

extension HackerNews {
    public func kinds(of category: String?) -> [String]? {
        ["stories": ["story"], "comments": ["comment"], "jobs": ["job"], "polls": ["poll"]][category ?? "stories"]
    }
}

extension Jokes {
    public func kinds(of category: String?) -> [String]? { category ?? "jokes" == "jokes" ? ["joke"] : nil }
}

extension TMDb {
    public func kinds(of category: String?) -> [String]? {
        guard let category else { return TMDbKind.searched.map(\.kind) }
        return TMDbKind(rawValue: category).map { [$0.kind] }
    }
}

extension Imgur {
    /// Which pictures move, or belong to an album, their kind does not tell.
    public func kinds(of category: String?) -> [String]? { category ?? "images" == "images" ? ["image"] : nil }
}
