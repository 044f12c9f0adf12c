// Why a source gave nothing usable. `problem+json`, `sources[].error` and exit codes are made from this value.
import LarderCache
import LarderCore
import LarderHTTP

/// Why a provider gave no usable answer.
public struct UpstreamFailure: Error, Sendable, CopyOnWrite {
    public struct Content: Sendable {
        /// The provider's name; `larder` if the daemon itself is at its limit.
        public var provider: String
        /// The class of the failure.
        public var failure: FailureClass
        /// A sentence for a person, without secrets.
        public var detail: String
        /// When a retry may help, if that is known.
        var retryAt: WallTime?
        /// The upstream's own answer, which pass-through forwards as it is.
        public var response: UpstreamResponse?
        /// The error of the fetch, if it brought no complete answer.
        var fetch: FetchError?
        /// The status that a standard requires here, regardless of the class.
        var statusOverride: Int?
        /// The client accepted only a stored answer (RFC 9111 §5.2.1.7). Nobody was asked, and nothing failed.
        var isNotAsked = false
        /// The client has left.
        var hasClientLeft = false
        /// The calls that are left are kept for others (`BudgetShares`). Another client's request may get one.
        var isKeptForOthers = false
        /// How long the failure answers further requests for the same entry, if longer than `fetch.failurePause`.
        var lasts: Duration?
        /// The request was sent, and sending it again might repeat its effect (RFC 9110 §9.2.2).
        var mayHaveTakenEffect = false
    }

    public var content: Shared<Content>

    // More than six parameters: one for each thing that a failure may tell.
    init(
        provider: String, failure: FailureClass, detail: String, retryAt: WallTime? = nil,
        response: UpstreamResponse? = nil, fetch: FetchError? = nil, statusOverride: Int? = nil,
        isNotAsked: Bool = false, hasClientLeft: Bool = false
    ) {
        content = Shared(
            Content(
                provider: provider, failure: failure, detail: detail, retryAt: retryAt, response: response,
                fetch: fetch,
                statusOverride: statusOverride, isNotAsked: isNotAsked, hasClientLeft: hasClientLeft))
    }

    /// Whether a request, or the beginning of one, was sent. False if Larder refused it or no connection was made.
    public var wasSent: Bool { self.fetch.map { !$0.isUnsent } ?? false }

    /// Whether the same request may succeed later without any change.
    var isRetryable: Bool {
        if self.isNotAsked || self.mayHaveTakenEffect || self.fetch?.stage == .unrecorded { return false }
        return switch self.failure {
        case .limited, .unreachable, .timedOut, .broken, .suspended, .overloaded: true
        case .refused, .invalidRequest, .notFound, .notConfigured: false
        }
    }

    /// The word for counters.
    var word: String { self.fetch?.stage == .cancelled ? "cancelled" : self.failure.rawValue }

    /// Whether the API refused the credentials, as it does when a token has expired (RFC 6750 §3.1; Imgur also answers
    /// 403).
    var isAccountRefusal: Bool {
        self.failure == .refused && (self.response?.status == 401 || self.response?.status == 403)
    }

    /// The same refusal, worded for an account. The provider's own wording is about the application's key.
    var ofAccount: UpstreamFailure {
        var failure = self
        failure.detail =
            "\(self.provider) refuses this to the account that is signed in (\(self.response?.status ?? 403)); if it should not, "
            + "sign in again: larder \(self.provider) login"
        return failure
    }

    /// Returns the whole seconds until a retry may help, at least 1; nil if no time is known or a retry does not help.
    func retryAfter(now: WallTime) -> Int64? {
        guard isRetryable, let retryAt = self.retryAt else { return nil }
        return max(1, ((Moment.bounded(retryAt, now: now) - now).milliseconds + 999) / 1000)
    }

    /// Returns the failure with `retryAt` limited to the furthest end that is ever reported (`Moment.furthestEnd`).
    func withBoundedRetry(at now: WallTime) -> UpstreamFailure {
        var failure = self
        failure.retryAt = self.retryAt.map { Moment.bounded($0, now: now) }
        return failure
    }

    /// The HTTP status of a problem made from this failure.
    var status: Int {
        if let statusOverride = self.statusOverride { return statusOverride }
        if self.fetch?.stage == .unrecorded { return 504 }
        return switch self.failure {
        case .limited: 429
        case .refused, .broken, .unreachable: 502
        case .timedOut: 504
        case .suspended, .notConfigured, .overloaded: 503
        case .invalidRequest: 400
        case .notFound: 404
        }
    }

    /// Returns the failure as reported to a client. Durations in it count from `now`.
    public func clientFacing(now: WallTime) -> ClientFacingError {
        if self.isNotAsked { return notStored }
        if self.hasClientLeft {
            return ClientFacingError(status: 503, code: ClientFacingError.clientLeft, detail: self.detail)
        }
        return ClientFacingError(
            status: status, code: self.fetch?.stage == .unrecorded ? "noRecording" : self.failure.rawValue,
            detail: self.detail, provider: self.provider,
            failure: self.failure,
            retryable: isRetryable, retryAfter: retryAfter(now: now),
            fields: ["Proxy-Status": ProxyStatus.render(errorType, receivedStatus: self.response?.status)])
    }

    /// The 504 of RFC 9111 §5.2.1.7. It has no failure class, because no provider failed, and a retry does not help.
    private var notStored: ClientFacingError {
        ClientFacingError(
            status: status, code: "notStored", detail: self.detail, provider: self.provider,
            retryable: false,
            fields: [
                "Cache-Status": "larder; detail=only-if-cached",
                "Proxy-Status": ProxyStatus.render(.proxyInternalResponse),
            ])
    }

    /// The registered error type (RFC 9209 §2.3) for this failure.
    private var errorType: ProxyStatus.ErrorType {
        if let fetch = self.fetch { return ProxyStatus.error(for: fetch) }
        return switch self.failure {
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
    /// Whether the provider is down or must not be asked now, as opposed to refusing the question.
    var isOutage: Bool {
        switch self {
        case .limited, .unreachable, .timedOut, .suspended: true
        case .refused, .broken, .invalidRequest, .notFound, .overloaded, .notConfigured: false
        }
    }

    /// Whether another question to the provider would fail the same way: an outage, or a call that Larder or its
    /// settings prevent.
    var isOfWholeProvider: Bool { isOutage || self == .overloaded || self == .notConfigured }
}

extension UpstreamFailure {
    /// The client no longer waits for the answer. The fetch goes on.
    init(late blame: Blame, provider: String, now: WallTime) {
        switch blame {
        case .ownQueue:
            self.init(
                provider: provider, failure: .overloaded,
                detail: "The call to \(provider) waited for too long in Larder's own queue.",
                retryAt: now + UpstreamClient.crowdPause)
        case .upstream:
            self.init(
                provider: provider, failure: .timedOut, detail: "The upstream was too slow.")
        }
    }

    /// The failure of a fetch that brought no complete answer.
    init(_ error: FetchError, provider: String) {
        let failure: FailureClass =
            switch error.stage {
            case .resolve, .connect, .secure, .send, .receive, .unrecorded: .unreachable
            case .timedOut: .timedOut
            case .tooLarge, .malformed: .broken
            case .forbidden: .refused
            case .cancelled, .overloaded: .overloaded
            }
        let place = error.stage == .unrecorded ? "" : "\(error.origin): "
        self.init(provider: provider, failure: failure, detail: place + error.message, fetch: error)
    }

    /// The failure that an answer means. Nil if the answer is usable.
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

extension UpstreamFailure {
    /// The same failure, remembered for as long as the origin says (`max-age`) if it is an absence. Used for paths that
    /// Larder does not know: the absence may come from anything in front of the API, so it replaces nothing that is
    /// stored, but asking again for the same wrong path costs no call.
    /// - Parameter longest: the lifetime of an absence that the API itself reports.
    func lastingAbsence(atMost longest: Duration) -> UpstreamFailure {
        guard let response = self.response, response.status == 404 || response.status == 410 else { return self }
        let control = CacheControl(response.fields.all(.cacheControl))
        guard !control.noStore, !control.noCache, !control.isPrivate, let age = control.sMaxAge ?? control.maxAge
        else { return self }
        let initial = Age.initial(
            fields: response.fields, requestTime: response.requestTime, responseTime: response.responseTime)
        var failure = self
        failure.lasts = min(longest, .milliseconds(max(0, age * 1000 - initial)))
        return failure
    }
}

/// A failure that is remembered and reported again. The time of a retry is kept by the monotonic clock, which never
/// steps.
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
