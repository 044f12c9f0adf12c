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

    /// The names of the filter's parameters.
    static let names = ["provider", "outcome", "status", "client", "path", "slow"]

    init() {}

    /// Reads the filter from a query.
    /// - Throws: 400 with the parameter's name and its allowed values.
    init(_ query: QueryParameters) throws(ClientFacingError) {
        func value(_ name: String) throws(ClientFacingError) -> String? {
            guard let text = query[name] else { return nil }
            guard !text.isEmpty else {
                throw .invalid(name, "\"\(name)\" has no value. Leave it out to get all requests.")
            }
            return text
        }
        provider = try value("provider")
        client = try value("client")
        path = try value("path")
        if let text = try value("outcome") {
            guard let known = CacheOutcome(rawValue: text) else {
                throw .invalid(
                    "outcome", "\"\(text)\" is not an outcome of a request.",
                    allowed: CacheOutcome.allCases.map(\.rawValue)
                )
            }
            outcome = known
        }
        if let text = try value("status") { status = try Self.status(text) }
        if let text = try value("slow") {
            do throws(UnitError) {
                slow = try Units.duration(text)
            } catch {
                throw .invalid("slow", "\"slow\": \(error.message)")
            }
        }
    }

    private static func status(_ text: String) throws(ClientFacingError) -> Status {
        let refusal = ClientFacingError.invalid(
            "status", "\"\(text)\" is not a status: give one from 100 to 599, or a class such as 4xx.")
        if text.utf8.count == 3, text.lowercased().hasSuffix("xx"), let digit = text.first?.wholeNumberValue {
            guard (1...5).contains(digit) else { throw refusal }
            return .hundreds(digit)
        }
        guard let status = Int(text), (100...599).contains(status) else { throw refusal }
        return .exactly(status)
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
