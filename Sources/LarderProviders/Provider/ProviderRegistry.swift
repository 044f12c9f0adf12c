// Which providers there are: the built-in ones and those the configuration adds.

/// The providers of one configuration, by name.
public struct ProviderRegistry: Sendable {
    /// The APIs Larder knows.
    public static let builtIn: [any Provider] = [
        ITunes(), NewsAPI(), DnD(), HackerNews(), Jokes(), TMDb(), Imgur(), OpenLibrary(),
    ]

    /// The names of the built-in ones for people, with commas.
    public static var titles: String { builtIn.map(\.about.title).joined(separator: ", ") }

    /// Words by which `source=` names the built-in ones, with commas: their routes' where they are such words.
    public static var sourceNames: String {
        builtIn.map(\.about).map { about in
            about.shortNames.contains(about.routePrefix) ? about.routePrefix : about.name
        }.joined(separator: ", ")
    }

    /// What of the built-in ones is told in a text about settings, with commas.
    /// - Parameter text: nil for those of which there is nothing to tell.
    public static func list(_ text: (ProviderAbout) -> String?) -> String {
        builtIn.map(\.about).compactMap(text).joined(separator: ", ")
    }

    /// Built-in providers first, then passthrough ones, in the order given.
    public let providers: [any Provider]

    /// - Parameter passthroughs: providers the configuration adds; a name that is already taken is left out, since
    ///   the configuration's reader has refused it before.
    public init(passthroughs: [Passthrough] = []) {
        var providers = Self.builtIn
        for one in passthroughs where !providers.contains(where: { $0.about.name == one.about.name }) {
            providers.append(one)
        }
        self.providers = providers
    }

    /// The provider of exactly that name.
    public func named(_ name: String) -> (any Provider)? {
        providers.first { $0.about.name == name }
    }

    /// The provider that `source=` means: its name or one of its short names.
    public func resolve(sourceName: String) -> (any Provider)? {
        named(sourceName) ?? providers.first { $0.about.shortNames.contains(sourceName) }
    }

    /// The provider whose routes begin with that segment after `/v1/`.
    public func routed(_ prefix: String) -> (any Provider)? {
        providers.first { !$0.about.routePrefix.isEmpty && $0.about.routePrefix == prefix }
    }
}
