// Every rule that can decide about storing or reuse, by name. An explanation of a request cites them. Rules of a
// standard name their section. Rules of Larder, where it is stricter or where the configuration decides, say so in
// their sentence.

/// A rule that decided. Its raw value is the word of JSON explanations.
public enum CacheRule: String, CaseIterable, Sendable, Hashable {
    // Storing: why not.
    case method, requestBody, authorization, cookie, requestNoStore, responseNoStore, responsePrivate
    case notFinal, statusNotUnderstood, statusNeverStored, partialContent, notModifiedAnswer, preconditionAnswer
    case partInvalid, partOfUnknownLength, partTooShort, partCondition
    case setCookie, cookieWithoutLifetime, varyAny, connectionOption, notCacheable, noLifetime, noUse, retention
    // Storing: why, and for how long.
    case sharedMaxAge, maxAge, expires, heuristic, validationOnly, noCacheAnswer, mustUnderstand, targeted
    case postContentLocation, declaredTTL, partStored, partWithoutValidator, partCombined
    case cookiesLeftOut, cookiesStored
    // Reuse before the upstream is asked.
    case fresh, immutable, requestNoCache, requestMaxAge, requestMinFresh, requestMaxStale, onlyIfCached
    case mustRevalidate, proxyRevalidate, sharedMaxAgeStale, staleWhileRevalidate, staleNeedsValidation, staleBound
    case clock
    // Reuse after asking failed.
    case disconnected, staleIfError, requestStaleIfError, errorForwarded
    // Variants, validation, update, invalidation, ranges.
    case searchVariance, bestLanguage
    case uriMiss, variantMiss, variantMatch, variantInDoubt, validated, variantConfirmed, headUpdate, headInvalidate
    case headTooLarge
    case invalidated, range, ifRange, conditional, requestCookies
    case partsLack, partsUnfit, rangeUnit, severalRanges, rangeUnsatisfiable
    // Larder's own bounds.
    case objectTooLarge, queryTooLarge, graphQLOperation, graphQLErrors, methodOverride, postCondition
    case digestMismatch
    case errorOverAnswer, ownBusiness, personalToken, personalTarget, fleeting
    // `ttl` semantics.
    case configuredTTL, configuredNegative, configuredStale
}

extension CacheRule {
    /// Where the rule is written: "RFC 9111 §5.2.2.5", or "Larder" for rules of the configuration.
    public var section: String { text.section }

    /// Whether the rule forbids any answer but one that the upstream has just confirmed; where that fails, 504 is owed
    /// (RFC 9111 §5.2.2.2).
    public var demandsValidation: Bool {
        switch self {
        case .mustRevalidate, .proxyRevalidate, .sharedMaxAgeStale: true
        default: false
        }
    }

    /// The rule in one plain sentence.
    public var sentence: String { text.sentence }
}
