// The folders above a URL. Each slash of a path ends the name of one (RFC 3986 §1.2.3), and all paths lie below the
// provider's root. Whoever deletes or moves a folder changes everything below it (RFC 4918 §9.6.1, §9.9.3).
//
// A folder is one more parent of an entry, like a group (`CacheGroups`): removing its digest removes every entry below
// it. Nothing is stored under the digest itself.
import LarderCore

/// The part of a provider's URLs that lies below one path.
public struct URLFolder: Sendable, Hashable {
    /// The folders of a URL that lie deeper are not told apart. The root does not count.
    static let most = 16

    /// The provider and the path without a slash at its end: of the root, an empty one.
    let text: String

    /// The digest that is a parent of every entry below the folder.
    public var digest: Digest { Digest(of: Bytes(text: "folder\n" + text)) }

    /// A short mark of the folder, for answers that are under way. Two folders may have the same mark.
    public var mark: UInt64 { MemoryGenerations.mark(text) }

    /// The folder that a path names, with or without a slash at its end. Of a folder below the depth that is told apart,
    /// the one above it.
    /// - Parameters:
    ///   - path: in the spelling of keys (`EquivalentURL`).
    ///   - provider: the name, and the base URL.
    public init(_ path: String, of provider: String) {
        let path = path + "/"
        self.init(path.utf8.prefix(Self.ends(path).last ?? 0), provider)
    }

    private init(_ path: some Collection<UInt8>, _ provider: String) {
        text = provider + "\n" + String(decoding: path, as: UTF8.self)
    }

    /// The folders above a path, the outermost first: the root. A URL with a query lies below its own path too: it is a
    /// view of what the path names.
    public static func all(above path: String, hasQuery: Bool, of provider: String) -> [URLFolder] {
        let path = hasQuery ? path + "/" : path
        return ([0] + ends(path)).map { URLFolder(path.utf8.prefix($0), provider) }
    }

    /// The lengths of the folders' names in a path, without the root.
    private static func ends(_ path: String) -> [Int] {
        var ends: [Int] = []
        var before: UInt8 = 0x2F
        for (place, byte) in path.utf8.enumerated() {
            // Empty segments name nothing of their own.
            if byte == 0x2F, before != 0x2F, ends.count < most { ends.append(place) }
            before = byte
        }
        return ends
    }
}
