// Which requests a viewer wants to see, as a pure value. The filter compares the target as the viewer sees it.
// Otherwise a viewer could find out hidden parts by asking for them letter by letter.
import LarderCore
import LarderProviders

/// The filter of `/v1/requests` and its events. A nil property accepts anything.
struct RequestFilter: Sendable, Equatable {
    /// A status, or all statuses of a class.
    enum Status: Sendable, Equatable {
        case exactly(Int)
        /// The class: 4 stands for 400 to 499.
        case hundreds(Int)

        func takes(_ status: Int) -> Bool {
            switch self {
            case .exactly(let wanted): status == wanted
            case .hundreds(let wanted): status / 100 == wanted
            }
        }
    }

    var provider: String?
    var outcome: CacheOutcome?
    var status: Status?
    var client: String?
    /// A part of the target as the viewer sees it.
    var path: String?
    /// The minimum duration. A hit that a loop answers is not timed, so it never matches.
    var slow: Duration?

    init() {}

    /// - Parameter values: read by `RequestsRoute.filterParameters`.
    init(_ values: ParameterValues) throws(ClientFacingError) {
        provider = values["provider"]
        client = values["client"]
        path = values["path"]
        outcome = values["outcome"].flatMap(CacheOutcome.init)
        status = values["status"].flatMap { text in
            Int(text).map(Status.exactly) ?? text.first?.wholeNumberValue.map(Status.hundreds)
        }
        slow = try values.duration("slow")
    }

    /// Whether the filter accepts the request.
    /// - Parameter target: the target as the viewer sees it. Evaluated only if all other conditions hold.
    func takes(_ request: SeenRequest, target: @autoclosure () -> String) -> Bool {
        if let provider, !request.providers.contains(provider) { return false }
        if let outcome, request.outcome != outcome { return false }
        if let status, !status.takes(request.status) { return false }
        if let client, request.client != client { return false }
        if let slow {
            guard let took = request.took, took >= slow else { return false }
        }
        if let path { return target().contains(path) }
        return true
    }
}
