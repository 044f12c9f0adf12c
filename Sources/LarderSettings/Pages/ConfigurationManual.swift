// The manual of the settings. It is made from the table, so it always matches the code.
import LarderCore
import LarderProviders

/// Renders `Docs/configuration.md`.
public enum ConfigurationManual {
    /// A longer explanation stands below the table; its first sentences stay in the table.
    private static let cell = 220

    /// Returns the page, with the given built-in providers.
    public static func markdown(providers: [ProviderAbout] = ProviderRegistry.builtIn.map(\.about)) -> String {
        var out = introduction
        out += SettingsTable.tasks.map { "- [\($0.title)](#\(anchor($0.title)))\n" }.joined()
        for task in SettingsTable.tasks {
            out += "\n## \(task.title)\n\n"
            for paragraph in task.introduction.split(separator: "\n") { out += lines(String(paragraph)) + "\n" }
            out += "```yaml\n\(task.example)\n```\n\n" + table(task.parameters, providers) + notes(task.parameters)
        }
        for about in providers {
            out += "\n### \(about.title): `\(about.name)`\n\n| Setting | Default |\n|---|---|\n"
            for (name, text) in ExampleConfiguration.lines(about) where name != "key" {
                out += "| `\(name)` | `\(text)` |\n"
            }
        }
        return out
    }

    private static func table(_ parameters: [Parameter], _ providers: [ProviderAbout]) -> String {
        let differing = Set(providers.flatMap { ExampleConfiguration.lines($0).map(\.name) })
            .subtracting(["key", "clientSecret"])
        return "| Setting | Default | What it is |\n|---|---|---|\n"
            + parameters.map { parameter in
                var standard = parameter.defaultText.map { "`\($0)`" } ?? ""
                if standard.isEmpty, parameter.path.hasPrefix("providers."), differing.contains(parameter.name) {
                    standard = "[by API](#\(anchor(SettingsTable.tasks.last?.title ?? "")))"
                }
                let text = isLong(parameter) ? parameter.heading : parameter.explanation
                return "| `\(parameter.path)` | \(standard) | \(escaped(text)) *(\(escaped(parameter.wanted)))* |\n"
            }.joined()
    }

    /// What the table has no room for: one paragraph or list for each setting.
    private static func notes(_ parameters: [Parameter]) -> String {
        parameters.filter(isLong).map { parameter in
            let advice = escaped(parameter.advice)
            let name = "**`\(parameter.path)`**:"
            return "\n" + (advice.hasPrefix("- ") ? "\(name)\n\n\(lines(advice))" : lines("\(name) \(advice)"))
        }.joined()
    }

    private static func isLong(_ parameter: Parameter) -> Bool {
        !parameter.advice.isEmpty && (parameter.explanation.count > cell || parameter.advice.contains("\n"))
    }

    /// The text in lines of the page's width.
    private static func lines(_ text: String) -> String {
        Prose.wrap(text, width: 120).map { "\($0)\n" }.joined()
    }

    /// The name under which GitHub links to a heading.
    static func anchor(_ title: String) -> String {
        String(title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" })
            .replacing(" ", with: "-")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
    }

    private static let introduction = """
        # Configuration

        <!-- Made by `larder params --markdown`; a test holds the two together. -->

        Larder needs no configuration. This page says how settings are written, and then
        [what you can do with them](#what-do-you-want-to-do).

        ## Files and precedence

        `larder serve` reads one file:

        1. the file that `--config` names,
        2. without it, the file that `$LARDER_CONFIG` names,
        3. without both, the first that exists of `$XDG_CONFIG_HOME/larder/larder.yaml` (usually
           `~/.config/larder/larder.yaml`) and `/etc/larder/larder.yaml`.

        [`config/larder.yaml`](../config/larder.yaml) shows every setting with its default. The environment takes
        precedence over the file, and the command line takes precedence over the environment:

        | Where | How a setting is written | How a list is written |
        |---|---|---|
        | file | `cache: { maxSize: 1GiB }` | as in YAML |
        | environment | `LARDER_CACHE_MAXSIZE=1GiB`: the path in capitals, with `_` for each dot | with commas |
        | command line | `larder serve --set cache.maxSize=1GiB` | a repeated option adds an item |

        An empty variable is ignored. `--listen 127.0.0.1:9000` is short for `--set listen=127.0.0.1:9000`.

        `larder config check larder.yaml` reports all mistakes at once, each with file, line, column and path:

        ```
        larder.yaml:3:3: cache.maxsize: there is no such setting; did you mean "maxSize"?
        larder.yaml:7:11: providers.itunes.rate: "20/fortnight" …
        ```

        `larder params` lists every setting with its value. `larder params --changed` lists only those that differ from
        the defaults, and says where each was written.

        ## Values

        | Type | Examples |
        |---|---|
        | size | `512 KiB`, `64 MiB`, `2 GiB` |
        | duration | `500ms`, `30s`, `15min`, `6h`, `7d` |
        | rate | `20/min`, `20/10s`, `100/day`, `off` |

        The setting decides how its value is read. YAML's guesses (`no`, `1:30`, `0x10`) do not apply. Lists and
        mappings may be written in both styles of YAML. Anchors, aliases, tags and second documents are refused.

        ## Secrets

        Secrets are never shown, logged or stored. These settings are secrets:

        \(secrets)
        Larder reads a secret at the start and at each reload, from the first of these places that has it:

        1. a file in `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`). Its name is the path of the setting, such
           as `admin.token`. For an API it is `<name>.key` or `<name>.clientSecret`, and for a tool `tools.<name>`.
        2. the setting: `file:/path`, `env:NAME`, or the secret itself
        3. for an API, the variable `LARDER_<NAME>_KEY` or `LARDER_<NAME>_CLIENTSECRET`
        4. for some APIs, a variable of the API's own:
           \(SettingsTable.keyVariables)

        ## Reload

        `systemctl reload larder`, or a SIGHUP, reads the configuration again. Connections and cache stay. If a file has
        a mistake, nothing changes, and the log says why. Some settings take effect only at the next start; the tables
        say so.

        ## What do you want to do?


        """

    private static let secrets = SettingsTable.all.filter(\.isSecret).map { parameter in
        parameter.path == "tools" ? "- the `token` of each of `tools`\n" : "- `\(parameter.path)`\n"
    }.joined()
}
