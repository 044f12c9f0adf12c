// The URLs of the results that a person saw last, for `larder open`: a file of one URL a line, for this user only. It
// lies in XDG_RUNTIME_DIR (XDG Base Directory Specification), or else in ~/.cache.
import Glibc
import LarderCore
import LarderIO

struct LastSearch {
    /// The longest file that is read, in bytes.
    private static let longest = 4 << 20
    let path: String

    /// Nil without a home.
    init?(_ environment: [String: String]) {
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let runtime = folder("XDG_RUNTIME_DIR") {
            path = "\(runtime)/larder-last-search"
        } else if let cache = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ "\($0)/.cache" }) {
            path = "\(cache)/larder-last-search"
        } else {
            return nil
        }
    }

    /// - Parameter urls: in the order of the table; empty for a result without one. A failure to write is no failure of
    ///   the search.
    func keep(_ urls: [String]) {
        let lines = urls.map { Hyperlink.isSafe($0) ? $0 : "" }
        let text = Bytes(text: lines.joined(separator: "\n") + "\n")
        // A home without the folder gets it; nobody gets a home.
        if let slash = path.lastIndex(of: "/") { mkdir(String(path[..<slash]), 0o700) }
        // Nobody else writes this name, and what lies there is not followed.
        let part = "\(path).\(getpid())"
        unlink(part)
        let file = Glibc.open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let isWhole = text.withUnsafeBytes { Syscall.write(file, $0) } == .bytes(text.count)
        if !isWhole || rename(part, path) != 0 { unlink(part) }
    }

    /// The URL of a result, counted from 1; empty if the result has none. Nil if there is no such result.
    func url(_ number: Int) throws(CommandFailure) -> String? {
        guard access(path, R_OK) == 0 else { return nil }
        let lines = try InputFile.read(path, limit: Self.longest).lossyText.split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        return lines.indices.contains(number - 1) ? String(lines[number - 1]) : nil
    }
}
