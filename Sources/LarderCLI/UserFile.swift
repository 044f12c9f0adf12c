// A small file that only this user reads, such as the URLs of the last search. It lies in XDG_RUNTIME_DIR (XDG Base
// Directory Specification), or else in ~/.cache.
import Glibc
import LarderCore
import LarderIO

struct UserFile {
    let path: String

    /// Nil without a home.
    init?(_ name: String, _ environment: [String: String]) {
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let runtime = folder("XDG_RUNTIME_DIR") {
            path = "\(runtime)/\(name)"
        } else if let cache = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ "\($0)/.cache" }) {
            path = "\(cache)/\(name)"
        } else {
            return nil
        }
    }

    /// Replaces the file.
    /// - Returns: whether it was written.
    @discardableResult
    func write(_ text: Bytes) -> Bool {
        // A home without the folder gets it; nobody gets a home.
        if let slash = path.lastIndex(of: "/") { mkdir(String(path[..<slash]), 0o700) }
        // Nobody else writes this name, and what lies there is not followed.
        let part = "\(path).\(getpid())"
        unlink(part)
        let file = Glibc.open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if text.withUnsafeBytes({ Syscall.write(file, $0) }) == .bytes(text.count), rename(part, path) == 0 {
            return true
        }
        unlink(part)
        return false
    }
}
