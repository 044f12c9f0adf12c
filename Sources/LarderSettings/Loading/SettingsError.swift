// All that is wrong is told at once, each finding with its place: a person mends a file in one go, not error by error.

/// Where a value was written.
public enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Line and column count from 1.
    case file(String, line: Int, column: Int)
    /// A file that could not be read: the message names it.
    case unread(String)
    case environment(String)
    case flag
    /// A file of `$CREDENTIALS_DIRECTORY`.
    case credential(String)
    case standard

    public var description: String {
        switch self {
        case .file(let name, let line, let column): "\(name):\(line):\(column)"
        case .unread(let name): name
        case .environment(let name): "environment \(name)"
        case .flag: "command line"
        case .credential(let name): "credential \(name)"
        case .standard: "default"
        }
    }
}

/// One finding. The message never holds a secret's value.
public struct SettingsIssue: Sendable, Hashable, CustomStringConvertible {
    public var origin: SettingOrigin
    /// The dotted path of the setting, "" where the file as a whole is meant.
    public var path: String
    public var message: String

    public init(origin: SettingOrigin, path: String, message: String) {
        self.origin = origin
        self.path = path
        self.message = message
    }

    /// "larder.yaml:3:5: cache.maxSize: …"
    public var description: String {
        if case .unread = origin { return message }
        return path.isEmpty ? "\(origin): \(message)" : "\(origin): \(path): \(message)"
    }
}

/// A configuration that cannot be used, with every reason.
public struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    public var issues: [SettingsIssue]

    public init(issues: [SettingsIssue]) {
        self.issues = issues
    }

    /// One finding a line, in the order of the file.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
