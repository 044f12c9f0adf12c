// Classifies a response by its status when the response says nothing more specific. Most APIs use a status in the same
// sense; a provider lists the statuses that its API uses differently.
import LarderCore
import LarderHTTP

/// The classes of the statuses that are not successes.
struct StatusTable: Sendable {
    enum Class: Sendable {
        case limited, refused, invalidRequest, broken
    }

    /// The API's name at the beginning of a sentence.
    let title: String
    private let overrides: [(statuses: ClosedRange<Int>, means: Class)]

    /// - Parameter overrides: the first range that contains the status decides.
    init(_ title: String, _ overrides: [(statuses: ClosedRange<Int>, means: Class)] = []) {
        self.title = title
        self.overrides = overrides
    }

    /// Classifies an error status. A 404 or 410 is broken here, because only the API's own form is an absence
    /// (`Absence`).
    /// - Parameter message: the API's own message, in a form that may be shown.
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
