// The samples of all providers, which lie in their folders. A question is answered by those records that hold every word of it;
// none is a valid answer too.
import LarderCore
import LarderProviders

enum SampleAPIs {
    static let all: [any SampleAPI] = ProviderRegistry.builtIn.flatMap(\.samples)

    static func named(_ name: String) -> (any SampleAPI)? { all.first { $0.name == name } }

    /// The API that a provider asks as it comes.
    static func of(provider: String) -> (any SampleAPI)? {
        ProviderRegistry.builtIn.first { $0.about.name == provider }?.samples.first
    }

    /// The API whose path it is where no name stands before it.
    static func owner(of path: String) -> (any SampleAPI)? {
        let owners = all.flatMap { api in api.paths.map { (path: $0, api: api) } }
        return owners.filter { path.hasPrefix($0.path) }.max { $0.path.utf8.count < $1.path.utf8.count }?.api
    }
}

/// The samples without a server, for whoever wants one answer.
public enum OriginSamples {
    /// What the stand-in gives for a path of an API, its name removed.
    /// - Parameter name: of the API, or of its provider.
    public static func answer(_ name: String, path: String, query: String?) -> OriginAnswer {
        guard let api = SampleAPIs.named(name) ?? SampleAPIs.of(provider: name) else { return .text(404, "Not Found") }
        let parameters = (try? QueryParameters(parsing: query ?? "")) ?? QueryParameters()
        return OriginAnswer(api.answer(SampleRequest(path: path, parameters: parameters)))
    }
}
