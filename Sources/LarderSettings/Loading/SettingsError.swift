// Errors in the configuration. All of them are reported at once, each with its place, so a person can correct a file in
// one go.

/// Where a value was written.
public enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Line and column, counted from 1.
    case file(String, line: Int, column: Int)
    /// A file that could not be read. The message names it.
    case unread(String)
    case environment(String)
    case flag
    /// A file in `$CREDENTIALS_DIRECTORY`.
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

/// One finding. The message never contains the value of a secret.
public struct SettingsIssue: Sendable, Hashable, CustomStringConvertible {
    public var origin: SettingOrigin
    /// The dotted path of the setting; "" if the finding concerns the whole file.
    public var path: String
    public var message: String

    public init(origin: SettingOrigin, path: String, message: String) {
        self.origin = origin
        self.path = path
        self.message = message
    }

    /// Such as "larder.yaml:3:5: cache.maxSize: …".
    public var description: String {
        if case .unread = origin { return message }
        return path.isEmpty ? "\(origin): \(message)" : "\(origin): \(path): \(message)"
    }
}

/// Why a configuration cannot be used, with every finding.
public struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    public var issues: [SettingsIssue]

    public init(issues: [SettingsIssue]) {
        self.issues = issues
    }

    /// One line for each finding, in the order of the file.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
