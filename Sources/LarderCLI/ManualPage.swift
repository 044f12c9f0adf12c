// The manual page in roff (man(7)), made from the same records as the help, so that it stays up to date.
import LarderCore
import LarderDaemon
import LarderProviders
import LarderSettings

/// Renders `man/larder.1`.
enum ManualPage {
    static func roff(_ commands: [Subcommand]) -> String {
        var out = beginning
        for command in commands {
            out += ".SS \(escaped(HelpText.usage(command)))\n\(sentence(command.summary))\n"
            for paragraph in command.details { out += ".PP\n\(escaped(paragraph))\n" }
            for option in command.options {
                out += ".TP\n.B \(escaped(option.usage))\n\(sentence(HelpText.summary(option)))\n"
            }
            for example in command.examples {
                out += ".PP\n\(sentence(example.purpose))\n.PP\n.RS\n.EX\n\(escaped(example.command))\n.EE\n.RE\n"
            }
        }
        out += ".SH EXIT STATUS\n"
        for status in CommandStatus.allCases { out += ".TP\n.B \(status.rawValue)\n\(sentence(status.meaning))\n" }
        out += environmentAndFiles
        for task in SettingsTable.tasks {
            out += ".SS \(escaped(task.title))\n"
            for parameter in task.parameters {
                let standard = parameter.defaultText.map { " Default: \($0)." } ?? ""
                let text = escaped(parameter.explanation).replacing("\n", with: "\n.br\n")
                out += ".TP\n.B \(escaped(parameter.path))\n\(text)\(text.contains("\n") ? "\n.br\n" : " ")"
                out += "\(sentence(parameter.wanted))\(escaped(standard))\n"
            }
        }
        return out
    }

    /// The part before the commands.
    private static let beginning = """
        .\\" Made by "larder help --man"; a test holds the two together.
        .TH LARDER 1 "" "Larder \(LarderVersion.text)" "User Commands"
        .SH NAME
        larder \\- a local cache for public search APIs
        .SH SYNOPSIS
        .B larder
        .I COMMAND
        [\\fIOPTIONS\\fR]
        .SH DESCRIPTION
        Larder calls public APIs (\(ProviderRegistry.titles)) and other HTTP APIs for all programs
        of the machine, and caches the answers:
        .B larder serve
        is the daemon, which answers on http://127.0.0.1:8787 and on a Unix socket. The other commands are its clients.
        .PP
        On a terminal the answers are tables; in a pipe, or with
        .BR \\-\\-json ,
        they are JSON.
        .SH COMMANDS

        """

    /// The part between the exit statuses and the settings.
    private static let environmentAndFiles = """
        .SH ENVIRONMENT
        .TP
        .B LARDER_URL
        The daemon's address, for the client commands. Without it: larder.sock in $RUNTIME_DIRECTORY, in
        $XDG_RUNTIME_DIR/larder, in ~/.local/state/larder, in /run/larder and in /run, then http://127.0.0.1:8787.
        .TP
        .B LARDER_TOKEN
        The admin token, for changes over TCP. It is sent to a port of this machine only if the port belongs to root, to
        yourself or to the daemon's user.
        .TP
        .B LARDER_DAEMON_USER
        The user that the daemon runs as, by name or number, if it is neither you nor the service's user "larder".
        .TP
        .B LARDER_CONFIG
        The configuration file.
        .TP
        .B NO_COLOR
        Switches colour off.
        .TP
        .B LARDER_\\fISETTING\\fR
        Any setting, with its path in capitals and "_" for each dot: LARDER_CACHE_MAXSIZE=1GiB.
        .SH FILES
        .TP
        .I ~/.config/larder/larder.yaml\\fR, \\fI/etc/larder/larder.yaml
        The configuration. The first file that exists is used.
        .TP
        .I /var/cache/larder\\fR, \\fI~/.cache/larder
        The cache. It may be deleted while no daemon runs.
        .TP
        .I /var/lib/larder\\fR, \\fI~/.local/state/larder
        Budgets, suspensions and keys.
        .SH SETTINGS

        """

    /// Capitalises the first letter and adds a full stop if there is none.
    private static func sentence(_ text: String) -> String {
        let capital = text.prefix(1).uppercased() + text.dropFirst()
        return escaped(capital.hasSuffix(".") ? capital : "\(capital).")
    }

    /// Escapes a text for roff, which treats "\" as an escape, "-" as a hyphen, and a line that begins with "." or "'"
    /// as a macro.
    private static func escaped(_ text: String) -> String {
        let out = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return out.hasPrefix(".") || out.hasPrefix("'") ? "\\&\(out)" : out
    }
}
