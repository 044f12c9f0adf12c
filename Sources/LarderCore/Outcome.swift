// One word for one thing: these are the words of headers, counters, logs and tests alike.

/// How an answer came to be, as `Cache-Status`, the access log and the counters spell it.
public enum CacheOutcome: String, Sendable, Hashable, CaseIterable {
    /// A fresh entry answered.
    case hit
    /// An entry past its freshness answered, while a refresh runs or since the upstream failed.
    case stale
    /// A cached refusal or absence answered.
    case negative
    /// Another request's fetch answered.
    case joined
    /// A fetch of our own answered.
    case miss
    /// The upstream was asked and confirmed what is stored (304), which answered.
    case revalidated
    /// The client forbade reuse, or the request can be neither joined nor stored.
    case bypass
    /// No cache was asked: status pages, errors of the client.
    case none

    /// The upstream was asked for this very answer.
    public var isFetched: Bool { self == .miss || self == .revalidated }
}

/// What a provider makes of an upstream answer before anything is stored.
public enum Classification: Sendable, Hashable {
    /// Results.
    case data
    /// A valid answer with nothing in it: a success.
    case empty
    /// The thing asked for does not exist upstream.
    case notFound
    /// Too many calls; with the instant from which calls may succeed again where the answer told it.
    case limited(until: WallTime?)
    /// The upstream will not answer us: key missing, wrong or blocked, plan too small. Detail is safe to show.
    case refused(String)
    /// The upstream says that our request is wrong. Detail is safe to show.
    case invalidRequest(String)
    /// Not what this API answers: HTML where JSON belongs, cut off, 5xx. Detail is safe to show.
    case broken(String)

    /// The words of counters and logs.
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

    /// Whether the answer may be kept, as data or as a negative entry.
    public var isAnswer: Bool {
        switch self {
        case .data, .empty, .notFound: true
        case .limited, .refused, .invalidRequest, .broken: false
        }
    }
}

/// Why a source gave nothing usable; the words of problem+json, `sources[].error` and the command line's exit codes.
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
