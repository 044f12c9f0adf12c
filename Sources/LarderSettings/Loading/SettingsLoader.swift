// Turns the file, environment and flags into one `Settings`, or into one error that reports all findings.
import LarderCore
import LarderIO
import LarderProviders
import LarderYAML

/// Reads the configuration.
public struct SettingsLoader: Sendable {
    /// The built-in providers. They supply the defaults for settings that were not written.
    public var providers: [ProviderAbout]

    public init(providers: [ProviderAbout] = ProviderRegistry.builtIn.map(\.about)) {
        self.providers = providers
    }

    /// Loads the settings.
    /// - Parameters:
    ///   - file: the configuration file; nil if there is none.
    ///   - environment: the environment of the process. `LARDER_*`, `XDG_*`, `HOME`,
    ///     `SSL_CERT_FILE` and systemd's directories are read.
    ///   - flags: paths and values from the command line. They override all else; a repeated path adds to a list.
    ///   - mayBeEmpty: false at a reload. A file without a byte is then most often one that is just being written, and
    ///     as a configuration it would take every provider away.
    ///   - unwritten: the name of a provider whose own file is left out, because it is yet to be written.
    /// - Throws: `SettingsError` with every finding.
    public func load(
        file: String?, environment: [String: String], flags: [(path: String, value: String)] = [],
        mayBeEmpty: Bool = true, unwritten: String? = nil
    ) throws(SettingsError) -> Settings {
        var text: Bytes?
        if let file {
            do {
                text = try ConfigurationFile.readRegular(file, limit: YAMLReader.maxBytes)
            } catch {
                throw SettingsError(issues: [SettingsIssue(origin: .unread(file), path: "", message: error.message)])
            }
            if text?.isEmpty == true, !mayBeEmpty {
                let fault = "\(file) is empty; write a comment into it if that is meant"
                throw SettingsError(issues: [SettingsIssue(origin: .unread(file), path: "", message: fault)])
            }
        }
        return try load(
            text: text, named: file ?? "", environment: environment, flags: flags,
            providerFiles: (file.map(ProviderFile.all) ?? []).filter { $0.provider != unwritten })
    }

    /// Loads the settings from a text instead of a file. Messages use `name` for the file.
    /// - Parameter providerFiles: the files of single providers.
    public func load(
        text: Bytes?, named name: String, environment: [String: String],
        flags: [(path: String, value: String)] = [], providerFiles: [ProviderFile] = []
    ) throws(SettingsError) -> Settings {
        var collector = SettingsCollector()
        if let text { collector.collect(file: name, text) }
        for file in providerFiles { collector.collect(file) }
        collector.collect(environment: environment, builtIn: providers)
        collector.collect(flags: flags)

        var reader = SettingsReader(written: collector.written)
        let secrets = SecretPlaces(environment: environment)
        let configured = providerSettings(&reader, collector, secrets)
        var settings = settings(&reader, environment, secrets, providers: configured)
        settings.tools = tools(&reader, secrets, admin: settings.admin.token)
        settings.quota = quota(&reader, settings.tools)
        settings.fetch.caFile = CertificateFile.standard(environment, &reader)
        Self.fitDefaults(&settings, reader)
        Self.checkTogether(settings, &reader)
        reader.noteShares(settings)

        let issues = collector.issues + reader.issues
        guard issues.isEmpty else { throw SettingsError(issues: Self.ordered(issues)) }
        settings.notes = collector.notes + reader.notes + Self.notes(about: settings)
        settings.secretFiles = reader.secretFiles
        settings.effective = Self.inTableOrder(reader.effective)
        return settings
    }

    /// Returns `$LARDER_CONFIG` if it is set. Otherwise returns the first that exists of `larder/larder.yaml` in the
    /// user's configuration directory and `/etc/larder/larder.yaml`. A file named by `$LARDER_CONFIG` is returned even
    /// if it does not exist, so that loading fails.
    public static func standardFile(environment: [String: String]) -> String? {
        if let named = environment["LARDER_CONFIG"], !named.isEmpty { return named }
        return StandardPlaces(environment: environment).configurationFiles.first { ConfigurationFile.exists($0) }
    }

    // MARK: The snapshot

    private func settings(
        _ reader: inout SettingsReader, _ environment: [String: String], _ secrets: SecretPlaces,
        providers: [String: ProviderSettings]
    ) -> Settings {
        typealias Table = SettingsTable
        let places = StandardPlaces(environment: environment)
        let allowRemote = reader.flag(Table.allowRemote)
        return Settings(
            listen: listeners(&reader, places, allowRemote: allowRemote, providers: providers),
            allowRemote: allowRemote,
            hostNames: reader.texts(Table.hostNames, check: Self.hostName),
            browserOrigins: reader.texts(Table.browserOrigins, check: Self.origin),
            admin: Settings.Admin(token: secret(&reader, Table.adminToken, secrets), users: adminUsers(&reader)),
            cache: Settings.Cache(
                &reader, path: directory(&reader, Table.cachePath, places.cache, variable: "CACHE_DIRECTORY")),
            statePath: directory(&reader, Table.statePath, places.state, variable: "STATE_DIRECTORY"),
            server: Settings.Server(&reader),
            fetch: Settings.Fetch(&reader),
            search: Settings.Search(&reader),
            log: Settings.Log(&reader),
            artwork: Settings.Artwork(
                &reader, key: secret(&reader, Table.artworkKey, secrets, check: SharedURL.strong)),
            uploads: UploadSettings(&reader),
            shared: shared(&reader, secrets),
            proxy: proxy(&reader, password: secret(&reader, Table.proxyPassword, secrets)),
            providers: providers,
            notes: [],
            effective: [])
    }

    private func directory(
        _ reader: inout SettingsReader, _ parameter: Parameter, _ standard: String?, variable: String
    ) -> String {
        let path = reader.text(parameter, default: standard) { text throws(SettingFault) in
            guard text.hasPrefix("/") else { throw SettingFault("\"\(text)\" is not an absolute path") }
            return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        if path == nil, reader.written[parameter.path] == nil {
            reader.issue(parameter.path, "is needed, because neither $\(variable) nor $HOME is set")
        }
        return path ?? "/"
    }

    private func shared(_ reader: inout SettingsReader, _ secrets: SecretPlaces) -> Settings.Shared? {
        let password = secret(&reader, SettingsTable.sharedPassword, secrets)
        let key = secret(&reader, SettingsTable.sharedKey, secrets, check: SharedURL.strong)
        return Settings.Shared(&reader, password: password, key: key)
    }

    /// Reads a secret setting. Its credential has the name of the setting.
    private func secret(
        _ reader: inout SettingsReader, _ parameter: Parameter, _ secrets: SecretPlaces,
        check: (String) throws(SettingFault) -> String = { text throws(SettingFault) in text }
    ) -> String? {
        let path = parameter.path
        var file: String?
        let written = reader.text(parameter) { text throws(SettingFault) in
            file = SecretPlaces.file(of: text)
            return try check(try secrets.resolve(text))
        }
        if let file { reader.note(SecretFile(setting: path, path: file, credential: path)) }
        return credential(path, path, &reader, secrets, check: check) ?? written
    }

    /// Reads a credential. It overrides what was written.
    func credential(
        _ name: String, _ path: String, _ reader: inout SettingsReader, _ secrets: SecretPlaces,
        check: (String) throws(SettingFault) -> String
    ) -> String? {
        do throws(SettingFault) {
            guard let found = try secrets.credential(name) else { return nil }
            reader.note(
                EffectiveSetting(path: path, value: "(hidden)", defaultText: nil, origin: .credential(found.path)))
            return try check(found.value)
        } catch {
            reader.issue(path, error.message)
            return nil
        }
    }

    private func adminUsers(_ reader: inout SettingsReader) -> [UInt32] {
        reader.texts(SettingsTable.adminUsers) { text throws(SettingFault) in
            guard let number = UserName.user(text) else {
                throw SettingFault("there is no user \"\(text)\" on this machine")
            }
            return String(number)
        }.compactMap { UInt32($0) }
    }

    // MARK: Texts

    static func hostName(_ text: String) throws(SettingFault) -> String {
        let name = text.lowercased()
        let address = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        if address.contains(":"), let parsed = try? Address("[\(address)]:0"), case .ipv6(let bytes, _) = parsed {
            return "[\(Address.text(bytes))]"
        }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw SettingFault(BaseURL.foreignLetters) }
        guard !name.contains("*"), !name.contains(":"), (try? BaseURL.checkImageHost(name)) != nil else {
            throw SettingFault("\"\(text)\" is not a host name or an IP address without port")
        }
        return name
    }

    /// Checks an origin. It must be written as browsers write it: in lower case, without a path and without the default
    /// port of its scheme (RFC 6454 §6.2).
    private static func origin(_ text: String) throws(SettingFault) -> String {
        let isWhole = (try? BaseURL.check(text)) == text && text.utf8.count(where: { $0 == 0x2F }) == 2
        let isUsualPort = text.hasPrefix("http:") ? text.hasSuffix(":80") : text.hasSuffix(":443")
        guard isWhole, !isUsualPort else {
            throw SettingFault("\"\(text)\" is not an origin as browsers write it, such as http://localhost:3000")
        }
        return text
    }

    static func fieldValue(_ text: String) throws(SettingFault) -> String {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw SettingFault("contains characters that are not ASCII")
        }
        return text
    }

    static func proxy(_ text: String) throws(SettingFault) -> String {
        for scheme in ["socks5h://", "socks5://"] {
            if let rest = text.dropping(prefix: scheme) {
                return scheme + (try BaseURL.check("http://\(rest)")).dropFirst("http://".count)
            }
        }
        return try BaseURL.check(text)
    }

    /// Checks "HOST:PORT:OTHER-HOST:OTHER-PORT". IPv6 literals stand in brackets.
    static func connection(_ text: String) throws(SettingFault) -> String {
        let fault = SettingFault(
            "\"\(text)\" is not HOST:PORT:OTHER-HOST:OTHER-PORT, such as api.example.org:443:127.0.0.1:8443")
        var parts: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            let end =
                rest.first == "["
                ? rest.firstIndex(of: "]").map { rest.index(after: $0) } ?? rest.endIndex
                : rest.firstIndex(of: ":") ?? rest.endIndex
            parts.append(String(rest[..<end]))
            rest = rest[end...]
            guard rest.isEmpty || rest.first == ":" else { throw fault }
            rest = rest.dropFirst()
        }
        guard parts.count == 4 else { throw fault }
        for place in [0, 2] {
            guard (try? BaseURL.check("http://\(parts[place]):\(parts[place + 1])")) != nil else { throw fault }
        }
        return text.lowercased()
    }

    // MARK: Findings

    /// Adjusts defaults to written settings that they conflict with, so that nobody has to write two settings to change
    /// one.
    private static func fitDefaults(_ settings: inout Settings, _ reader: SettingsReader) {
        if reader.written["cache.maxObject"] == nil {
            settings.cache.maxObject = min(settings.cache.maxObject, settings.cache.maxSize / 2)
        }
        if reader.written["cache.lowWater"] == nil {
            settings.cache.lowWater = min(settings.cache.lowWater, settings.cache.highWater - 10)
        }
        if reader.written["fetch.softDeadline"] == nil {
            settings.fetch.softDeadline = min(settings.fetch.softDeadline, settings.fetch.deadline)
        }
        settings.cache.minFreeIsDefault = reader.written["cache.minFree"] == nil
    }

    private static func checkTogether(_ settings: Settings, _ reader: inout SettingsReader) {
        if settings.cache.lowWater >= settings.cache.highWater {
            reader.issue(
                "cache.lowWater",
                "\(settings.cache.lowWater) must be less than cache.highWater, \(settings.cache.highWater)")
        }
        if settings.cache.maxObject > settings.cache.maxSize {
            reader.issue(
                reader.written["cache.maxObject"] == nil ? "cache.maxSize" : "cache.maxObject",
                "cache.maxObject, \(Units.format(size: settings.cache.maxObject)), is more than the whole cache, "
                    + Units.format(size: settings.cache.maxSize))
        }
        let isRemoteProxy = settings.listen.contains {
            $0.isProxy && (try? Address($0.address))?.isLoopback == false
        }
        if isRemoteProxy, settings.proxy.password == nil {
            reader.issue("listen", "a proxy that other machines can reach needs proxy.password")
        }
        if settings.fetch.softDeadline > settings.fetch.deadline {
            reader.issue(
                "fetch.softDeadline",
                "must not be longer than fetch.deadline, "
                    + Units.format(duration: settings.fetch.deadline))
        }
    }

    private static func notes(about settings: Settings) -> [String] {
        var notes: [String] = []
        if settings.cache.path == settings.statePath {
            notes.append("state.path is the cache's directory: if the cache is emptied, budgets and keys are lost too")
        }
        if let token = settings.admin.token, token.utf8.count < 16 {
            notes.append("admin.token is short: programs on this machine could guess it")
        }
        let isRemote = settings.listen.contains { (try? Address($0.address))?.isLoopback == false }
        if isRemote { notes.append("other machines can reach Larder, and it does not authenticate clients") }
        for provider in settings.providers.values.sorted(by: { $0.name < $1.name })
        where provider.key != nil {
            let server = provider.keyIn.tokenServer
            for url in provider.baseURLs where BaseURL.isReadableOnTheWay(url) {
                notes.append("the \(server == nil ? "key" : "token") of \(provider.name) is sent unencrypted to \(url)")
            }
            if let server, BaseURL.isReadableOnTheWay(server.url) {
                notes.append("the key of \(provider.name) is sent unencrypted to its token server")
            }
        }
        return notes
    }

    /// The findings in the order of the file, followed by those from elsewhere.
    private static func ordered(_ issues: [SettingsIssue]) -> [SettingsIssue] {
        let files = issues.compactMap { if case .file(let name, _, _) = $0.origin { name } else { nil } }
        func place(_ one: (offset: Int, element: SettingsIssue)) -> (Int, Int, Int, Int) {
            guard case .file(let name, let line, let column) = one.element.origin else {
                return (.max, 0, 0, one.offset)
            }
            return (files.firstIndex(of: name) ?? 0, line, column, one.offset)
        }
        return issues.enumerated().sorted { place($0) < place($1) }.map(\.element)
    }

    private static func inTableOrder(_ effective: [EffectiveSetting]) -> [EffectiveSetting] {
        let order = Dictionary(
            SettingsTable.all.enumerated().map { ($0.element.path, $0.offset) }, uniquingKeysWith: { first, _ in first }
        )
        func place(_ setting: EffectiveSetting) -> (String, Int) {
            let parts = setting.path.split(separator: ".")
            let provider = parts.count == 3 ? String(parts[1]) : ""
            return (provider, order[SettingsTable.template(of: setting.path)] ?? .max)
        }
        // Each place is computed once. Computed at each comparison, they took four fifths of a load.
        return effective.map { (place: place($0), setting: $0) }.sorted { $0.place < $1.place }.map(\.setting)
    }
}
