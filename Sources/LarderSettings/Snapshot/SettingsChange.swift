// The changes made by a reload, and which of them take effect only at the next start.
import LarderCore

/// One setting that differs between two snapshots.
public struct SettingsChange: Sendable, Hashable {
    public var path: String
    /// The values as a person would write them; "(hidden)" for secrets, nil if there is none.
    public var before: String?
    public var after: String?
    /// Whether the running daemon keeps the old value until it is started again.
    public var needsRestart: Bool
}

extension Settings {
    /// The differences from the settings in force, in the order of the table. A secret whose value alone changed is not
    /// detected, since both values are hidden.
    public func changes(since running: Settings) -> [SettingsChange] {
        let before = Dictionary(running.effective.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(effective.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let paths = effective.map(\.path) + running.effective.map(\.path).filter { after[$0] == nil }
        return paths.compactMap { path in
            guard before[path]?.value != after[path]?.value else { return nil }
            return SettingsChange(
                path: path, before: before[path]?.value, after: after[path]?.value,
                needsRestart: SettingsTable.parameter(at: path)?.needsRestart ?? false)
        }
    }
}
