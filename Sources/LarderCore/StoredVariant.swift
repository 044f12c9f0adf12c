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
    /// The responses that request fields select, in no order and without their bodies. There are none beside `entry`.
    public var variants: [StoredResponse]
    /// The highest arrival of a variant that was removed, replaced or damaged since, 0 without any. Variants before it may
    /// have been replaced by it for some requests.
    public var missing: UInt64

    public init(entry: StoredResponse? = nil, variants: [StoredResponse] = [], missing: UInt64 = 0) {
        self.entry = entry
        self.variants = variants
        self.missing = missing
    }

    /// Whether nothing is stored.
    public var isEmpty: Bool { entry == nil && variants.isEmpty && missing == 0 }

    /// Adds accepted variants, which are not committed yet. The response with the higher arrival counts.
    public mutating func add(_ accepted: [StoredResponse]) {
        for variant in accepted {
            let place = variants.firstIndex { $0.key == variant.key }
            if let place, variants[place].arrival > variant.arrival { continue }
            if let place { variants[place] = variant } else { variants.append(variant) }
        }
        // A response that no field selects replaces the variants before it, and is replaced by those after it.
        guard let entry, !variants.isEmpty else { return }
        variants.removeAll { $0.arrival < entry.arrival }
        if !variants.isEmpty { self.entry = nil }
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
