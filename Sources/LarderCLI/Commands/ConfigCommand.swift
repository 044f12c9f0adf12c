// larder config check: reports all errors of a configuration at once.
import LarderCore
import LarderDaemon
import LarderSettings

enum ConfigCommand {
    static let command = Subcommand(
        "config check", "check a configuration", operands: "[FILE]",
        details: [
            "Reports all errors, one on each line: file:line:column: setting: what is wrong. It reads the environment "
                + "as the daemon does. If the file is that of larder.service, it also warns of files that the "
                + "service's user cannot read. The unit and its drop-in files tell who that user is. If a daemon runs "
                + "and permits it, the command also reports settings that have a different value in the daemon."
        ],
        options: [ServeCommand.configOption, ServeCommand.setOption, ServeCommand.listenOption],
        examples: [
            ("larder config check", "the file that the daemon would read"),
            ("larder config check ./larder.yaml", "another file"),
        ]
    ) { invocation throws(CommandFailure) in
        guard invocation.operands.count <= 1 else { throw CommandFailure(.usage, "only one file at a time") }
        guard invocation.operands.isEmpty || !invocation.has("--config") else {
            throw CommandFailure(.usage, "give FILE or --config, not both")
        }
        let sources = try SettingsSources(invocation, file: invocation.operands.first)
        let settings: Settings
        do throws(SettingsError) {
            settings = try sources.read()
        } catch {
            for issue in error.issues { invocation.console.line(Console.printable("\(issue)")) }
            let count = error.issues.count
            throw CommandFailure(.usage, "\(count) \(count == 1 ? "mistake" : "mistakes")")
        }
        let forwarded = settings.providers.values.sorted { $0.name < $1.name }.compactMap(\.forwardedNote)
        for note in settings.notes + forwarded + [settings.authorityNote].compactMap({ $0 }) {
            invocation.console.line("note: \(Console.printable(note))")
        }
        let unit = ServiceUnit.installed(environment: invocation.environment)
        for warning in unit?.warnings(file: sources.file, secrets: settings.secretFiles) ?? [] {
            invocation.console.line("warning: \(Console.printable(warning))")
        }
        let changed = settings.effective.filter { $0.origin != .standard }.count
        let file = sources.file ?? "no file"
        let what =
            changed == 1 ? "1 setting differs from its default" : "\(changed) settings differ from the defaults"
        invocation.console.line("\(file): valid; \(what)")
        let differences = RunningSettings(invocation)?.differences(from: settings.effective) ?? []
        for line in RunningSettings.lines(differences) { invocation.console.line(Console.printable(line)) }
        return .done
    }
}
