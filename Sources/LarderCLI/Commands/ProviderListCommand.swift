// larder provider list and show: the APIs of the configuration, what can be asked of them, and where each is described.
// Both read the configuration and need no daemon.
import LarderCore
import LarderProviders
import LarderSettings

enum ProviderListCommand {
    static let options = [
        CommandOption("--json", "JSON on a terminal too"), ServeCommand.configOption, ServeCommand.setOption,
    ]

    static let list = Subcommand(
        "provider list", "list the APIs of the configuration",
        details: [
            "KIND is builtIn, described (by a file of yours) or passthrough (bytes only, below /raw). SEARCH tells "
                + "whether /v1/search can ask the API. FROM is the file that describes it."
        ],
        options: options,
        examples: [("larder provider list", "all of them, also those that are not enabled")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let settings = try SettingsSources(invocation).load()
        let providers = ConfiguredAPI.all(settings)
        if invocation.wantsJSON {
            _ = invocation.console.write(json(providers) + [0x0A])
            return .done
        }
        var table = TableLayout(columns: [
            .init("NAME"), .init("KIND"), .init("ENABLED"), .init("SEARCH"), .init("ROUTES", weight: 2),
            .init("FROM", weight: 1),
        ])
        for provider in providers {
            table.rows.append([
                provider.name, provider.settings.kind.word, provider.settings.enabled ? "yes" : "no",
                provider.about?.hasSearch == true ? "yes" : "no",
                provider.about == nil ? "/raw/\(provider.name)/" : provider.routes.joined(separator: " "),
                provider.origin.map { Console.printable("\($0)") } ?? "",
            ])
        }
        for (number, line) in table.lines(width: invocation.console.width).enumerated() {
            invocation.console.line(number == 0 ? invocation.console.styled(line, .bold) : line)
        }
        return .done
    }

    private static func json(_ providers: [ConfiguredAPI]) -> Bytes {
        var writer = JSONWriter()
        writer.array { writer in
            for provider in providers {
                writer.object { writer in
                    writer.member("name", provider.name)
                    writer.member("kind", provider.settings.kind.word)
                    writer.member("enabled", provider.settings.enabled)
                    writer.member("search", provider.about?.hasSearch == true)
                    writer.member("routes", strings: provider.routes)
                    writer.member(ifPresent: "from", provider.origin.map { "\($0)" })
                }
            }
        }
        return writer.bytes
    }

    static let show = Subcommand(
        "provider show", "show what can be asked of one API", operands: "NAME", options: Array(options.dropFirst()),
        examples: [("larder provider show books", "its routes with their parameters, and its kinds of results")]
    ) { invocation throws(CommandFailure) in
        let provider = try ConfiguredAPI.named(
            try invocation.operand("name"), in: try SettingsSources(invocation).load())
        let console = invocation.console
        guard let about = provider.about else {
            console.line("\(provider.name) is passed through as bytes, below /raw/\(provider.name)/.")
            console.line("A description makes it searchable: see your-own-api.md.")
            return .done
        }
        console.line(console.styled(Console.printable(about.title), .bold))
        for (name, value) in facts(provider, about) { console.line("\(name): \(Console.printable(value))") }
        for endpoint in about.endpoints where endpoint.name != "other" {
            console.line()
            console.line(console.styled("/v1/\(about.routePrefix)/\(endpoint.route)", .bold))
            console.line("  \(Console.printable(endpoint.summary)); fresh for \(lifetime(endpoint, provider))")
            for parameter in endpoint.captures + endpoint.parameters {
                console.line("  \(Console.printable(Self.line(parameter)))")
            }
        }
        return .done
    }

    private static func lifetime(_ endpoint: EndpointAbout, _ provider: ConfiguredAPI) -> String {
        Units.format(duration: provider.settings.ttl(of: endpoint.name))
    }

    private static func facts(_ provider: ConfiguredAPI, _ about: ProviderAbout) -> [(String, String)] {
        var facts = [("asked at", provider.settings.baseURL), ("enabled", provider.settings.enabled ? "yes" : "no")]
        if let rate = provider.rate { facts.append(("at most", rate)) }
        if !about.categories.isEmpty { facts.append(("categories", about.categories.joined(separator: ", "))) }
        facts.append(("results", about.kinds.map(\.name).joined(separator: ", ")))
        facts.append(("terms", about.terms))
        if let origin = provider.origin { facts.append(("described in", "\(origin)")) }
        return facts
    }

    /// "limit  a number from 1 to 50; default 20. The most results."
    private static func line(_ parameter: QuestionParameter) -> String {
        var text = "\(parameter.name)  \(form(parameter.form))"
        if parameter.isList { text += ", several separated by commas" }
        if let value = parameter.defaultText { text += "; default \(value)" }
        if parameter.isRequired { text += "; needed" }
        return parameter.line.isEmpty ? text : "\(text). \(parameter.line)"
    }

    private static func form(_ form: ParameterForm) -> String {
        switch form {
        case .text, .any: "a text"
        case .pattern(let pattern): "a text like \(pattern)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .flag: "yes or no"
        }
    }
}

/// One API of the configuration.
struct ConfiguredAPI {
    let settings: ProviderSettings
    /// Nil for one that is passed through.
    let provider: (any Provider)?
    /// Where it is described, if it is not built in.
    let origin: SettingOrigin?
    /// How often it is called at most, as the setting writes it.
    let rate: String?

    var name: String { settings.name }
    var about: ProviderAbout? { provider?.about }
    var routes: [String] {
        guard let about else { return [] }
        return about.endpoints.filter { $0.name != "other" }.map { "/v1/\(about.routePrefix)/\($0.route)" }
    }

    /// The built-in ones first, then a user's own by name.
    static func all(_ settings: Settings) -> [ConfiguredAPI] {
        func written(_ name: String) -> EffectiveSetting? {
            settings.effective.first { $0.path == "providers.\(name)" }
        }
        let builtIn = ProviderRegistry.builtIn.compactMap { provider in
            settings.providers[provider.about.name].map { own in
                ConfiguredAPI(
                    settings: own, provider: own.dialect.map { provider.speaking($0) } ?? provider, origin: nil,
                    rate: written("\(own.name).rate")?.value)
            }
        }
        let own = settings.providers.values.filter { $0.kind != .builtIn }.sorted { $0.name < $1.name }
        return builtIn
            + own.map { one in
                let rate = written("\(one.name).rate")?.value
                guard case .described(let description) = one.kind else {
                    return ConfiguredAPI(settings: one, provider: nil, origin: nil, rate: rate)
                }
                return ConfiguredAPI(
                    settings: one, provider: SpecProvider(description, baseURL: one.baseURL, keyIn: one.keyIn),
                    origin: written("\(one.name).questions")?.origin, rate: rate)
            }
    }

    /// - Throws: a usage failure that names the nearest one.
    static func named(_ name: String, in settings: Settings) throws(CommandFailure) -> ConfiguredAPI {
        let all = all(settings)
        if let found = all.first(where: { $0.name == name || $0.about?.shortNames.contains(name) == true }) {
            return found
        }
        let near = NearestName.find(name, among: all.map(\.name))
        throw CommandFailure(
            .usage, "there is no API \"\(name)\" in the configuration",
            advice: near.map { "Did you mean \($0)?" } ?? "See: larder provider list")
    }
}
