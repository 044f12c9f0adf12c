// What is stored of one URL if request fields select its responses (RFC 9111 §4.1). Such a response is a variant: it has a
// key of its own and names its URL. The variants of a URL are found by that name, so nothing lists them.

/// Which requests a stored response answers, if request fields select it. A class, because most responses have none.
public final class StoredVariant: Sendable {
    /// The digest of the URL's own key. A removal of that key removes the variants of the URL.
    public let url: Digest
    /// The digest of the selecting fields of the request, names and values.
    public let selection: Digest
    /// The instant by which variants are ordered: that in the response's `Date`, at most when it was received.
    public let date: WallTime
    /// Whether the response says that the URL has no representation. Variants received before it are validated before
    /// their next use.
    public let putsOthersInDoubt: Bool
    /// The language of the response in lower case, if it was negotiated.
    public let language: String?
    /// The digest of the selecting fields without `Accept-Language`.
    public let rest: Digest

    // More than six parameters: one for each thing that is stored.
    public init(
        url: Digest, selection: Digest, date: WallTime, putsOthersInDoubt: Bool = false, language: String? = nil,
        rest: Digest? = nil
    ) {
        self.url = url
        self.selection = selection
        self.date = date
        self.putsOthersInDoubt = putsOthersInDoubt
        self.language = language
        self.rest = rest ?? selection
    }

    /// The same variant with another date.
    public func dated(_ date: WallTime) -> StoredVariant {
        StoredVariant(
            url: url, selection: selection, date: date, putsOthersInDoubt: putsOthersInDoubt, language: language,
            rest: rest)
    }
}

/// What a look-up found of one URL.
public struct StoredLook: Sendable {
    /// The response that no request field selects.
    public var entry: StoredResponse?
    /// The responses that request fields select, in no order. Only accepted ones have their bodies.
    public var variants: [StoredResponse]
    /// The highest arrival of a response that was given out and is gone, or must not be shown, without a successor; 0
    /// without any. For some requests it may have taken the place of those before it.
    public var missing: UInt64
    /// The look-up took too long or failed, so that it proves nothing.
    public var isLate = false

    public init(entry: StoredResponse? = nil, variants: [StoredResponse] = [], missing: UInt64 = 0) {
        self.entry = entry
        self.variants = variants
        self.missing = missing
    }

    /// Whether nothing is stored.
    public var isEmpty: Bool { entry == nil && variants.isEmpty && missing == 0 }

    /// Adds accepted responses, which are not committed yet. The one with the higher arrival counts.
    public mutating func add(_ accepted: StoredLook) {
        missing = max(missing, accepted.missing)
        if let entry = accepted.entry { self.entry = entry }
        for variant in accepted.variants {
            let place = variants.firstIndex { $0.key == variant.key }
            if let place, variants[place].arrival > variant.arrival { continue }
            if let place { variants[place] = variant } else { variants.append(variant) }
        }
        settle()
    }

    /// Keeps one kind: a response that no field selects replaces the variants before it, and is replaced by those after it.
    public mutating func settle() {
        if let entry, entry.arrival < missing { self.entry = nil }
        guard let entry, !variants.isEmpty else { return }
        variants.removeAll { $0.arrival < entry.arrival }
        guard !variants.isEmpty else { return }
        // Variants before it, which may be found later, were replaced by it.
        self.entry = nil
        missing = max(missing, entry.arrival)
    }
}

/// What becomes useless in the store once a response was given out, even if the response itself is not stored.
public enum Superseded: Sendable, ExpressibleByBooleanLiteral {
    case nothing
    /// An older response with the same key.
    case entry
    /// Everything older of the URL.
    case url

    public init(booleanLiteral value: Bool) { self = value ? .entry : .nothing }
}
