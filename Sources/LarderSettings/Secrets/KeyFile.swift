// A key file that does not exist yet, or that this user must not read, does not stop the daemon. Its provider is not
// configured until the file can be read, and everything else works. A readable file without a valid key is an error.
import Glibc
import LarderCore

/// Why the file of a provider's key could not be read.
public enum KeyFileProblem: String, Sendable, Hashable {
    case absent
    case unreadable
    /// A pipe into which no process writes.
    case silent

    /// Returns nil if the file can be opened.
    init?(path: String) {
        // The file is not opened for the test: if it is a pipe, that could end its writer.
        if access(path, R_OK) == 0 { return nil }
        // In a directory that this user must not enter, existing and missing files look the same.
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

    /// The problem as the end of a sentence that begins with the file.
    var predicate: String {
        switch self {
        case .absent: "does not exist"
        case .unreadable: "cannot be read by this user"
        case .silent: "is a pipe that gave nothing within a second"
        }
    }

    /// The problem with the key file of a provider, as a clause. It leaves out the path, which must not be shown to
    /// clients that only reach a listener.
    public func sentence(of provider: String) -> String {
        let end = self == .unreadable ? "cannot be read by the daemon's user" : predicate
        return "the file that providers.\(provider).key names \(end)"
    }
}

/// A file from which a secret is read.
public struct SecretFile: Sendable, Hashable {
    /// The setting that names the file.
    public var setting: String
    public var path: String
    /// The name of the credential that would override the file.
    public var credential: String

    public init(setting: String, path: String, credential: String) {
        self.setting = setting
        self.path = path
        self.credential = credential
    }
}
