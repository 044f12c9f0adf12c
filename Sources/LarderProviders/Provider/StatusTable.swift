// What a status says of an answer that says nothing more itself. Most APIs mean the same by the same status; a provider names
// those by which its API means something else.
import LarderCore
import LarderHTTP

/// The classes of statuses that are no success.
struct StatusTable: Sendable {
    enum Class: Sendable {
        case limited, refused, invalidRequest, broken
    }

    /// The API's name at the beginning of a sentence.
    let title: String
    private let overrides: [(statuses: ClosedRange<Int>, means: Class)]

    /// - Parameter overrides: the first that holds the status counts.
    init(_ title: String, _ overrides: [(statuses: ClosedRange<Int>, means: Class)] = []) {
        self.title = title
        self.overrides = overrides
    }

    /// A 404 or 410 says that there is nothing only in the API's own form (`Absence`): here it is broken.
    /// - Parameter message: the API's own words, as they may be shown.
    func classify(_ response: UpstreamResponse, _ message: String? = nil) -> Classification {
        if Absence.statuses.contains(response.status) { return Absence.judge(response, of: title, isOwn: false) }
        let shown = message ?? "\(title) answered \(response.status)."
        return switch meaning(of: response.status) {
        case .limited: .limited(until: RetryAfter.instant(response))
        case .refused: .refused(shown)
        case .invalidRequest: .invalidRequest(shown)
        case .broken: .broken(shown)
        }
    }

    private func meaning(of status: Int) -> Class {
        if let override = overrides.first(where: { $0.statuses.contains(status) }) { return override.means }
        return switch status {
        case 429: .limited
        case 401, 403: .refused
        case 400..<500: .invalidRequest
        default: .broken
        }
    }
}
