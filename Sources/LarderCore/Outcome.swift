// The words for outcomes. Headers, counters, logs and tests use the same ones.

/// How a response was produced, as spelled in `Cache-Status`, the access log and the counters.
public enum CacheOutcome: String, Sendable, Hashable, CaseIterable {
    /// A fresh entry answered.
    case hit
    /// An entry past its freshness answered, while a refresh runs or because the upstream failed.
    case stale
    /// A cached refusal or absence answered.
    case negative
    /// Another request's fetch answered.
    case joined
    /// A fetch made for this request answered.
    case miss
    /// The upstream confirmed the stored response (304), and the stored response answered.
    case revalidated
    /// The client forbade reuse, or the request can be neither joined nor stored.
    case bypass
    /// No cache was involved: status pages, client errors.
    case none

    /// Whether the upstream was asked for this response.
    public var isFetched: Bool { self == .miss || self == .revalidated }
}

/// A provider's verdict on an upstream response, before anything is stored.
public enum Classification: Sendable, Hashable {
    /// Results.
    case data
    /// A successful response without results.
    case empty
    /// The thing asked for does not exist upstream.
    case notFound
    /// Too many calls. Has the instant from which calls may succeed again, if the response gave one.
    case limited(until: WallTime?)
    /// The upstream refuses to answer: the key is missing, wrong or blocked, or the plan is too small. The detail is
    /// safe to show.
    case refused(String)
    /// The upstream says that the request is wrong. The detail is safe to show.
    case invalidRequest(String)
    /// Not a response of this API: HTML instead of JSON, a truncated body, a 5xx. The detail is safe to show.
    case broken(String)

    /// The word for counters and logs.
    public var word: String {
        switch self {
        case .data: "data"
        case .empty: "empty"
        case .notFound: "notFound"
        case .limited: "limited"
        case .refused: "refused"
        case .invalidRequest: "invalidRequest"
        case .broken: "broken"
        }
    }

    /// Whether the response may be stored, as data or as a negative entry.
    public var isAnswer: Bool {
        switch self {
        case .data, .empty, .notFound: true
        case .limited, .refused, .invalidRequest, .broken: false
        }
    }
}

/// Why a source gave nothing usable. These words appear in problem+json, in `sources[].error` and in the command line's
/// exit codes.
public enum FailureClass: String, Sendable, Hashable, CaseIterable {
    case limited
    case refused
    case invalidRequest
    case notFound
    case unreachable
    case timedOut
    case broken
    case notConfigured
    case suspended
    case overloaded
}
