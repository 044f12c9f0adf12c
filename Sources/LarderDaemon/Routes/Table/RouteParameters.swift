// The parameters of routes that the command line has options for.
import LarderProviders

/// The records of a route's parameters, by route.
public enum RouteParameters {
    /// Of `/v1/search`.
    public static let search = records("/v1/search")
    /// Of `/v1/local`.
    public static let local = records("/v1/local")
    /// Of `/v1/requests`.
    public static let requests = RequestsRoute.listParameters.map(\.record)
    /// Of `DELETE /v1/cache`.
    public static let purge = AdminRoutes.purgeParameters.map(\.record)

    private static func records(_ pattern: String) -> [QuestionParameter] {
        RouteTable.searches(of: ProviderRegistry.builtIn).flatMap(\.routes).filter { $0.pattern == pattern }
            .flatMap(\.parameters).map(\.record)
    }
}
