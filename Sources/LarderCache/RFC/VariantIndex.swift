// The stored variants of one URL, in the order in which a request tries them (RFC 9111 §4.1). Each variant has the field
// names of its own `Vary`, because an origin may change `Vary` between responses. A variant is found by the digest of the
// values that those fields have in a request.
import LarderCore
import LarderHTTP

/// The variants of one URL, the most recent first.
public struct VariantIndex: Sendable {
    /// One stored variant.
    public struct Variant: Sendable {
        /// Its response without the body.
        public let entry: StoredResponse
        let facts: StoredVariant
        /// The names in its `Vary`, in lower case, sorted.
        public let names: [String]
        /// Whether it must be validated before its next use: a newer response said that the URL has no representation, or
        /// some requests may have got one that is gone by now.
        public let isInDoubt: Bool

        public var selection: Digest { facts.selection }

        /// Whether this variant must be used instead of the other if a request matches both (RFC 9111 §4).
        func isMoreRecent(than other: Variant) -> Bool {
            (facts.date, entry.arrival) > (other.facts.date, other.entry.arrival)
        }
    }

    public let variants: [Variant]

    /// The variants that a look-up found; nil if there are none.
    public init?(_ look: StoredLook) {
        if look.variants.isEmpty { return nil }
        var doubt = look.missing
        for entry in look.variants where entry.variant?.putsOthersInDoubt == true { doubt = max(doubt, entry.arrival) }
        let found = look.variants.compactMap { entry -> Variant? in
            guard let facts = entry.variant, case .names(let names) = Vary(entry.fields) else { return nil }
            return Variant(
                entry: entry, facts: facts, names: Self.normalised(names),
                isInDoubt: entry.arrival < doubt || entry.isUnverified)
        }
        variants = found.sorted { $0.isMoreRecent(than: $1) }
    }

    /// The variants that a request matches, each by its own names, the most recent first. RFC 9111 §4 requires the most
    /// recent of several, as `Date` tells it. Of equal dates, the one received last counts as more recent.
    public func candidates(for requestFields: HeaderFields) -> [Variant] {
        var known: [[String]: Digest] = [:]
        return variants.filter { variant in
            let wanted = known[variant.names] ?? Self.selection(names: variant.names, requestFields: requestFields)
            known[variant.names] = wanted
            return wanted == variant.selection
        }
    }

    /// Whether the choice of a variant depends only on these request fields. That is so if neither the variant nor a
    /// more recent one, which would be preferred (RFC 9111 §4), is selected by other fields.
    /// - Parameter variant: one of the variants, or one that is stored beside them.
    public func isChosen(_ variant: StoredResponse, byOnly names: Set<String>) -> Bool {
        guard let own = VariantIndex(StoredLook(variants: [variant]))?.variants.first else { return false }
        return own.names.allSatisfy(names.contains)
            && variants.allSatisfy { other in
                other.selection == own.selection || own.isMoreRecent(than: other)
                    || other.names.allSatisfy(names.contains)
            }
    }

    /// Whether other fields than these select a variant.
    public func hasOtherNames(than names: [String]) -> Bool {
        let names = Self.normalised(names)
        return variants.contains { $0.names != names }
    }

    /// The response of a variant that was validated just now. It goes before those that were received earlier, although
    /// its `Date` may be older: the origin has said that it is current.
    public func leading(_ entry: StoredResponse) -> StoredVariant? {
        guard let facts = entry.variant else { return nil }
        let date = max(
            Self.date(entry.fields, receivedAt: entry.responseTime), variants.first?.facts.date ?? facts.date)
        return facts.dated(min(date, entry.responseTime))
    }

    /// Which requests a response answers.
    /// - Parameters:
    ///   - names: the names in the response's `Vary`, which never include "*".
    ///   - url: the digest of the URL's own key.
    public static func variant(
        of entry: StoredResponse, vary names: [String], requestFields: HeaderFields, url: Digest
    ) -> StoredVariant {
        let names = normalised(names)
        let language = names.contains(languageName) ? LanguageChoice.language(entry.fields) : nil
        return StoredVariant(
            url: url, selection: selection(names: names, requestFields: requestFields),
            date: date(entry.fields, receivedAt: entry.responseTime),
            putsOthersInDoubt: Displacement.putsOthersInDoubt(status: entry.status), language: language,
            rest: language == nil ? nil : rest(names, requestFields))
    }

    /// Whether a request with these fields selects a response of its URL.
    public static func selects(_ entry: StoredResponse, _ requestFields: HeaderFields) -> Bool {
        guard let variant = entry.variant else { return true }
        guard case .names(let names) = Vary(entry.fields) else { return false }
        return selection(names: names, requestFields: requestFields) == variant.selection
    }

    /// The instant in `Date`, at most that of the receipt, which counts if there is none.
    private static func date(_ fields: HeaderFields, receivedAt: WallTime) -> WallTime {
        min(fields.first(.date).flatMap { HTTPDate.parse($0, now: receivedAt) } ?? receivedAt, receivedAt)
    }
}
