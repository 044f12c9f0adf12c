// Makes the entries of images.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// Fetches images.
public struct ArtworkWork: Sendable {
    let engine: Engine

    /// Creates the work of an engine.
    public init(engine: Engine) {
        self.engine = engine
    }

    /// Returns the recipe of an image.
    /// - Parameters:
    ///   - permission: the URL and addresses that the image may be fetched from.
    ///   - directives: the client's demands. An answer that the client forbids to store is not stored.
    public func recipe(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives
    ) -> EntryRecipe {
        let fetch = ArtworkFetch(
            engine: engine, key: key, provider: provider, permission: permission, rule: rule, settings: settings,
            directives: directives)
        return EntryRecipe(engine.cache, key, announcing: { await fetch.work($0) }, provider: provider.name)
    }
}
