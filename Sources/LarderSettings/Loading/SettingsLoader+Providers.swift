// Reads the settings of each provider. Written settings override the provider's own defaults. A passthrough provider
// has no defaults of its own; those of `Passthrough` apply.
import LarderCore
import LarderProviders

extension SettingsLoader {
    /// The defaults for a provider of the user's own.
    static func passthrough(_ name: String) -> ProviderAbout { Passthrough(name: name, baseURL: "").about }

    /// The lifetime of each endpoint, and under "*" the shortest of them, for requests that belong to no endpoint: a
    /// raw request may ask for anything.
    static func lifetimes(_ about: ProviderAbout) -> [(name: String, ttl: Duration)] {
        let endpoints = about.endpoints.filter { $0.name != "other" }.map { (name: $0.name, ttl: $0.ttl) }
        let shortest = about.endpoints.map(\.ttl).min() ?? .zero
        return endpoints + [(name: "*", ttl: shortest)]
    }

    /// The default is one day, or less if `staleFor` is shorter.
    static func staleWhileRefresh(_ about: ProviderAbout) -> Duration { min(.seconds(86_400), about.staleFor) }

    func providerSettings(
        _ reader: inout SettingsReader, _ collector: SettingsCollector, _ secrets: SecretPlaces
    ) -> [String: ProviderSettings] {
        var result: [String: ProviderSettings] = [:]
        for about in providers {
            result[about.name] = provider(&reader, about, secrets, .builtIn)
            for member in collector.described[about.name]?.members ?? [] {
                let origin = collector.described[about.name]?.whole.origin(member.mark) ?? .standard
                reader.issue(
                    origin, "providers.\(about.name).\(member.key)",
                    "\(about.name) is built in: only an API of your own can be described")
            }
        }
        for (name, origin) in collector.providerNames.sorted(by: { $0.key < $1.key }) where result[name] == nil {
            let path = "providers.\(name)"
            if let written = collector.described[name] {
                result[name] = describedProvider(&reader, name, origin, written, secrets)
                continue
            }
            guard reader.written["\(path).kind"] != nil else {
                let known = providers.map(\.name)
                let near = NearestName.find(name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
                reader.issue(
                    origin, path,
                    "is not built in (\(known.joined(separator: ", ")))\(near); "
                        + "one of your own needs a baseURL, and kind: passthrough or questions")
                continue
            }
            _ = reader.choiceText(SettingsTable.providerKind, path: "\(path).kind")
            if reader.written["\(path).baseURL"] == nil {
                reader.issue(origin, "\(path).baseURL", "is needed for a passthrough")
            }
            result[name] = provider(&reader, Self.passthrough(name), secrets, .passthrough)
        }
        return result
    }

    /// An API that the user describes. Without a description that can be read it is left out; then there are findings.
    private func describedProvider(
        _ reader: inout SettingsReader, _ name: String, _ origin: SettingOrigin, _ written: WrittenDescription,
        _ secrets: SecretPlaces
    ) -> ProviderSettings? {
        let path = "providers.\(name)"
        if reader.written["\(path).kind"] != nil {
            reader.issue("\(path).kind", "is not for an API with a description: leave it out")
        }
        if reader.written["\(path).baseURL"] == nil {
            reader.issue(origin, "\(path).baseURL", "is needed: the URL to which the paths of questions are added")
        }
        do throws(SpecFindingsError) {
            let description = try ProviderDescription.read(written.members, name: name, at: written.whole.node.mark)
            reader.note(
                EffectiveSetting(
                    path: "\(path).questions", value: description.summary, defaultText: nil,
                    origin: written.whole.origin()))
            let settings = provider(&reader, description.about, secrets, .described(description))
            if let name = settings.keyIn.parameterName,
                description.sentNames.contains(where: { ASCII.equalFolded($0, name) })
            {
                reader.issue("\(path).keyIn", "\(name) is also what a question sends, which the key would replace")
            }
            return settings
        } catch {
            for finding in error.all {
                reader.issue(
                    written.whole.origin(finding.mark), finding.path.isEmpty ? path : "\(path).\(finding.path)",
                    finding.message)
            }
            return nil
        }
    }

    private func provider(
        _ reader: inout SettingsReader, _ about: ProviderAbout, _ secrets: SecretPlaces, _ kind: ProviderKind
    ) -> ProviderSettings {
        typealias Table = SettingsTable
        let isPassthrough = kind == .passthrough
        let path = "providers.\(about.name)"
        func time(_ parameter: Parameter, _ name: String, _ standard: Duration) -> Duration {
            reader.duration(parameter, path: "\(path).\(name)", default: Units.format(duration: standard))
        }
        let semantics = reader.choice(
            Table.providerSemantics, path: "\(path).semantics",
            default: isPassthrough ? ProviderSemantics.rfc : .ttl)
        var settings = ProviderSettings(
            name: about.name,
            enabled: reader.flag(Table.providerEnabled, path: "\(path).enabled"),
            kind: kind,
            baseURL: reader.text(
                Table.providerBaseURL, path: "\(path).baseURL", default: kind == .builtIn ? about.defaultBaseURL : nil,
                check: BaseURL.check) ?? "",
            semantics: semantics,
            ttl: isPassthrough
                ? Self.pathTTL(&reader, about, semantics)
                : reader.ttl(Table.providerTTL, path: "\(path).ttl", standard: Self.lifetimes(about)),
            emptyTTL: time(Table.providerEmptyTTL, "emptyTTL", about.emptyTTL),
            negativeTTL: time(Table.providerNegativeTTL, "negativeTTL", about.negativeTTL),
            staleFor: time(Table.providerStaleFor, "staleFor", about.staleFor),
            staleWhileRefresh: time(
                Table.providerStaleWhileRefresh, "staleWhileRefresh", Self.staleWhileRefresh(about)),
            rate: reader.rate(Table.providerRate, path: "\(path).rate", default: about.defaultRate),
            quota: reader.rate(Table.providerQuota, path: "\(path).quota", default: about.defaultQuota),
            imageHosts: reader.texts(
                Table.providerImageHosts, path: "\(path).imageHosts", default: about.imageHosts,
                check: BaseURL.checkImageHost))
        let key = secret(&reader, about, secrets, Table.providerKey, "key", variables: about.keyVariables)
        (settings.key, settings.keyFileProblem) = (key.value, key.problem)
        settings.plainHTTP = reader.flag(Table.providerPlainHTTP, path: "\(path).plainHTTP")
        settings.keyIn = reader.keyPlacement(of: path, key: key.value, plainHTTP: settings.plainHTTP)
        settings.requestFields = reader.requestFields(of: path, keyIn: key.value.map { _ in settings.keyIn })
        // The secret has a use only for an API with a sign-in.
        if about.signIn != nil {
            settings.clientSecret =
                secret(&reader, about, secrets, Table.providerClientSecret, "clientSecret", variables: []).value
        }
        settings.searchURL = searchURL(&reader, about)
        Self.cookies(&reader, path, &settings)
        Self.keys(&reader, path, &settings)
        settings.readOnlyPosts = Self.readOnlyPosts(&reader, path: "\(path).readOnlyPosts")
        settings.dialect = dialect(&reader, about)
        settings.isShared = isShared(&reader, settings)
        settings.ca = reader.text(Table.providerCA, path: "\(path).ca", check: CertificateFile.check)
        let deadline = reader.duration(Table.providerDeadline, path: "\(path).deadline")
        settings.deadline = deadline > .zero ? deadline : nil
        Self.limits(&reader, path, &settings)
        if kind == .builtIn, !settings.plainHTTP, BaseURL.isReadableOnTheWay(settings.baseURL) {
            reader.issue(
                "\(path).baseURL", "is plain http beyond this machine: use https, or allow it with plainHTTP: true")
        }
        reader.checkEffects(settings, about)
        return settings
    }

    /// The lifetimes by path. Under `rfc` there are only those that are written.
    private static func pathTTL(
        _ reader: inout SettingsReader, _ about: ProviderAbout, _ semantics: ProviderSemantics
    ) -> [String: Duration] {
        let standard = semantics == .ttl ? lifetimes(about) : []
        let written = reader.pathTTL(
            SettingsTable.providerTTL, path: "providers.\(about.name).ttl",
            default: standard.first.map { "\($0.name): \(Units.format(duration: $0.ttl))" })
        return Dictionary(standard.map { ($0.name, $0.ttl) }, uniquingKeysWith: { first, _ in first })
            .merging(written) { _, written in written }
    }

    private func isShared(_ reader: inout SettingsReader, _ settings: ProviderSettings) -> Bool {
        // Another host may have a different service at an address of its own machine.
        let isOwnMachine = settings.kind != .builtIn && BaseURL.isOnThisMachine(settings.baseURL)
        return reader.flag(
            SettingsTable.providerShared, path: "providers.\(settings.name).shared",
            default: isOwnMachine ? "false" : "true")
    }

    /// Reads what becomes of cookies, and which fields of answers count.
    private static func cookies(_ reader: inout SettingsReader, _ path: String, _ settings: inout ProviderSettings) {
        typealias Table = SettingsTable
        settings.cdnCacheControl = reader.flag(Table.providerCDNCacheControl, path: "\(path).cdnCacheControl")
        settings.forwardCookies = reader.flag(Table.providerForwardCookies, path: "\(path).forwardCookies")
        settings.cookies = reader.choice(
            Table.providerCookies, path: "\(path).cookies", default: ProviderCookies.strict)
        settings.personalCookies = reader.flag(Table.providerPersonalCookies, path: "\(path).personalCookies")
    }

    /// Reads which request fields are part of the provider's cache keys.
    private static func keys(_ reader: inout SettingsReader, _ path: String, _ settings: inout ProviderSettings) {
        typealias Table = SettingsTable
        settings.keyCredentials = reader.flag(Table.providerKeyCredentials, path: "\(path).keyCredentials")
        settings.keyFields = reader.texts(
            Table.providerKeyFields, path: "\(path).keyFields", check: KeyFieldName.check)
        settings.upgrades = reader.texts(Table.providerUpgrades, path: "\(path).upgrades", check: Self.checkUpgrade)
    }

    /// Checks the name of a protocol (RFC 9110 §7.8). HTTP/2 would be a second way past the cache, for every request.
    private static func checkUpgrade(_ text: String) throws(SettingFault) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) })
        else { throw SettingFault("\"\(text)\" is not the name of a protocol, such as tcp or SPDY/3.1") }
        let name = text.lowercased()
        guard !["h2c", "h2", "http"].contains(String(name.prefix { $0 != "/" })) else {
            throw SettingFault("\(text) is never passed on")
        }
        return name
    }

    /// Reads how many of the provider's exchanges may be under way at once, and how many may wait.
    private static func limits(_ reader: inout SettingsReader, _ path: String, _ settings: inout ProviderSettings) {
        typealias Table = SettingsTable
        settings.maxConnections = reader.count(Table.providerMaxConnections, path: "\(path).maxConnections")
        settings.maxStreams = reader.count(Table.providerMaxStreams, path: "\(path).maxStreams")
        settings.maxQueue = reader.count(Table.providerMaxQueue, path: "\(path).maxQueue")
        let idle = reader.duration(Table.providerIdleTimeout, path: "\(path).idleTimeout")
        settings.idleTimeout = idle > .zero ? idle : nil
    }

    /// Reads the dialect of the API. The origins of all dialects but the first are gone, so such a dialect needs a
    /// baseURL from the user and is never asked elsewhere.
    private func dialect(_ reader: inout SettingsReader, _ about: ProviderAbout) -> String? {
        let path = "providers.\(about.name)"
        let written = reader.text(SettingsTable.providerDialect, path: "\(path).dialect", default: about.dialects.first)
        {
            text throws(SettingFault) in
            guard about.dialects.contains(text) else {
                throw SettingFault(
                    about.dialects.isEmpty
                        ? "\(about.name) has only one variant: this setting is not for it"
                        : "\"\(text)\" is not one of \(about.dialects.joined(separator: ", "))")
            }
            return text
        }
        if let written, written != about.dialects.first, reader.written["\(path).baseURL"] == nil {
            reader.issue("\(path).dialect", "\(written) needs a baseURL, the URL of a mirror")
        }
        return written
    }

    /// Reads the base URL for the searches of a provider that has a second host.
    private func searchURL(_ reader: inout SettingsReader, _ about: ProviderAbout) -> String? {
        let path = "providers.\(about.name).searchURL"
        guard let standard = about.searchBase?.url else { return nil }
        return reader.text(SettingsTable.providerSearchURL, path: path, default: standard, check: BaseURL.check)
    }

    /// Reads a secret: from the credential, then from the setting, then from the variables that tools for this API
    /// already use. If a file was named and is not there, the variables are not tried: the file will hold a different
    /// key.
    private func secret(
        _ reader: inout SettingsReader, _ about: ProviderAbout, _ secrets: SecretPlaces, _ parameter: Parameter,
        _ name: String, variables: [String]
    ) -> (value: String?, problem: KeyFileProblem?) {
        let path = "providers.\(about.name).\(name)"
        var file: String?
        var missing: KeyFileProblem?
        let written = reader.text(parameter, path: path) { text throws(SettingFault) in
            file = SecretPlaces.file(of: text)
            missing = file.flatMap { KeyFileProblem(path: $0) }
            guard missing == nil else { return text }
            do throws(SettingFault) {
                return try secrets.resolve(text)
            } catch {
                guard error.isSilence else { throw error }
                missing = .silent
                return text
            }
        }
        if let file { reader.note(SecretFile(setting: path, path: file, credential: "\(about.name).\(name)")) }
        let whole = { (text: String) throws(SettingFault) in text }
        if let found = credential("\(about.name).\(name)", path, &reader, secrets, check: whole) {
            return (found, nil)
        }
        if let missing {
            let what = name == "key" ? "\(about.name) is not configured" : "it counts as not set"
            reader.note(
                "\(path): \(file ?? "its file") \(missing.predicate); \(what) until the file can be read and the "
                    + "settings are reloaded")
            return (nil, missing)
        }
        if let written { return (written, nil) }
        let own = SettingsTable.environmentName(of: "\(about.name).\(name)")
        for variable in [own] + variables.filter({ $0 != own }) {
            guard let value = secrets.environment[variable], !value.isEmpty else { continue }
            do throws(SettingFault) {
                let key = try SecretPlaces.check(value, from: "the environment variable \(variable)")
                reader.note(
                    EffectiveSetting(
                        path: path, value: "(hidden)", defaultText: nil, origin: .environment(variable)))
                return (key, nil)
            } catch {
                reader.issue(.environment(variable), path, error.message)
            }
        }
        return (nil, nil)
    }
}
