// `/v1/settings`: the settings in force. Only clients that may change the daemon's state see them, because they contain
// paths of this machine. Secrets are hidden, as in `larder params`.
import LarderCore
import LarderEngine
import LarderServer
import LarderSettings

struct SettingsRoute: Sendable {
    let engine: Engine
    /// The settings at the start, by path. Those that need a restart stay in force until then.
    private let started: [String: EffectiveSetting]

    init(engine: Engine) {
        self.engine = engine
        started = Dictionary(engine.snapshot.settings.effective.map { ($0.path, $0) }) { first, _ in first }
    }

    func settings(route: RouteName) -> ServerResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("settings")
            writer.array { writer in
                for setting in engine.snapshot.settings.effective { append(setting, to: &writer) }
            }
        }
        return .json(writer.bytes, route: route)
    }

    private func append(_ read: EffectiveSetting, to writer: inout JSONWriter) {
        let needsRestart = SettingsTable.parameter(at: read.path)?.needsRestart ?? false
        let inForce = needsRestart ? started[read.path] ?? read : read
        writer.object { writer in
            writer.member("path", inForce.path)
            writer.member(ifPresent: "value", inForce.value)
            writer.member(ifPresent: "default", inForce.defaultText)
            writer.member("from", "\(inForce.origin)")
            writer.member("needsRestart", needsRestart)
        }
    }
}
