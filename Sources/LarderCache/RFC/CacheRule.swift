// Names every rule that can decide about storing or reuse. The explanation of a request cites these rules. Rules of a
// standard name their section. Where Larder is stricter, or the configuration decides, the rule's sentence says so.

/// A rule that decided. Its raw value is its name in JSON explanations.
public enum CacheRule: String, CaseIterable, Sendable, Hashable {
    // Why a response is not stored.
    case method, requestBody, authorization, cookie, requestNoStore, responseNoStore, responsePrivate
    case notFinal, statusNotUnderstood, statusNeverStored, partialContent, notModifiedAnswer, preconditionAnswer
    case deltaAnswer, partInvalid, partOfUnknownLength, partTooShort, partCondition
    case setCookie, cookieWithoutLifetime, varyAny, connectionOption, notCacheable, noLifetime, noUse, retention
    // Why a response is stored, and for how long.
    case sharedMaxAge, maxAge, expires, heuristic, validationOnly, noCacheAnswer, mustUnderstand, targeted
    case postContentLocation, declaredTTL, fallbackTTL, partStored, partWithoutValidator, partCombined
    case cookiesLeftOut, cookiesStored
    // Reuse before the upstream is asked.
    case fresh, immutable, requestNoCache, requestMaxAge, requestMinFresh, requestMaxStale, onlyIfCached
    case mustRevalidate, proxyRevalidate, sharedMaxAgeStale, staleWhileRevalidate, staleNeedsValidation, staleBound
    case clock
    // Reuse after asking the upstream failed.
    case disconnected, staleIfError, requestStaleIfError, errorForwarded
    // Variants, validation, update, invalidation, ranges.
    case searchVariance, bestLanguage
    case uriMiss, variantMiss, variantMatch, variantInDoubt, validated, variantConfirmed, headUpdate, headInvalidate
    case headTooLarge
    case invalidated, range, ifRange, conditional, requestCookies
    case partsLack, partsUnfit, rangeUnit, severalRanges, rangeUnsatisfiable
    // Limits of Larder's own.
    case objectTooLarge, queryTooLarge, graphQLOperation, graphQLErrors, methodOverride, postCondition
    case digestMismatch
    case errorOverAnswer, ownBusiness, ownField, personalToken, personalTarget, fleeting
    // Rules of `ttl` semantics.
    case configuredTTL, configuredNegative, configuredStale
}

extension CacheRule {
    /// Where the rule is defined: "RFC 9111 §5.2.2.5", or "Larder" for rules of the configuration.
    public var section: String { text.section }

    /// Whether the rule forbids any response that the upstream has not just confirmed. If asking the upstream fails,
    /// the client gets a 504 (RFC 9111 §5.2.2.2).
    public var demandsValidation: Bool {
        switch self {
        case .mustRevalidate, .proxyRevalidate, .sharedMaxAgeStale: true
        default: false
        }
    }

    /// The rule in one plain sentence.
    public var sentence: String { text.sentence }
}
