// The manual of the settings. It is made from the table, so it always matches the code.
import LarderCore
import LarderProviders

/// Renders `Docs/configuration.md`.
public enum ConfigurationManual {
    /// Returns the page, with the given built-in providers.
    public static func markdown(providers: [ProviderAbout] = ProviderRegistry.builtIn.map(\.about)) -> String {
        var out = introduction
        for section in SettingsTable.sections where section.name != "providers" {
            out += "\n## \(section.title)\n\n" + table(section.parameters) { $0.defaultText.map { "`\($0)`" } ?? "" }
        }
        out += "\n## The APIs\n\nBelow `providers`, for each API by name.\n\n"
        out += table(SettingsTable.provider) { $0.defaultText.map { "`\($0)`" } ?? "see below" }
        for about in providers {
            out += "\n### \(about.title): `\(about.name)`\n\n| Setting | Default |\n|---|---|\n"
            for (name, text) in ExampleConfiguration.lines(about) where name != "key" {
                out += "| `\(name)` | `\(text)` |\n"
            }
        }
        let own = SettingsLoader.passthrough("example")
        out += """

            ### A provider of your own

            `kind: passthrough` and a `baseURL` are needed. The default of `semantics` is `rfc`: RFC 9111 and the answer
            decide. With `ttl`, `ttl` is \(Units.format(duration: own.endpoints.first?.ttl ?? .zero)), \
            `negativeTTL` \(Units.format(duration: own.negativeTTL)). `staleFor` is \
            \(Units.format(duration: own.staleFor)), `rate` and `quota` are off.

            ```yaml
            listen: ["127.0.0.1:8787", { address: "127.0.0.1:8790", provider: forge }]
            providers:
              forge:
                kind: passthrough
                baseURL: http://forge.lan:3000/api/v1
            ```

            Now `http://127.0.0.1:8787/raw/forge/repos` and `http://127.0.0.1:8790/repos` both give the forge's
            `/api/v1/repos`, cached. An API that does not say how long its answers are fresh needs lifetimes, here by path:

            ```yaml
            providers:
              forge:
                kind: passthrough
                baseURL: http://forge.lan:3000/api/v1
                ttl: { "/repos/*": 1h, "/repos/**": 10min, "*": 1min }
            ```

            """
        return out
    }

    private static func table(_ parameters: [Parameter], default standard: (Parameter) -> String) -> String {
        "| Setting | Default | What it is |\n|---|---|---|\n"
            + parameters.map { parameter in
                "| `\(parameter.path)` | \(standard(parameter)) | \(escaped(parameter.explanation)) "
                    + "*(\(escaped(parameter.wanted)))* |\n"
            }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
    }

    private static let introduction = """
        # Configuration

        <!-- Made by `larder params --markdown`; a test holds the two together. -->

        Larder needs no configuration. `larder serve` reads the file named by `--config`, else by `$LARDER_CONFIG`, else
        the first that exists of `$XDG_CONFIG_HOME/larder/larder.yaml` (`~/.config/larder/larder.yaml`) and
        `/etc/larder/larder.yaml`. [`config/larder.yaml`](../config/larder.yaml) shows every setting with its default.

        Precedence, lowest first: the default, the file, the environment, the command line.

        - **Environment**: `LARDER_` and the path in capitals, `_` for each dot: `LARDER_CACHE_MAXSIZE=1GiB`,
          `LARDER_PROVIDERS_ITUNES_RATE=10/min`. Commas separate the items of a list. An empty variable counts as unset.
        - **Command line**: `larder serve --set cache.maxSize=1GiB --listen 127.0.0.1:9000`. A repeated option adds to a list.

        The type of a setting decides how its value is read. YAML's guesses (`no`, `1:30`, `0x10`) do not apply. Sizes: `512 KiB`,
        `64 MiB`, `2 GiB`. Durations: `500ms`, `30s`, `15min`, `6h`, `7d`. Rates: `20/min`, `20/10s`, `off`. Lists and mappings
        may be written in either of YAML's styles; anchors, aliases, tags and second documents are refused.

        `larder config check [FILE]` reports all errors at once, each with file, line, column and path:

        ```
        larder.yaml:3:3: cache.maxsize: there is no such setting; did you mean "maxSize"?
        larder.yaml:7:11: providers.itunes.rate: "20/fortnight" …
        ```

        `larder params` lists every setting. `larder params --changed` lists those that differ from the defaults and tells
        where each was written.

        **Secrets** (`admin.token`, the `token` of each of `tools`, `shared.key`, `shared.password`, `artwork.key`, `providers.<name>.key`,
        `providers.<name>.clientSecret`) are read once, at start and reload: from
        `$CREDENTIALS_DIRECTORY/admin.token` (and so on), `tools.<name>` for the token of a tool, `<name>.key` and `<name>.clientSecret` there (systemd's `LoadCredential=`), else from the
        setting (`file:/path`, `env:NAME`, or the secret itself), else from `LARDER_<NAME>_KEY` and `LARDER_<NAME>_CLIENTSECRET`, or from the API's own
        variables: \(SettingsTable.keyVariables). They are
        never shown, logged or stored.

        **Reload**: SIGHUP (`systemctl reload larder`) reads everything again without dropping connections or cache. Settings that
        take effect only at the next start say so below. A file with errors changes nothing, and the log says why.

        """
}
