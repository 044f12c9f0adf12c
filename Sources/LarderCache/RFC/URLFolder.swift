// The folders above a URL. Each slash of a path ends the name of one (RFC 3986 §1.2.3), and all paths lie below the
// provider's root. Whoever deletes or moves a folder changes everything below it (RFC 4918 §9.6.1, §9.9.3).
//
// A folder is one more parent of an entry, like a group (`CacheGroups`): removing its digest removes every entry below
// it. Nothing is stored under the digest itself. The root is no parent: removing it removes all of the provider.
import Glibc
import LarderCore

/// The part of a provider's URLs that lies below one path.
public struct URLFolder: Sendable, Hashable {
    /// The folders of a URL that lie deeper are not told apart. The root does not count.
    static let most = 16

    /// The provider and the path without a slash at its end: of the root, an empty one.
    let text: String

    /// The digest that is a parent of every entry below the folder, unless that is the root.
    public let digest: Digest

    /// Whether the folder has all of its provider's URLs in it.
    public let isRoot: Bool

    /// A short mark of the folder, for answers that are under way. Two folders may have the same mark.
    public let mark: UInt64

    /// The root folder, of which all of a provider's paths are part.
    /// - Parameter provider: the name, and the base URL.
    public init(of provider: String) { self.init(text: provider + "\n", isRoot: true) }

    private init(text: String, isRoot: Bool) {
        (self.text, self.isRoot) = (text, isRoot)
        digest = Digest(of: Bytes(text: "folder\n" + text))
        mark = MemoryGenerations.mark(text)
    }

    public static func == (left: URLFolder, right: URLFolder) -> Bool { left.text == right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The folder that a path names, with or without a slash at its end. Of a folder below the depth that is told apart,
    /// the one above it.
    /// - Parameter path: in the spelling of keys (`EquivalentURL`).
    public func folder(_ path: String) -> URLFolder {
        let path = path + "/"
        return Self.ends(path).last.map { below(path, $0) } ?? self
    }

    private func below(_ path: String, _ length: Int) -> URLFolder {
        URLFolder(text: text + String(decoding: path.utf8.prefix(length), as: UTF8.self), isRoot: false)
    }

    /// The folders above a path, this root first. A URL with a query lies below its own path too: it is a view of what
    /// the path names.
    public func all(above path: String, hasQuery: Bool) -> [URLFolder] {
        let path = hasQuery ? path + "/" : path
        return [self] + Self.ends(path).map { below(path, $0) }
    }

    /// The lengths of the folders' names in a path, without the root.
    private static func ends(_ path: String) -> [Int] {
        var ends: [Int] = []
        var before: UInt8 = 0x2F
        var place = 0
        for byte in path.utf8 {
            // Empty segments name nothing of their own.
            if byte == 0x2F, before != 0x2F, ends.count < most { ends.append(place) }
            before = byte
            place += 1
        }
        return ends
    }
}

/// The folders of one provider's URLs. Most URLs lie in the same folder as the one before, so its list is kept: each folder
/// in it costs a digest.
public final class URLFolders: Sendable {
    /// The folder of which all the paths are part.
    public let root: URLFolder

    private struct Latest {
        /// The path, up to its last slash if it had no query.
        var path: String
        var hasQuery: Bool
        var above: [URLFolder]

        /// Whether the bytes of that path are these.
        func isPath(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            path.withBytes { own in
                guard own.count == bytes.count else { return false }
                guard let start = own.baseAddress, let other = bytes.base.baseAddress else { return true }
                return memcmp(start, other, own.count) == 0
            }
        }
    }
    private let latest: Lock<Latest>

    /// - Parameter provider: the name, and the base URL.
    public init(of provider: String) {
        root = URLFolder(of: provider)
        latest = Lock(Latest(path: "/", hasQuery: false, above: [root]))
    }

    /// The same as `URLFolder.all(above:hasQuery:)` of the root.
    public func above(_ path: String, hasQuery: Bool) -> [URLFolder] {
        path.withBytes { bytes in
            // What follows the last slash names no folder, unless a query shows it to be one.
            let naming = hasQuery ? bytes[...] : bytes[..<(bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)]
            let latest = latest.withLock { $0 }
            if latest.hasQuery == hasQuery, latest.isPath(naming) { return latest.above }
            let folder = String(decoding: naming, as: UTF8.self)
            let above = root.all(above: folder, hasQuery: hasQuery)
            self.latest.withLock { $0 = Latest(path: folder, hasQuery: hasQuery, above: above) }
            return above
        }
    }
}
