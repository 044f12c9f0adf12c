// The folders above a URL. Each slash of a path ends the name of one (RFC 3986 §1.2.3). Whoever deletes or moves a folder
// changes everything below it (RFC 4918 §9.6.1, §9.9.3).
//
// A folder is one more parent of an entry, like a group (`CacheGroups`): removing its digest removes every entry below
// it. Nothing is stored under the digest itself.
import LarderCore

/// The part of a provider's URLs that lies below one path.
public struct URLFolder: Sendable, Hashable {
    /// The folders of a URL that lie deeper are not told apart.
    static let most = 16

    /// The provider and the path without a slash at its end.
    let text: String

    /// The digest that is a parent of every entry below the folder.
    public var digest: Digest { Digest(of: Bytes(text: "folder\n" + text)) }

    /// A short mark of the folder, for answers that are under way. Two folders may have the same mark.
    public var mark: UInt64 {
        // FNV-1a: it only spreads the marks.
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The folder that a path names, with or without a slash at its end. Nil for the root. Of a folder below the depth
    /// that is told apart, the one above it.
    /// - Parameters:
    ///   - path: in the spelling of keys (`EquivalentURL`).
    ///   - provider: the name, and the base URL.
    public init?(_ path: String, of provider: String) {
        guard let last = Self.all(above: path + "/", hasQuery: false, of: provider).last else { return nil }
        self = last
    }

    private init(text: String) {
        self.text = text
    }

    /// The folders above a path, the outermost first. A URL with a query lies below its own path too: it is a view of
    /// what the path names.
    public static func all(above path: String, hasQuery: Bool, of provider: String) -> [URLFolder] {
        var path = hasQuery ? path + "/" : path
        var ends: [Int] = []
        path.withUTF8 { bytes in
            // Empty segments name nothing of their own.
            for place in bytes.indices.dropFirst() where bytes[place] == 0x2F && bytes[place - 1] != 0x2F {
                if ends.count < most { ends.append(place) }
            }
        }
        return ends.map { end in
            URLFolder(text: provider + "\n" + String(decoding: path.utf8.prefix(end), as: UTF8.self))
        }
    }
}
