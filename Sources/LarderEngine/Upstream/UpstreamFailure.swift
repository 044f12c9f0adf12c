// Why a source gave nothing usable, in the words that become problem+json, `sources[].error` and exit codes.
import LarderCache
import LarderCore
import LarderHTTP

/// Why a provider gave nothing.
public struct UpstreamFailure: Error, Sendable {
    /// Its name; `larder` where the daemon itself is at its limit.
    public var provider: String
    /// Of what kind it is.
    public var failure: FailureClass
    /// A sentence for a person, without secrets.
    public var detail: String
    /// When asking again may help, where that is known.
    var retryAt: WallTime?
    /// The upstream's own answer, which pass-through hands on as it is.
    public var response: UpstreamResponse?
    /// The fetch that brought no whole answer.
    var fetch: FetchError?
    /// The status that a standard demands here, whatever failed.
    var statusOverride: Int?
    /// The client wanted what is stored or nothing (RFC 9111 §5.2.1.7), so that nobody was asked and nothing failed.
    var isNotAsked = false
    /// Nobody waits any more.
    var hasClientLeft = false
    /// The request was sent, and to send it again may do once more what it did (RFC 9110 §9.2.2).
    var mayHaveTakenEffect = false

    /// Whether a request, or the beginning of one, went out. False where it was refused here, and where no connection was made.
    public var wasSent: Bool { fetch.map { !$0.isUnsent } ?? false }

    /// Whether the same request may succeed later without anybody changing anything.
    var isRetryable: Bool {
        if isNotAsked || mayHaveTakenEffect { return false }
        return switch failure {
        case .limited, .unreachable, .timedOut, .broken, .suspended, .overloaded: true
        case .refused, .invalidRequest, .notFound, .notConfigured: false
        }
    }

    /// Whether the API refused whoever asked, as it does where a token is over (RFC 6750 §3.1; Imgur says 403 too).
    var isAccountRefusal: Bool {
        failure == .refused && (response?.status == 401 || response?.status == 403)
    }

    /// The same refusal, said of the account: a provider's own words are about the application's key.
    var ofAccount: UpstreamFailure {
        var failure = self
        failure.detail =
            "\(provider) refuses this to the account that is signed in (\(response?.status ?? 403)); if it should not, "
            + "sign in again: larder \(provider) login"
        return failure
    }

    /// The whole seconds until a retry may help; at least one.
    func retryAfter(now: WallTime) -> Int64? {
        guard isRetryable, let retryAt else { return nil }
        return max(1, ((Moment.bounded(retryAt, now: now) - now).milliseconds + 999) / 1000)
    }

    /// The same failure, with no end further ahead than any that is told (`Moment.furthestEnd`).
    func withBoundedRetry(at now: WallTime) -> UpstreamFailure {
        var failure = self
        failure.retryAt = retryAt.map { Moment.bounded($0, now: now) }
        return failure
    }

    /// The status of an answer that has nothing else to give.
    var status: Int {
        if let statusOverride { return statusOverride }
        return switch failure {
        case .limited: 429
        case .refused, .broken, .unreachable: 502
        case .timedOut: 504
        case .suspended, .notConfigured, .overloaded: 503
        case .invalidRequest: 400
        case .notFound: 404
        }
    }

    /// The failure as a client is told of it; what is said in seconds counts from then.
    public func clientFacing(now: WallTime) -> ClientFacingError {
        if isNotAsked { return notStored }
        if hasClientLeft {
            return ClientFacingError(status: 503, code: ClientFacingError.clientLeft, detail: detail)
        }
        return ClientFacingError(
            status: status, code: failure.rawValue, detail: detail, provider: provider, failure: failure,
            retryable: isRetryable, retryAfter: retryAfter(now: now),
            fields: ["Proxy-Status": ProxyStatus.render(errorType, receivedStatus: response?.status)])
    }

    /// The 504 of RFC 9111 §5.2.1.7: of no class, since no provider failed, and nothing changes by asking the same again.
    private var notStored: ClientFacingError {
        ClientFacingError(
            status: status, code: "notStored", detail: detail, provider: provider,
            retryable: false,
            fields: [
                "Cache-Status": "larder; detail=only-if-cached",
                "Proxy-Status": ProxyStatus.render(.proxyInternalResponse),
            ])
    }

    /// The word of the registry for what kept the upstream's answer away (RFC 9209 §2.3).
    private var errorType: ProxyStatus.ErrorType {
        if let fetch { return ProxyStatus.error(for: fetch) }
        return switch failure {
        case .limited: .httpRequestDenied
        case .suspended, .notConfigured: .destinationUnavailable
        case .overloaded: .connectionLimitReached
        case .timedOut: .httpResponseTimeout
        case .unreachable: .destinationUnavailable
        case .broken: .httpProtocolError
        case .refused, .invalidRequest, .notFound: .httpRequestDenied
        }
    }
}

extension FailureClass {
    /// The provider is down or may not be asked now; it did not refuse the question.
    var isOutage: Bool {
        switch self {
        case .limited, .unreachable, .timedOut, .suspended: true
        case .refused, .broken, .invalidRequest, .notFound, .overloaded, .notConfigured: false
        }
    }

    /// Another question to the provider would fail alike: an outage, or a call that Larder or its settings keep from being
    /// made.
    var isOfWholeProvider: Bool { isOutage || self == .overloaded || self == .notConfigured }
}

extension UpstreamFailure {
    /// Who waited for an answer waits no longer. The fetch goes on.
    init(late blame: Blame, provider: String, now: WallTime) {
        switch blame {
        case .ownQueue:
            self.init(
                provider: provider, failure: .overloaded,
                detail: "What was asked of \(provider) waited for its turn in Larder's own queue; "
                    + "nobody waits any longer.",
                retryAt: now + UpstreamClient.crowdPause)
        case .upstream:
            self.init(
                provider: provider, failure: .timedOut, detail: "The upstream is slow; nobody waits any longer.")
        }
    }

    /// What a fetch that brought no whole answer means for its provider.
    init(_ error: FetchError, provider: String) {
        let failure: FailureClass =
            switch error.stage {
            case .resolve, .connect, .secure, .send, .receive: .unreachable
            case .timedOut: .timedOut
            case .tooLarge, .malformed: .broken
            case .forbidden: .refused
            case .cancelled, .overloaded: .overloaded
            }
        self.init(provider: provider, failure: failure, detail: "\(error.origin): \(error.message)", fetch: error)
    }

    /// What an answer that is no answer means. Nil for answers.
    init?(_ classification: Classification, response: UpstreamResponse, provider: String) {
        switch classification {
        case .data, .empty, .notFound: return nil
        case .limited(let until):
            let why = response.status == 503 ? "asks for a pause (503)" : "says that too many calls were made"
            self.init(
                provider: provider, failure: .limited, detail: "\(provider) \(why).", retryAt: until,
                response: response)
        case .refused(let detail):
            self.init(provider: provider, failure: .refused, detail: detail, response: response)
        case .invalidRequest(let detail):
            self.init(provider: provider, failure: .invalidRequest, detail: detail, response: response)
        case .broken(let detail):
            self.init(provider: provider, failure: .broken, detail: detail, response: response)
        }
    }
}

/// A failure that is told again later. When to ask again is kept as an instant of the clock that does not step.
struct RememberedFailure: Sendable {
    private let kept: UpstreamFailure
    private let retryAt: MonotonicTime?

    init(_ failure: UpstreamFailure, now: Moment) {
        kept = failure
        retryAt = failure.retryAt.map { now.monotonic(at: Moment.bounded($0, now: now.wall)) }
    }

    var provider: String { kept.provider }

    func failure(now: Moment) -> UpstreamFailure {
        var failure = kept
        failure.retryAt = retryAt.map { now.boundedWall(at: $0) }
        return failure
    }
}
