// Decides whether a provider's setting has an effect. A setting without effect is an error that says what is missing,
// because the person who wrote it believes that it works. Each setting of a provider has one record here.
import LarderCore
import LarderProviders

extension SettingsTable {
    /// What a setting needs in order to have an effect.
    struct SettingEffect: Sendable {
        var parameter: Parameter
        /// What is missing, as a sentence about the setting; nil if the setting has an effect.
        var lack: @Sendable (ProviderSettings, ProviderAbout) -> String?

        init(
            _ parameter: Parameter,
            lack: @escaping @Sendable (ProviderSettings, ProviderAbout) -> String? = { _, _ in nil }
        ) {
            self.parameter = parameter
            self.lack = lack
        }
    }

    static let providerEffects: [SettingEffect] = [
        SettingEffect(providerEnabled), SettingEffect(providerBaseURL), SettingEffect(providerSemantics),
        SettingEffect(providerStaleFor), SettingEffect(providerRate), SettingEffect(providerQuota),
        SettingEffect(providerDeadline), SettingEffect(providerMaxConnections), SettingEffect(providerMaxStreams),
        SettingEffect(providerMaxQueue), SettingEffect(providerShared), SettingEffect(providerRequestFields),
        SettingEffect(providerKeyCredentials, lack: ownFields), SettingEffect(providerKeyFields, lack: ownFields),
        SettingEffect(providerUpgrades, lack: ownFields),
        SettingEffect(providerIdleTimeout) { settings, about in
            settings.isPassthrough
                ? nil
                : "answers of \(about.name) are read whole, within deadline: this setting is only for pass-through "
                    + "providers"
        },
        SettingEffect(providerForwardCookies) { settings, about in
            settings.isPassthrough
                ? nil : "\(about.name) gets no cookies: this setting is only for pass-through providers"
        },
        SettingEffect(providerKind) { settings, about in
            settings.kind == .builtIn ? "\(about.name) is built in: kind is only for providers of your own" : nil
        },
        // The reader of the setting has already refused dialects that the provider does not have.
        SettingEffect(providerDialect),
        SettingEffect(providerSearchURL) { _, about in
            about.searchBase == nil ? "\(about.name) has one host for everything: set baseURL instead" : nil
        },
        SettingEffect(providerPlainHTTP) { settings, _ in
            settings.kind == .builtIn || settings.keyIn.tokenServer != nil
                ? nil
                : "has no effect here: it is for built-in APIs and token servers; a provider of your own may use http "
                    + "without it"
        },
        SettingEffect(providerCA) { settings, _ in
            (settings.baseURLs + [settings.keyIn.tokenServer?.url ?? ""]).contains { $0.hasPrefix("https:") }
                ? nil : "has no effect here: this API is reached by plain http, without certificates"
        },
        SettingEffect(providerKey) { settings, about in
            let takesKey = about.needsKey || !about.credentialFieldNames.isEmpty || !about.credentialParameters.isEmpty
            return settings.kind != .builtIn || takesKey
                ? nil : "\(about.name) takes no key: this setting is not for it"
        },
        SettingEffect(providerKeyIn) { settings, about in
            if settings.kind == .builtIn {
                return "\(about.name) is built in, and Larder knows where it takes its key: this setting is only for "
                    + "providers of your own"
            }
            return settings.key == nil && settings.keyFileProblem == nil ? "has no effect here: there is no key" : nil
        },
        SettingEffect(providerClientSecret) { _, about in
            about.signIn == nil ? "\(about.name) has no sign-in: this setting is not for it" : nil
        },
        SettingEffect(providerCDNCacheControl, lack: ownRules), SettingEffect(providerCookies, lack: ownRules),
        SettingEffect(providerPersonalCookies, lack: ownRules), SettingEffect(providerReadOnlyPosts, lack: ownRules),
        SettingEffect(providerTTL) { settings, about in
            settings.isPassthrough ? nil : ownLifetimes(settings, about)
        },
        SettingEffect(providerEmptyTTL, lack: ownLifetimes),
        SettingEffect(providerNegativeTTL, lack: ownLifetimes),
        SettingEffect(providerStaleWhileRefresh) { settings, about in
            ownLifetimes(settings, about).map { "\($0); under rfc the answer's own stale-while-revalidate decides" }
        },
        SettingEffect(providerImageHosts) { settings, _ in
            settings.isPassthrough
                ? "has no effect here: Larder takes artwork from results, and has no results of your own providers"
                : nil
        },
    ]

    @Sendable private static func ownRules(_ settings: ProviderSettings, _: ProviderAbout) -> String? {
        if settings.semantics == .ttl { return "has no effect under semantics: ttl; it needs semantics: rfc" }
        return settings.isPassthrough ? nil : "has no effect here: it is for providers of your own (kind: passthrough)"
    }

    @Sendable private static func ownFields(_ settings: ProviderSettings, _: ProviderAbout) -> String? {
        settings.isPassthrough ? nil : "has no effect here: Larder makes the requests to \(settings.name) itself"
    }

    @Sendable private static func ownLifetimes(_ settings: ProviderSettings, _: ProviderAbout) -> String? {
        settings.semantics == .rfc
            ? "has no effect under semantics: rfc, because the answer itself decides; it needs semantics: ttl" : nil
    }
}

extension SettingsReader {
    /// Adds a finding for each setting of a provider that was written and has no effect.
    mutating func checkEffects(_ settings: ProviderSettings, _ about: ProviderAbout) {
        let path = "providers.\(settings.name)"
        // An invalid word was already reported, and it does not tell what was meant.
        let isUnsure = issues.contains { $0.path == "\(path).semantics" || $0.path == "\(path).kind" }
        guard !isUnsure else { return }
        for effect in SettingsTable.providerEffects {
            guard let field = effect.parameter.path.split(separator: ".").last, written["\(path).\(field)"] != nil,
                let lack = effect.lack(settings, about)
            else { continue }
            issue("\(path).\(field)", lack)
        }
    }
}
