// A key's file that is not there yet, or that this user may not read, is no reason to serve nobody: its provider is not
// configured until the file can be read, and everything else works. A file that can be read and holds no key is a mistake.
import Glibc
import LarderCore

/// Why the file of a provider's key could not be had.
public enum KeyFileProblem: String, Sendable, Hashable {
    case absent
    case unreadable
    /// A pipe into which nobody writes.
    case silent

    /// Nil where the file can be opened.
    init?(path: String) {
        // Asked and not opened: it may be a pipe, whose writer would end.
        if access(path, R_OK) == 0 { return nil }
        // Behind a folder that may not be entered nothing is seen, whether it is there or not.
        self = access(path, F_OK) == 0 || Self.isShutOut(path) ? .unreadable : .absent
    }

    private static func isShutOut(_ path: String) -> Bool {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if access(folder, F_OK) == 0, access(folder, X_OK) != 0 { return true }
        }
        return false
    }

    /// What is wrong, for a sentence that begins with the file.
    var predicate: String {
        switch self {
        case .absent: "does not exist"
        case .unreadable: "cannot be read by this user"
        case .silent: "is a pipe that gave nothing within a second"
        }
    }

    /// What is wrong with the file of that provider's key, as a clause. Without the path, which is nobody's business who only
    /// reaches a listener.
    public func sentence(of provider: String) -> String {
        let end = self == .unreadable ? "cannot be read by the daemon's user" : predicate
        return "the file that providers.\(provider).key names \(end)"
    }
}

/// A file that a secret is read from.
public struct SecretFile: Sendable, Hashable {
    /// The setting that names it.
    public var setting: String
    public var path: String
    /// The credential that would come before it.
    public var credential: String

    public init(setting: String, path: String, credential: String) {
        self.setting = setting
        self.path = path
        self.credential = credential
    }
}
