// Runs the command line: finds the subcommand, parses its arguments, and returns the exit status.
import LarderCore
import LarderDaemon
import LarderSettings

/// The whole command line tool.
public struct CommandLineTool: Sendable {
    /// Runs the daemon with the settings of an order, until it stops.
    public typealias Serve = @Sendable (_ order: ServeOrder) async throws(CommandFailure) -> Void

    /// The subcommands in the order and the groups of the help.
    let groups: [(title: String, commands: [Subcommand])]
    public var subcommands: [Subcommand] { groups.flatMap(\.commands) }
    let serve: Serve
    /// `Conversation.shortLimit` of its commands. Tests give more time, so that a busy machine changes nothing.
    var shortLimit = Duration.seconds(2)

    /// - Parameter serve: the work of `larder serve`. The program passes `ServeOrder.run`.
    public init(serve: @escaping Serve) {
        self.serve = serve
        groups = [
            ("Start", [DemoCommand.command, ServeCommand.command, RunCommand.command, MCPCommand.command]),
            (
                "Ask",
                [
                    SearchCommand.command, LocalCommand.command, OpenCommand.command, GetCommand.command,
                    ArtworkCommand.command, ExplainCommand.command, WarmCommand.command,
                ]
            ),
            (
                "Watch",
                [
                    ConsoleCommand.command, StatusCommand.command, QuotaCommand.command, TopCommand.command,
                    LogCommand.command,
                    EventsCommand.command, HistoryCommand.command, FleetCommand.command,
                ]
            ),
            ("Change", [PurgeCommand.command, SuspendCommand.command, ResumeCommand.command]),
            (
                "APIs",
                [
                    ProviderListCommand.list, ProviderListCommand.show, ProviderNewCommand.command,
                    ProviderTestCommand.command, OriginCommand.command,
                ] + ProviderCommands.all
            ),
            ("Tapes", TapeCommands.all),
            (
                "Settings",
                [ParamsCommand.command, ConfigCommand.command, CACommand.make, CACommand.show]
            ),
            ("Help", [HelpCommand.command, CompletionsCommand.command, VersionCommand.command]),
        ]
    }

    /// Runs one command.
    /// - Parameter words: the arguments after the program's name.
    public func run(_ words: [String], environment: [String: String], console: Console) async -> Int32 {
        let status = await perform(words, environment: environment, console: console)
        guard let reason = console.failure() else { return status }
        console.note(console.styled("larder:", .red) + " standard output: \(reason)")
        return status == CommandStatus.done.rawValue ? CommandStatus.failed.rawValue : status
    }

    private func perform(_ words: [String], environment: [String: String], console: Console) async -> Int32 {
        do throws(CommandFailure) {
            guard let first = words.first else {
                console.line(HelpText.overview(groups))
                return CommandStatus.usage.rawValue
            }
            if ["--help", "-h"].contains(first) {
                console.line(HelpText.overview(groups))
                return CommandStatus.done.rawValue
            }
            if ["--version", "-V"].contains(first) {
                console.line("larder \(LarderVersion.text)")
                return CommandStatus.done.rawValue
            }
            let (command, rest) = try find(words)
            if ArgumentReader.asksForHelp(rest, of: command) {
                console.line(HelpText.page(command))
                return CommandStatus.done.rawValue
            }
            let (operands, options) = try ArgumentReader.read(rest, for: command)
            let invocation = Invocation(
                operands: operands, options: options, environment: environment, console: console, tool: self)
            let status = try await command.run(invocation).rawValue
            return invocation.exit.value ?? status
        } catch {
            // The message may contain text from the command line, from files and from responses.
            console.note(console.styled("larder:", .red) + " \(Console.printableLines(error.message))")
            if let advice = error.advice { console.note(Console.printableLines(advice)) }
            return error.status.rawValue
        }
    }

    /// The subcommand that the words begin with. Names of two words are tried first.
    func find(_ words: [String]) throws(CommandFailure) -> (command: Subcommand, rest: [String]) {
        for count in [2, 1] where words.count >= count {
            let name = words.prefix(count).joined(separator: " ")
            if let command = subcommands.first(where: { $0.name == name }) {
                return (command, Array(words.dropFirst(count)))
            }
        }
        let first = words.first ?? ""
        let nested = subcommands.map(\.name).filter { $0.hasPrefix("\(first) ") }
        if !nested.isEmpty {
            let second = words.dropFirst().first { !$0.hasPrefix("-") }
            let near = second.flatMap {
                NearestName.find($0, among: nested.map { $0.dropFirst(first.count + 1) }.map(String.init))
            }
            throw CommandFailure(
                .usage,
                second.map { "there is no command \"\(first) \($0)\"" } ?? "larder \(first) needs one more word",
                advice: near.map { "Did you mean \"larder \(first) \($0)\"?" }
                    ?? "There is: " + nested.map { "larder \($0)" }.joined(separator: ", "))
        }
        let near = NearestName.find(first, among: subcommands.map(\.name))
        throw CommandFailure(
            .usage, "there is no command \"\(first)\"",
            advice: near.map { "Did you mean \"larder \($0)\"?" } ?? "See: larder help")
    }
}
