// The settings that the running daemon has in force, beside those that the file, the environment and the options say. Without a
// daemon, or without authority over it, nothing is compared.
import LarderCore
import LarderDaemon
import LarderSettings

struct RunningSettings: Sendable {
    /// One setting that the daemon has another value of.
    struct Difference: Sendable, Hashable {
        var path: String
        var written: String?
        var inForce: String?
        var needsRestart: Bool
    }

    /// By their paths; nil where there is no value.
    private let values: [String: String?]

    /// Asks the daemon; nil where none answers, or it does not permit it.
    init?(_ invocation: Invocation) {
        guard let conversation = try? Conversation(invocation) else { return nil }
        var request = DaemonRequest(.get, "/v1/settings")
        request.needsAuthority = true
        guard let answer = try? Conversation(conversation, timeout: .seconds(2)).json(request).value,
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

    /// Those that differ, in their order. What only one of the two knows is no difference: their versions may differ.
    func differences(from written: [EffectiveSetting]) -> [Difference] {
        written.compactMap { setting in
            guard let inForce = values[setting.path], inForce != setting.value else { return nil }
            return Difference(
                path: setting.path, written: setting.value, inForce: inForce,
                needsRestart: SettingsTable.parameter(at: setting.path)?.needsRestart ?? false)
        }
    }

    /// Lines that tell of differences and of what brings them into force.
    static func lines(_ differences: [Difference]) -> [String] {
        differences.map { difference in
            let remedy = difference.needsRestart ? "a restart" : "a reload"
            return "not in force: \(difference.path) is \(difference.written ?? "unset") here and "
                + "\(difference.inForce ?? "unset") in the running daemon: \(remedy) is needed"
        }
    }
}
