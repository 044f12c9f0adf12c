// The documented configuration file, made from the table. It contains every setting with its default, commented out by
// "#". Removing the "#" changes nothing. Because the defaults are commented out, a copied file does not hold back
// better defaults of a later version.
import LarderCore
import LarderProviders

/// Renders `config/larder.yaml`.
public enum ExampleConfiguration {
    /// Returns the text of the file, with the given built-in providers.
    public static func yaml(providers: [ProviderAbout] = ProviderRegistry.builtIn.map(\.about)) -> String {
        var out = """
            # Larder's configuration.
            #
            # Every setting is listed here with its default, behind "#". Remove the "#" to change it. Check with
            #
            #     larder config check FILE
            #
            # and reload it in a running daemon with `systemctl reload larder` or a SIGHUP.
            # Sizes: 512 KiB, 64 MiB, 2 GiB. Durations: 500ms, 30s, 15min, 6h, 7d. Rates: 20/min, 20/10s, off.
            # A value may also come from the environment (LARDER_CACHE_MAXSIZE=1GiB) or the command line
            # (larder serve --set cache.maxSize=1GiB). Both take precedence over this file.

            """
        for section in SettingsTable.sections {
            if section.name == "providers" {
                out += "\n# ---- The APIs ----\n" + providerPart(section.parameters, providers)
                continue
            }
            if !section.name.isEmpty { out += "\n\(section.name):\n" }
            let indent = section.name.isEmpty ? "" : "  "
            var title: String?
            for parameter in section.parameters {
                let task = SettingsTable.tasks.first { $0.parameters.contains(parameter) }?.title
                if let task, task != title {
                    if title != nil || indent.isEmpty { out += "\n" }
                    out += "\(indent)# ---- \(task) ----\n"
                    title = task
                }
                out += "\n" + comment("\(parameter.explanation)", indent: indent)
                out += "\(indent)#\(parameter.name): \(value(parameter))\n"
            }
        }
        return out
    }

    private static func providerPart(_ parameters: [Parameter], _ providers: [ProviderAbout]) -> String {
        var out = "#\n"
        for parameter in parameters {
            out += comment("\(parameter.name): \(parameter.explanation)", indent: "", hanging: "  ")
        }
        out += "\nproviders:\n"
        for about in providers {
            out += "  # \(about.title)\(about.needsKey ? "; needs a key" : "")\n"
            out += "  \(about.name):\n"
            for (name, text) in lines(about) { out += "    #\(name): \(text)\n" }
            out += "\n"
        }
        out += """
              # A provider of your own: http://localhost:8787/raw/example/… is cached by the answers' own rules.
              #example:
                #kind: passthrough
                #baseURL: https://api.example.com/v1
                #ca: /etc/larder/credentials/example.pem
                #key: file:/etc/larder/credentials/example.key
                #keyIn: bearer
                #requestFields: {}
                #semantics: rfc
                #cdnCacheControl: false
                #forwardCookies: false
                #cookies: strict
                #personalCookies: true
                #keyCredentials: true
                #keyFields: []
                #upgrades: []
                #readOnlyPosts: [{ path: /graphql, ttl: 1min, kind: graphql }]
                #rate: off
                #quota: off
                #deadline: 20s
                #idleTimeout: 30s
                #maxConnections: 8
                #maxStreams: 32
                #maxQueue: 500

            """
        return out
    }

    /// The name and the default value of each setting of a built-in provider, as they would be written.
    static func lines(_ about: ProviderAbout) -> [(name: String, text: String)] {
        let ttl = SettingsLoader.lifetimes(about).map { name, ttl in
            "\(name == "*" ? "\"*\"" : name): \(Units.format(duration: ttl))"
        }
        var lines = [("enabled", "true"), ("baseURL", about.defaultBaseURL)]
        if let dialect = about.dialects.first { lines.append(("dialect", dialect)) }
        lines.append(("plainHTTP", "false"))
        if let search = about.searchBase { lines.append(("searchURL", search.url)) }
        if about.needsKey { lines.append(("key", "file:/etc/larder/credentials/\(about.name).key")) }
        if about.signIn != nil {
            lines.append(("clientSecret", "file:/etc/larder/credentials/\(about.name).clientSecret"))
        }
        lines += [
            ("semantics", ProviderSemantics.ttl.rawValue),
            ("ttl", "{ \(ttl.joined(separator: ", ")) }"),
            ("emptyTTL", Units.format(duration: about.emptyTTL)),
            ("negativeTTL", Units.format(duration: about.negativeTTL)),
            ("staleFor", Units.format(duration: about.staleFor)),
            ("staleWhileRefresh", Units.format(duration: SettingsLoader.staleWhileRefresh(about))),
            ("rate", about.defaultRate?.description ?? "off"),
            ("quota", about.defaultQuota?.description ?? "off"),
            ("imageHosts", list(about.imageHosts)), ("shared", "true"),
        ]
        return lines
    }

    /// The default, or an example value if there is no default.
    private static func value(_ parameter: Parameter) -> String {
        if let text = parameter.defaultText { return text }
        switch parameter.path {
        case "listen": return "[\"127.0.0.1:8787\", \"[::1]:8787\", { address: \"127.0.0.1:8788\", provider: itunes }]"
        case "hostNames": return "[larder.lan]"
        case "browserOrigins": return "[\"http://localhost:3000\"]"
        case "proxy.hosts": return "{ deb.debian.org: cache, \"*.packages.example\": cache, telemetry.example: refuse }"
        case "proxy.ttl": return "10min"
        case "fetch.connectTo": return "[\"api.example.org:443:127.0.0.1:8443\"]"
        case "admin.token", "shared.key", "shared.password", "artwork.key", "proxy.password":
            return "file:/etc/larder/credentials/\(parameter.path)"
        case "tools": return "[{ name: editor, user: 1000, share: 20 % }, { name: notebook }]"
        case "shared.url": return "redis://larder@engine.lan:6379"
        case "admin.users": return "[root]"
        case "cache.path": return "/var/cache/larder"
        case "state.path": return "/var/lib/larder"
        case "fetch.proxy": return "http://proxy.example:3128"
        default: return "\"\""
        }
    }

    private static func list(_ items: [String]) -> String {
        "[" + items.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private static func comment(_ text: String, indent: String, hanging: String = "") -> String {
        Prose.wrap(text, width: 100 - indent.count - hanging.count).enumerated()
            .map { "\(indent)# \($0.offset == 0 ? "" : hanging)\($0.element)\n" }.joined()
    }
}
