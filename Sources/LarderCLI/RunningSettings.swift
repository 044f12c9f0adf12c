// Compares the settings of the running daemon with those of the file, the environment and the options. Nothing is
// compared if no daemon answers or the user has no authority over it.
import LarderCore
import LarderDaemon
import LarderSettings

struct RunningSettings: Sendable {
    /// One setting whose value in the daemon is different.
    struct Difference: Sendable, Hashable {
        var path: String
        var written: String?
        var inForce: String?
        var needsRestart: Bool
    }

    /// The values by path; nil for a setting without a value.
    private let values: [String: String?]

    /// Asks the daemon. Nil if none answers, or if it refuses.
    init?(_ invocation: Invocation) {
        guard let conversation = try? Conversation(invocation) else { return nil }
        var request = DaemonRequest(.get, "/v1/settings")
        request.needsAuthority = true
        guard let answer = try? Conversation(conversation, timeout: conversation.shortLimit).json(request).value,
            let settings = answer["settings"]
        else { return nil }
        self.init(
            settings.elements.compactMap { setting in
                setting["path"]?.string.map { ($0, setting["value"]?.string) }
            })
    }

    init(_ values: [(path: String, value: String?)]) {
        self.values = Dictionary(values.map { ($0.path, $0.value) }) { first, _ in first }
    }

    /// The settings that differ, in their order. A setting that only one side knows is no difference: the versions may
    /// differ.
    func differences(from written: [EffectiveSetting]) -> [Difference] {
        written.compactMap { setting in
            guard let inForce = values[setting.path], inForce != setting.value else { return nil }
            return Difference(
                path: setting.path, written: setting.value, inForce: inForce,
                needsRestart: SettingsTable.parameter(at: setting.path)?.needsRestart ?? false)
        }
    }

    /// Lines that describe the differences and how to bring the new values into force.
    static func lines(_ differences: [Difference]) -> [String] {
        differences.map { difference in
            let remedy = difference.needsRestart ? "a restart" : "a reload"
            return "not in force: \(difference.path) is \(difference.written ?? "unset") here and "
                + "\(difference.inForce ?? "unset") in the running daemon: \(remedy) is needed"
        }
    }
}
