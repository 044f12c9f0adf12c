// Looks up the samples of all providers, which are in the providers' folders. A search is answered with the records
// that contain every word of it. An empty result is a valid answer.
import LarderCore
import LarderProviders

enum SampleAPIs {
    static let all: [SampleAPI] = ProviderRegistry.builtIn.flatMap { $0.samples() }

    static func named(_ name: String) -> SampleAPI? { all.first { $0.name == name } }

    /// The first sample API of a provider.
    static func of(provider: String) -> SampleAPI? {
        ProviderRegistry.builtIn.first { $0.about.name == provider }?.samples().first
    }

    /// The first API that has a path without an API name. Of the jokes, api.chucknorris.io precedes icndb.
    static func owner(of path: String) -> SampleAPI? {
        all.first { $0.owns(path) }
    }
}

/// The samples without a server, for callers that need a single answer.
public enum OriginSamples {
    /// Returns the stand-in's answer to a path of an API. The path does not include the API's name.
    /// - Parameter name: the name of the API or of its provider.
    public static func answer(_ name: String, path: String, query: String?) -> OriginAnswer {
        guard let api = SampleAPIs.named(name) ?? SampleAPIs.of(provider: name) else { return .text(404, "Not Found") }
        let parameters = (try? QueryParameters(parsing: query ?? "")) ?? QueryParameters()
        return OriginAnswer(api.answer(SampleRequest(path: path, parameters: parameters)))
    }
}
