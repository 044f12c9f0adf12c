// The list of providers: the built-in ones and those that the configuration adds.

/// The providers of one configuration, by name.
public struct ProviderRegistry: Sendable {
    /// The APIs that Larder supports.
    public static let builtIn: [any Provider] = [
        SpecProvider(.iTunes), SpecProvider(.newsAPI), SpecProvider(.dnd), SpecProvider(.hackerNews),
        SpecProvider(.jokes), SpecProvider(.tmdb), SpecProvider(.imgur), SpecProvider(.openLibrary),
        SpecProvider(.tvMaze),
    ]

    /// The titles of the built-in providers, separated by commas.
    public static var titles: String { builtIn.map(\.about.title).joined(separator: ", ") }

    /// The words that name the built-in providers in `source=`, separated by commas: the route prefix if `source=`
    /// accepts it, else the name.
    public static var sourceNames: String {
        builtIn.map(\.about).map { about in
            about.shortNames.contains(about.routePrefix) ? about.routePrefix : about.name
        }.joined(separator: ", ")
    }

    /// A text about each built-in provider, for the descriptions of settings, separated by commas.
    /// - Parameter text: the text; nil leaves the provider out.
    public static func list(_ text: (ProviderAbout) -> String?) -> String {
        builtIn.map(\.about).compactMap(text).joined(separator: ", ")
    }

    /// Built-in providers first, then passthrough ones, in the order given.
    public let providers: [any Provider]

    /// - Parameter passthroughs: the providers that the configuration adds. A name that is already taken is skipped;
    ///   the configuration's reader has refused it before.
    public init(passthroughs: [Passthrough] = []) {
        var providers = Self.builtIn
        for one in passthroughs where !providers.contains(where: { $0.about.name == one.about.name }) {
            providers.append(one)
        }
        self.providers = providers
    }

    /// The provider of exactly this name.
    public func named(_ name: String) -> (any Provider)? {
        providers.first { $0.about.name == name }
    }

    /// The provider that `source=` means: its name or one of its short names.
    public func resolve(sourceName: String) -> (any Provider)? {
        named(sourceName) ?? providers.first { $0.about.shortNames.contains(sourceName) }
    }
}
