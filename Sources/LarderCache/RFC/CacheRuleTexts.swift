// Section and sentence of every rule, side by side, so that a reader finds one by the other.

extension CacheRule {
    typealias Text = (section: String, sentence: String)

    var text: Text {
        switch self {
        case .method, .requestBody, .authorization, .cookie, .requestNoStore, .responseNoStore, .responsePrivate,
            .notFinal, .statusNotUnderstood, .statusNeverStored, .partialContent, .notModifiedAnswer,
            .preconditionAnswer, .partInvalid, .partOfUnknownLength, .setCookie, .varyAny,
            .variantUnknown, .connectionOption, .notCacheable, .noLifetime,
            .noUse, .retention, .notAnAnswer:
            refusal
        case .sharedMaxAge, .maxAge, .expires, .heuristic, .validationOnly, .noCacheAnswer, .mustUnderstand, .targeted,
            .postContentLocation, .declaredTTL, .partStored, .partWithoutValidator,
            .partCombined:
            lifetime
        case .fresh, .immutable, .requestNoCache, .requestMaxAge, .requestMinFresh, .requestMaxStale, .onlyIfCached,
            .mustRevalidate, .proxyRevalidate, .sharedMaxAgeStale, .staleWhileRevalidate, .staleNeedsValidation,
            .staleBound, .clock, .disconnected, .staleIfError, .requestStaleIfError, .errorForwarded:
            reuse
        case .searchVariance, .bestLanguage, .uriMiss, .variantMiss, .variantMatch, .variantInDoubt, .validated,
            .validatedNone, .headUpdate, .headTooLarge,
            .headInvalidate, .invalidated, .range, .ifRange, .conditional, .partsLack, .rangeUnit,
            .severalRanges, .rangeUnsatisfiable, .configuredTTL, .configuredEmpty,
            .configuredNegative, .configuredStale:
            change
        case .objectTooLarge, .queryTooLarge, .graphQLOperation, .graphQLErrors, .methodOverride, .postCondition,
            .digestMismatch, .errorOverAnswer, .ownBusiness, .personalToken, .personalTarget, .fleeting:
            bound
        }
    }

    private var refusal: Text {
        switch self {
        case .method:
            (
                "RFC 9111 §3",
                "A request of this kind is always sent to the upstream: only GET, HEAD, QUERY with content and POST that is declared to read are answered here."
            )
        case .requestBody: ("RFC 9110 §9.3.1", "A request with a body has no meaning that a key could hold.")
        case .authorization:
            ("RFC 9111 §3.5", "The request carried credentials, and the answer does not say that others may have it.")
        case .cookie:
            (
                "RFC 9111 §3.5",
                "The request carried cookies, which Larder treats like credentials; the RFC does not ask for that."
            )
        case .requestNoStore: ("RFC 9111 §5.2.1.5", "The request said no-store.")
        case .responseNoStore: ("RFC 9111 §5.2.2.5", "The answer said no-store.")
        case .responsePrivate: ("RFC 9111 §5.2.2.7", "The answer is for one person (private).")
        case .notFinal: ("RFC 9111 §3", "Only final answers are stored.")
        case .statusNotUnderstood:
            ("RFC 9111 §5.2.2.3", "The answer demands that its status is understood (must-understand); it is not.")
        case .statusNeverStored: ("RFC 6585 §7.2", "Answers with this status speak of one moment and are never stored.")
        case .partialContent:
            ("RFC 9111 §3.3", "The answer is a part, and the request was not for one range of bytes alone.")
        case .partInvalid:
            ("RFC 9110 §14.4", "The range that the answer says it holds is not what was asked for, or not what came.")
        case .partOfUnknownLength: ("Larder", "The part does not say how long the whole representation is.")
        case .notModifiedAnswer: ("RFC 9111 §4.3.4", "304 updates what is stored and is no answer of its own.")
        case .preconditionAnswer: ("RFC 9110 §13.2", "The answer is about this request's conditions or ranges.")
        case .setCookie:
            ("RFC 9111 §7.3", "The answer sets a cookie, and does not say that it may be shared (Larder is stricter).")
        case .varyAny: ("RFC 9111 §4.1", "The answer was chosen by what no request field tells (Vary: *).")
        case .variantUnknown: ("RFC 9111 §4.1", "The answer depends on request fields that are not kept apart here.")
        case .connectionOption:
            ("RFC 9110 §7.6.1", "Connection lists a field that deciding about the answer would need later.")
        case .notCacheable:
            ("RFC 9111 §3", "The status is not cacheable by itself, and the answer does not say how long it lives.")
        case .noLifetime: ("RFC 9111 §4.2.2", "The answer has neither a lifetime nor a validator.")
        case .noUse: ("RFC 9111 §4.2.4", "The answer could be used neither fresh, nor stale, nor for a validation.")
        case .retention: ("Larder", "The provider's terms do not allow to keep the answer any longer.")
        default: ("Larder", "The provider's answer is no data: limited, refused, wrong or broken.")
        }
    }

    private var lifetime: Text {
        switch self {
        case .sharedMaxAge: ("RFC 9111 §5.2.2.10", "The answer's s-maxage sets its lifetime.")
        case .maxAge: ("RFC 9111 §5.2.2.1", "The answer's max-age sets its lifetime.")
        case .expires: ("RFC 9111 §5.3", "The answer's Expires sets its lifetime.")
        case .heuristic:
            ("RFC 9111 §4.2.2", "A tenth of the time since the last change, a day at most, is its lifetime.")
        case .validationOnly: ("RFC 9111 §4.3", "The answer has no lifetime and is kept to be validated.")
        case .noCacheAnswer: ("RFC 9111 §5.2.2.4", "The answer said no-cache: it is used only after a validation.")
        case .mustUnderstand: ("RFC 9111 §5.2.2.3", "The status is understood, so must-understand lifts no-store.")
        case .postContentLocation:
            (
                "RFC 9110 §9.3.3",
                "The answer to POST says how long it lives, and that a GET would bring it (Content-Location)."
            )
        case .declaredTTL:
            ("Larder", "The answer does not say how long it lives, and the configuration does (readOnlyPosts).")
        case .partStored: ("RFC 9111 §3.3", "The answer is a part with a strong validator: it answers later ranges.")
        case .partWithoutValidator:
            (
                "RFC 9111 §3.3",
                "The answer is a part without a strong validator: it answers ranges within it, and is put together with no other."
            )
        case .partCombined: ("RFC 9111 §3.4", "The answer is a part of the same representation as stored parts.")
        default: ("RFC 9213 §2.2", "A targeted field took the place of Cache-Control and Expires.")
        }
    }

    private var reuse: Text {
        switch self {
        case .fresh: ("RFC 9111 §4.2", "The stored answer is fresh.")
        case .immutable: ("RFC 8246 §2", "The stored answer is fresh and does not change meanwhile (immutable).")
        case .requestNoCache: ("RFC 9111 §5.2.1.4", "The request demands a validation (no-cache).")
        case .requestMaxAge: ("RFC 9111 §5.2.1.1", "The stored answer is older than the request accepts (max-age).")
        case .requestMinFresh:
            ("RFC 9111 §5.2.1.3", "The stored answer is not fresh for as long as the request wants (min-fresh).")
        case .requestMaxStale: ("RFC 9111 §5.2.1.2", "The request says how stale an answer may be (max-stale).")
        case .onlyIfCached: ("RFC 9111 §5.2.1.7", "The request wants a stored answer or none (only-if-cached).")
        case .mustRevalidate: ("RFC 9111 §5.2.2.2", "The stored answer is never used stale (must-revalidate).")
        case .proxyRevalidate: ("RFC 9111 §5.2.2.8", "A shared cache never uses the answer stale (proxy-revalidate).")
        case .sharedMaxAgeStale: ("RFC 9111 §5.2.2.10", "A shared cache never uses the answer stale (s-maxage).")
        case .staleWhileRevalidate:
            ("RFC 5861 §3", "The stored answer may be used while it is validated in the background.")
        case .staleNeedsValidation: ("RFC 9111 §4.2.4", "The stored answer is stale and must be validated.")
        case .staleBound: ("Larder", "The stored answer is staler than the configuration allows.")
        case .clock: ("RFC 9111 §4.2.3", "The clock was set back: how old the stored answer is cannot be known.")
        case .disconnected: ("RFC 9111 §4.2.4", "The upstream cannot be reached, so a stale answer may serve.")
        case .staleIfError: ("RFC 5861 §4", "The stored answer says how long it may cover for errors (stale-if-error).")
        case .requestStaleIfError:
            ("RFC 5861 §4", "The request says how stale an answer may be on errors (stale-if-error).")
        default: ("RFC 9111 §4.3.3", "Nothing allows a stale answer in place of the upstream's error.")
        }
    }

    private var change: Text {
        switch self {
        case .searchVariance:
            (
                "draft-ietf-httpbis-no-vary-search §7",
                "The stored answer to another query of this path says that it answers this one (No-Vary-Search)."
            )
        case .bestLanguage:
            ("RFC 9110 §12.5.4", "The stored answer is in the language that the request wants before any other.")
        case .uriMiss: ("RFC 9111 §4", "Nothing is stored for this URL.")
        case .variantInDoubt:
            (
                "RFC 9110 §15.5.5",
                "The URL was answered 404 or 410 for other request fields: the stored answer must be validated."
            )
        case .variantMiss: ("RFC 9111 §4.1", "Answers are stored for this URL, none for these request fields.")
        case .variantMatch: ("RFC 9111 §4.1", "The stored answer was chosen by the same request fields.")
        case .validated: ("RFC 9111 §4.3.4", "The upstream confirmed the stored answer (304).")
        case .validatedNone: ("RFC 9111 §4.3.4", "The upstream's 304 names no stored answer.")
        case .headUpdate: ("RFC 9111 §4.3.5", "The head that HEAD brought confirmed the stored answer.")
        case .headTooLarge:
            ("Larder", "The stored head and what a 304 or a HEAD added to it are more than one answer may have.")
        case .headInvalidate: ("RFC 9111 §4.3.5", "The head that HEAD brought belongs to another answer.")
        case .invalidated: ("RFC 9111 §4.4", "A request that may change things made stored answers invalid.")
        case .range: ("RFC 9110 §14.2", "The request asked for a part of the stored answer.")
        case .ifRange: ("RFC 9110 §13.1.5", "The part asked for is of another version: the whole is sent.")
        case .partsLack:
            ("RFC 9111 §3.4", "Only parts of what was asked for are stored. The upstream is asked for the rest.")
        case .rangeUnit: ("RFC 9110 §14.1", "The range is in a unit that only the origin knows.")
        case .severalRanges: ("Larder", "The stored parts do not hold all of several ranges.")
        case .rangeUnsatisfiable:
            (
                "RFC 9111 §3.3",
                "The range begins behind the end of the stored representation. The upstream is asked whether it is longer now."
            )
        case .conditional: ("RFC 9111 §4.3.2", "The client's own copy is the stored answer.")
        case .configuredTTL: ("Larder", "The configuration sets the lifetime, whatever the answer says.")
        case .configuredEmpty: ("Larder", "The configuration sets the lifetime of an answer without results.")
        case .configuredNegative: ("Larder", "The configuration sets how long an absence is remembered.")
        default: ("Larder", "The configuration allows this answer to be used stale.")
        }
    }

    private var bound: Text {
        switch self {
        case .objectTooLarge: ("Larder", "The body is larger than cache.maxObject.")
        case .queryTooLarge:
            (
                "Larder",
                "The content of the question is longer than cache.maxQueryBody, or its length is not known before."
            )
        case .graphQLOperation:
            ("Larder", "The GraphQL request is no query, or cannot be told to be one (readOnlyPosts).")
        case .graphQLErrors: ("Larder", "The GraphQL answer holds errors, or no data: it is not stored.")
        case .methodOverride:
            ("Larder", "A field or a parameter of the request may ask for another method than its own.")
        case .postCondition: ("RFC 9110 §13.1", "A condition of a POST is judged by the upstream.")
        case .digestMismatch: ("RFC 9530 §2", "The content is not what the answer's own digest says: it is not stored.")
        case .errorOverAnswer: ("Larder", "An error never takes the place of an answer that may still cover for it.")
        case .ownBusiness:
            ("Larder", "The request carries credentials, and nothing says that the answer is for everybody.")
        case .personalToken: ("Larder", "The request carries credentials that are no application's key.")
        case .personalTarget: ("Larder", "The path or the parameters name one person's session or sign-in.")
        default: ("Larder", "The API gives another answer each time it is asked.")
        }
    }
}
