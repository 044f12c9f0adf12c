// The section and the sentence of each rule, side by side. The sentences go out in explanations of single requests.

extension CacheRule {
    typealias Text = (section: String, sentence: String)

    var text: Text {
        switch self {
        case .method, .requestBody, .authorization, .cookie, .requestNoStore, .responseNoStore, .responsePrivate,
            .notFinal, .statusNotUnderstood, .statusNeverStored, .partialContent, .deltaAnswer, .partInvalid,
            .partOfUnknownLength,
            .partTooShort, .partCondition, .notModifiedAnswer, .preconditionAnswer, .setCookie, .cookieWithoutLifetime,
            .varyAny, .connectionOption,
            .notCacheable, .noLifetime, .noUse, .retention:
            refusal
        case .sharedMaxAge, .maxAge, .expires, .heuristic, .validationOnly, .noCacheAnswer, .mustUnderstand,
            .targeted, .postContentLocation, .declaredTTL, .fallbackTTL, .partStored, .partWithoutValidator,
            .partCombined, .cookiesLeftOut, .cookiesStored:
            lifetime
        case .fresh, .immutable, .requestNoCache, .requestMaxAge, .requestMinFresh, .requestMaxStale, .onlyIfCached,
            .mustRevalidate, .proxyRevalidate, .sharedMaxAgeStale, .staleWhileRevalidate, .staleNeedsValidation,
            .staleBound, .clock, .disconnected, .staleIfError, .requestStaleIfError, .errorForwarded:
            reuse
        case .searchVariance, .bestLanguage, .uriMiss, .variantMiss, .variantMatch, .variantInDoubt, .validated,
            .variantConfirmed, .headUpdate, .headInvalidate, .headTooLarge, .invalidated, .range, .ifRange,
            .conditional, .requestCookies, .partsLack, .partsUnfit, .rangeUnit, .severalRanges, .rangeUnsatisfiable,
            .configuredTTL, .configuredNegative, .configuredStale:
            change
        case .objectTooLarge, .queryTooLarge, .graphQLOperation, .graphQLErrors, .methodOverride, .postCondition,
            .digestMismatch, .errorOverAnswer, .ownBusiness, .ownField, .personalToken, .personalTarget, .fleeting:
            bound
        }
    }

    private var refusal: Text {
        switch self {
        case .method:
            (
                "RFC 9111 §3",
                "Larder answers only GET, HEAD, QUERY with content, and POST declared in readOnlyPosts. Every other request goes to the upstream."
            )
        case .requestBody: ("RFC 9110 §9.3.1", "The request has a body, and the method defines no meaning for one.")
        case .authorization:
            ("RFC 9111 §3.5", "The request carried credentials, and the answer does not allow shared storage.")
        case .cookie: ("Larder", "The request carries cookies. Larder treats cookies like credentials.")
        case .requestNoStore: ("RFC 9111 §5.2.1.5", "The request said no-store.")
        case .responseNoStore: ("RFC 9111 §5.2.2.5", "The answer said no-store.")
        case .responsePrivate: ("RFC 9111 §5.2.2.7", "The answer is for one person (private).")
        case .notFinal: ("RFC 9111 §3", "The status is not that of a final answer. Only final answers are stored.")
        case .statusNotUnderstood:
            ("RFC 9111 §5.2.2.3", "The answer says must-understand, and Larder does not know how to cache its status.")
        case .statusNeverStored: ("RFC 6585 §7.2", "Answers with this status describe one moment and are never stored.")
        case .partialContent:
            ("RFC 9111 §3.3", "The answer is partial, and the request did not ask for exactly one byte range.")
        case .deltaAnswer:
            ("RFC 3229 §10.4.1", "The answer is the difference from another version. It is no answer for others.")
        case .partInvalid:
            (
                "RFC 9110 §14.4",
                "The answer's Content-Range is not the range that was asked for, or does not fit its body."
            )
        case .partOfUnknownLength: ("Larder", "The part does not give the complete length of the representation.")
        case .partTooShort:
            (
                "RFC 9111 §3.4",
                "The part is shorter than the range that was asked for, and has no strong validator to combine it with the rest."
            )
        case .partCondition:
            (
                "RFC 9110 §15.3.7",
                "The part answers the client's own If-Range, and may lack fields of the whole representation."
            )
        case .notModifiedAnswer: ("RFC 9111 §4.3.4", "A 304 updates stored answers. It is not stored itself.")
        case .preconditionAnswer:
            ("RFC 9110 §13.2", "The answer is about the conditions, the range or the expectation of this request.")
        case .setCookie:
            ("RFC 9111 §7.3", "The answer sets a cookie and does not allow shared storage (see the setting cookies).")
        case .cookieWithoutLifetime:
            (
                "Larder",
                "The answer sets a cookie and states no lifetime. With cookies: drop, only an answer that states one is stored."
            )
        case .varyAny: ("RFC 9111 §4.1", "The answer varies on something other than request fields (Vary: *).")
        case .connectionOption:
            ("RFC 9110 §7.6.1", "The answer lists Cache-Control, Vary or a targeted field in Connection.")
        case .notCacheable:
            ("RFC 9111 §3", "The status is not cacheable by default, and the answer states no lifetime.")
        case .noLifetime: ("RFC 9111 §4.2.2", "The answer has neither a lifetime nor a validator.")
        case .noUse: ("RFC 9111 §4.2.4", "The answer could not be used fresh, stale or for validation.")
        default: ("Larder", "The provider's terms do not allow the answer to be kept.")
        }
    }

    private var lifetime: Text {
        switch self {
        case .sharedMaxAge: ("RFC 9111 §5.2.2.10", "The answer's s-maxage sets its lifetime.")
        case .maxAge: ("RFC 9111 §5.2.2.1", "The answer's max-age sets its lifetime.")
        case .expires: ("RFC 9111 §5.3", "The answer's Expires sets its lifetime.")
        case .heuristic:
            (
                "RFC 9111 §4.2.2",
                "The answer states no lifetime. It is fresh for a tenth of the time since Last-Modified, at most one day."
            )
        case .validationOnly: ("RFC 9111 §4.3", "The answer has no lifetime. It is stored to be validated.")
        case .noCacheAnswer: ("RFC 9111 §5.2.2.4", "The answer said no-cache. It is validated before each use.")
        case .mustUnderstand:
            (
                "RFC 9111 §5.2.2.3",
                "The answer says must-understand, and its status is understood, so its no-store does not count."
            )
        case .targeted: ("RFC 9213 §2.2", "A targeted field replaced Cache-Control and Expires.")
        case .postContentLocation:
            (
                "RFC 9110 §9.3.3",
                "The answer to POST states a lifetime, and its Content-Location says that it is also the answer to GET. It is stored for GET."
            )
        case .declaredTTL: ("Larder", "The answer states no lifetime. The setting readOnlyPosts sets it.")
        case .fallbackTTL:
            ("RFC 9111 §4.2.2", "The answer states no lifetime. The setting ttl of its provider sets it.")
        case .partStored:
            (
                "RFC 9111 §3.3",
                "The answer is part of a representation with a strong validator. It is stored and answers later ranges."
            )
        case .partWithoutValidator:
            (
                "RFC 9111 §3.3",
                "The part has no strong validator. It is stored, answers ranges inside it, and is not combined with other parts."
            )
        case .partCombined:
            (
                "RFC 9111 §3.4",
                "The answer is another part of a representation of which parts are stored. It is combined with them."
            )
        case .cookiesLeftOut:
            ("RFC 9111 §7.3", "The answer sets a cookie. It is stored without the cookie (see the setting cookies).")
        default: ("Larder", "The answer sets a cookie. It is stored with the cookie (cookies: keep).")
        }
    }

    private var reuse: Text {
        switch self {
        case .fresh: ("RFC 9111 §4.2", "The stored answer is fresh.")
        case .immutable: ("RFC 8246 §2", "The stored answer is fresh and marked immutable.")
        case .requestNoCache: ("RFC 9111 §5.2.1.4", "The request demands validation (no-cache).")
        case .requestMaxAge: ("RFC 9111 §5.2.1.1", "The stored answer is older than the request accepts (max-age).")
        case .requestMinFresh:
            ("RFC 9111 §5.2.1.3", "The stored answer is not fresh for as long as the request demands (min-fresh).")
        case .requestMaxStale: ("RFC 9111 §5.2.1.2", "The request's max-stale decides how stale an answer may be.")
        case .onlyIfCached: ("RFC 9111 §5.2.1.7", "The request accepts only a stored answer (only-if-cached).")
        case .mustRevalidate: ("RFC 9111 §5.2.2.2", "The stored answer must not be used stale (must-revalidate).")
        case .proxyRevalidate:
            ("RFC 9111 §5.2.2.8", "A shared cache must not use the stored answer stale (proxy-revalidate).")
        case .sharedMaxAgeStale:
            ("RFC 9111 §5.2.2.10", "A shared cache must not use the stored answer stale (s-maxage).")
        case .staleWhileRevalidate:
            (
                "RFC 5861 §3",
                "The stored answer may be used while it is validated in the background (stale-while-revalidate)."
            )
        case .staleNeedsValidation: ("RFC 9111 §4.2.4", "The stored answer is stale and must be validated.")
        case .staleBound:
            (
                "Larder",
                "The stored answer has been stale for longer than staleFor allows, or is older than the provider's terms allow."
            )
        case .clock: ("RFC 9111 §4.2.3", "The clock was set back, so the age of the stored answer is unknown.")
        case .disconnected: ("RFC 9111 §4.2.4", "The upstream cannot be reached, so a stale answer may be used.")
        case .staleIfError:
            (
                "RFC 5861 §4",
                "The stored answer's stale-if-error decides how stale it may be used when the upstream fails."
            )
        case .requestStaleIfError:
            ("RFC 5861 §4", "The request's stale-if-error decides how stale an answer may be when the upstream fails.")
        default: ("RFC 9111 §4.3.3", "Nothing allows a stale answer in place of the upstream's error.")
        }
    }

    private var change: Text {
        switch self {
        case .searchVariance:
            (
                "draft-ietf-httpbis-no-vary-search §7",
                "The answer stored for another query of this path also answers this query (No-Vary-Search)."
            )
        case .bestLanguage: ("RFC 9110 §12.5.4", "The stored answer is in the client's preferred language.")
        case .uriMiss: ("RFC 9111 §4", "Nothing is stored for this URL.")
        case .variantMiss: ("RFC 9111 §4.1", "Answers are stored for this URL, but none for these request fields.")
        case .variantMatch:
            ("RFC 9111 §4.1", "The stored answer was selected by the request fields that its Vary names.")
        case .variantInDoubt:
            (
                "RFC 9110 §15.5.5",
                "The URL was answered 404 or 410 to other request fields, so the stored answer must be validated."
            )
        case .validated: ("RFC 9111 §4.3.4", "The upstream confirmed the stored answer (304).")
        case .variantConfirmed:
            (
                "RFC 9111 §4.3.4",
                "The upstream's 304 named the entity tag of an answer stored for other request fields; its body was used."
            )
        case .headUpdate: ("RFC 9111 §4.3.5", "The answer to HEAD confirmed the stored answer.")
        case .headInvalidate:
            ("RFC 9111 §4.3.5", "The answer to HEAD does not confirm the stored answer, which was removed.")
        case .headTooLarge:
            ("Larder", "With the fields that a 304 or HEAD added, the stored head would exceed the size limit.")
        case .invalidated:
            (
                "RFC 9111 §4.4",
                "The request may have changed the resource. What was stored for its URL, and for what the answer names (Location, Content-Location, Cache-Group-Invalidation), was removed."
            )
        case .range: ("RFC 9110 §14.2", "Larder applied the range of the request to the answer.")
        case .ifRange: ("RFC 9110 §13.1.5", "If-Range names another version, so the whole answer is sent.")
        case .conditional: ("RFC 9111 §4.3.2", "The client already has this answer, as its condition says (304).")
        case .requestCookies:
            (
                "Larder",
                "The cookies of the request were left out (see the settings personalCookies and forwardCookies)."
            )
        case .partsLack:
            ("RFC 9111 §3.4", "Part of the requested bytes is stored. The upstream is asked for the missing bytes.")
        case .partsUnfit:
            ("RFC 9111 §3.3", "Parts of the representation are stored, and they do not answer this request.")
        case .rangeUnit: ("RFC 9110 §14.1", "The range uses a unit that Larder does not know.")
        case .severalRanges: ("Larder", "The request asks for several ranges, and not all of them are stored.")
        case .rangeUnsatisfiable:
            (
                "RFC 9111 §3.3",
                "The range starts after the end of the stored representation. The upstream is asked whether it has grown."
            )
        case .configuredTTL: ("Larder", "The configuration sets the lifetime, whatever the answer says.")
        case .configuredNegative: ("Larder", "The configuration sets how long a missing resource is remembered.")
        default: ("Larder", "The configuration allows the stored answer to be used stale.")
        }
    }

    private var bound: Text {
        switch self {
        case .objectTooLarge: ("Larder", "The body is larger than cache.maxObject.")
        case .queryTooLarge:
            ("Larder", "The request content is longer than cache.maxQueryBody, or its length is unknown.")
        case .graphQLOperation:
            ("Larder", "The GraphQL request is not a query, or Larder cannot tell whether it is (readOnlyPosts).")
        case .graphQLErrors: ("Larder", "The GraphQL answer holds errors or no data. It is not stored.")
        case .methodOverride: ("Larder", "The request may ask for a different method through a field or parameter.")
        case .postCondition: ("RFC 9110 §13.1", "The POST has a condition, which only the upstream can evaluate.")
        case .digestMismatch: ("RFC 9530 §2", "The content does not match the digest in the answer. It is not stored.")
        case .errorOverAnswer: ("Larder", "An error does not replace a stored answer that may be used in its place.")
        case .ownBusiness: ("Larder", "The request carries credentials, and no stored answer is marked as shared.")
        case .ownField:
            (
                "Larder",
                "The request has a field that makes its answer one for this request alone, such as Last-Event-ID."
            )
        case .personalToken: ("Larder", "The request carries a person's credentials, not an application key.")
        case .personalTarget: ("Larder", "The path or the parameters name one person's session or sign-in.")
        default: ("Larder", "The API gives a different answer to each request.")
        }
    }
}
