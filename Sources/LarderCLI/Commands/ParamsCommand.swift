// larder params: lists the settings with the values in force and their sources.
import LarderCore
import LarderDaemon
import LarderSettings

enum ParamsCommand {
    static let command = Subcommand(
        "params", "list the settings, their values and where they come from", operands: "[NAME]",
        details: [
            "NAME is a path such as cache.maxSize, or the beginning of one: cache, providers.itunes. If a daemon runs "
                + "and permits it, settings that have a different value in the daemon follow, with what brings them "
                + "into force."
        ],
        options: [
            CommandOption("--changed", "only settings that differ from the defaults"),
            CommandOption("--json", "JSON on a terminal too"),
            CommandOption("--yaml", "print the documented example file instead"),
            CommandOption("--markdown", "print the manual of the settings instead"),
            ServeCommand.configOption, ServeCommand.setOption,
        ],
        examples: [
            ("larder params", "everything"),
            ("larder params cache.maxSize", "one setting, explained"),
            ("larder params --changed", "the changed settings, and where they are set"),
            ("larder params --yaml > larder.yaml", "a file to start with"),
        ]
    ) { invocation throws(CommandFailure) in
        guard invocation.operands.count <= 1 else { throw CommandFailure(.usage, "only one name at a time") }
        if invocation.has("--yaml") || invocation.has("--markdown") {
            let text = invocation.has("--yaml") ? ExampleConfiguration.yaml() : ConfigurationManual.markdown()
            _ = invocation.console.write(Bytes(text: text))
            return .done
        }
        var shown = try SettingsSources(invocation).load().effective
        if let name = invocation.operands.first {
            shown = shown.filter { $0.path == name || $0.path.hasPrefix("\(name).") }
            guard !shown.isEmpty else { throw unknown(name) }
        }
        if invocation.has("--changed") { shown = shown.filter { $0.origin != .standard } }
        let differences = RunningSettings(invocation)?.differences(from: shown) ?? []
        if invocation.wantsJSON {
            _ = invocation.console.write(json(shown, differences) + [0x0A])
        } else if shown.count == 1, let one = shown.first, one.path == invocation.operands.first {
            explain(one, invocation.console)
        } else if shown.isEmpty {
            invocation.console.line("Nothing differs from the defaults.")
        } else {
            table(shown, invocation.console)
        }
        guard !invocation.wantsJSON else { return .done }
        for line in RunningSettings.lines(differences) { invocation.console.line(Console.printable(line)) }
        return .done
    }

    private static func unknown(_ name: String) -> CommandFailure {
        let near = NearestName.find(name, among: SettingsTable.all.map(\.path))
        return CommandFailure(
            .usage, "there is no setting \"\(name)\"",
            advice: near.map { "Did you mean \($0)?" } ?? "See: larder params")
    }

    private static func table(_ settings: [EffectiveSetting], _ console: Console) {
        var table = TableLayout(columns: [.init("SETTING"), .init("VALUE", weight: 2), .init("FROM", weight: 1)])
        for setting in settings {
            let origin = setting.origin == .standard ? "" : "\(setting.origin)"
            table.rows.append([setting.path, Console.printable(setting.value ?? "–"), origin])
        }
        for (number, line) in table.lines(width: console.width).enumerated() {
            console.line(number == 0 ? console.styled(line, .bold) : line)
        }
    }

    private static func explain(_ setting: EffectiveSetting, _ console: Console) {
        console.line(console.styled(setting.path, .bold))
        if let parameter = SettingsTable.parameter(at: setting.path) {
            for line in Prose.wrap(parameter.explanation, width: min(88, console.width)) { console.line(line) }
            console.line()
            console.line("takes:       \(parameter.wanted)")
        }
        console.line("value:       \(Console.printable(setting.value ?? "–"))")
        console.line("default:     \(setting.defaultText ?? "–")")
        console.line("from:        \(setting.origin)")
        console.line("environment: \(SettingsTable.environmentName(of: setting.path))")
    }

    private static func json(
        _ settings: [EffectiveSetting], _ differences: [RunningSettings.Difference]
    ) -> Bytes {
        var writer = JSONWriter()
        writer.array { writer in
            for setting in settings {
                writer.object { writer in
                    writer.member("path", setting.path)
                    writer.member(ifPresent: "value", setting.value)
                    writer.member(ifPresent: "default", setting.defaultText)
                    writer.member("from", "\(setting.origin)")
                    if let other = differences.first(where: { $0.path == setting.path }) {
                        writer.member("differs", true)
                        writer.member(ifPresent: "inForce", other.inForce)
                    }
                    writer.member("environment", SettingsTable.environmentName(of: setting.path))
                    if let parameter = SettingsTable.parameter(at: setting.path) {
                        writer.member("summary", parameter.summary)
                        writer.member("takes", parameter.wanted)
                        writer.member("needsRestart", parameter.needsRestart)
                    }
                }
            }
        }
        return writer.bytes
    }
}
