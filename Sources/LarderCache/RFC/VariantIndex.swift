// Records which variants of one URL are stored (RFC 9111 §4.1). Each variant has the field names of its own `Vary`,
// because an origin may change `Vary` between responses. A variant is found by the digest of the values that those
// fields have in a request. The index is the row under the key of the URL. Each variant is stored under a key that
// contains its digest.
import LarderCore
import LarderHTTP

/// The variants of one URL, the most recent first. A value, stored as bytes.
public struct VariantIndex: Sendable, Hashable {
    /// The most variants of one URL. An origin whose `Vary` names a field that differs in every request would fill the
    /// store with responses that are never used again. 32 are enough for languages times codings. Beyond that the
    /// oldest is dropped.
    public static let limit = 32

    /// One stored variant.
    public struct Variant: Sendable, Hashable {
        /// The names in its `Vary`, in lower case, sorted.
        public let names: [String]
        /// The digest of the selecting fields, names and values.
        public let selection: Digest
        public var receivedAt: WallTime
        /// The instant in its `Date`, at most `receivedAt`. `receivedAt` if it has none.
        public var date: WallTime
        /// Whether another variant has been answered with 404 or 410 since. This variant must then be validated before
        /// its next use.
        public var isInDoubt = false
        /// Its language, if the language was negotiated.
        public var language: Language?

        /// Whether this variant must be used instead of the other if a request matches both (RFC 9111 §4).
        func isMoreRecent(than other: Variant) -> Bool { (date, receivedAt) > (other.date, other.receivedAt) }
    }

    public private(set) var variants: [Variant]
    /// When the newest response that put others in doubt was received. A large body is recorded when it has ended,
    /// which may be long after it was received.
    public private(set) var doubtSince: WallTime?

    /// Creates an empty index.
    public init() {
        variants = []
    }

    /// The selections that a request matches, each by its own names, the most recent first. RFC 9111 §4 requires the
    /// most recent of several, as `Date` tells it. Of equal dates, the one received last counts as more recent.
    public func candidates(for requestFields: HeaderFields) -> [Digest] {
        var known: [[String]: Digest] = [:]
        return variants.compactMap { variant in
            let wanted = known[variant.names] ?? Self.selection(names: variant.names, requestFields: requestFields)
            known[variant.names] = wanted
            return wanted == variant.selection ? wanted : nil
        }
    }

    /// Adds a variant that has just been stored. It replaces a variant with the same selection (RFC 9111 §4.1).
    ///
    /// - Parameters:
    ///   - names: the names in the response's `Vary`. They never include "*", which nothing matches.
    ///   - putsOthersInDoubt: see `Displacement`. It applies to variants received earlier, even those added later.
    ///   - answerFields: the fields of the response, which may state its date and its language.
    ///   - now: the current time. A later `receivedAt` dates from before the wall clock was set back and gives no
    ///     order.
    /// - Returns: the variant's selection, and the dropped selections, whose rows the caller removes.
    public mutating func add(
        vary names: [String], requestFields: HeaderFields, receivedAt: WallTime, putsOthersInDoubt: Bool = false,
        answerFields: HeaderFields = [:], now: WallTime
    ) -> (selection: Digest, dropped: [Digest]) {
        let names = Self.normalised(names)
        let selection = Self.selection(names: names, requestFields: requestFields)
        variants.removeAll { $0.selection == selection }
        doubtSince = doubtSince.map { min($0, now) }
        let isInDoubt = doubtSince.map { receivedAt < $0 } ?? false
        if putsOthersInDoubt { doubt(since: receivedAt, now: now) }
        let told = answerFields.first(.date).flatMap { HTTPDate.parse($0, now: receivedAt) }
        let new = Variant(
            names: names, selection: selection, receivedAt: receivedAt, date: min(told ?? receivedAt, receivedAt),
            isInDoubt: isInDoubt, language: Language(names, requestFields: requestFields, fields: answerFields))
        let place = variants.firstIndex { !$0.isMoreRecent(than: new) } ?? variants.endIndex
        variants.insert(new, at: place)
        return (selection, dropBeyondLimit())
    }

    /// Puts a variant that was validated just now before those that were received earlier, although its `Date` may be
    /// older: the origin has said that it is current.
    public mutating func lead(_ selection: Digest) {
        guard let place = variants.firstIndex(where: { $0.selection == selection }), let first = variants.first else {
            return
        }
        var variant = variants.remove(at: place)
        variant.date = min(max(variant.date, first.date), variant.receivedAt)
        variants.insert(variant, at: variants.firstIndex { !$0.isMoreRecent(than: variant) } ?? variants.endIndex)
    }

    /// Drops the variants that were received first, as far as there are too many.
    private mutating func dropBeyondLimit() -> [Digest] {
        var dropped: [Digest] = []
        while variants.count > Self.limit {
            // Of several received at the same time, the one with the oldest date is dropped.
            var place = variants.endIndex - 1
            for other in variants.indices.reversed() where variants[other].receivedAt < variants[place].receivedAt {
                place = other
            }
            dropped.append(variants.remove(at: place).selection)
        }
        return dropped
    }

    /// Puts all variants received up to this instant in doubt, including those that are added later.
    public mutating func doubt(since instant: WallTime, now: WallTime) {
        for place in variants.indices {
            let other = variants[place].receivedAt
            if other <= instant || other > now { variants[place].isInDoubt = true }
        }
        doubtSince = max(doubtSince ?? instant, instant)
    }

    /// Whether the choice of a variant depends only on these request fields. That is so if neither the variant nor a
    /// more recent one, which would be preferred (RFC 9111 §4), is selected by other fields.
    public func isChosen(_ selection: Digest, byOnly names: Set<String>) -> Bool {
        guard let place = variants.firstIndex(where: { $0.selection == selection }) else { return false }
        return variants[...place].allSatisfy { $0.names.allSatisfy(names.contains) }
    }

    /// Whether a variant must be validated before it is used, fresh or not.
    public func isInDoubt(_ selection: Digest) -> Bool {
        variants.contains { $0.selection == selection && $0.isInDoubt }
    }

    /// Removes a variant whose row is gone.
    public mutating func remove(_ selection: Digest) {
        variants.removeAll { $0.selection == selection }
    }
}

extension VariantIndex {
    /// The plain version is that of an index in which nothing was ever put in doubt, as in the first format. The
    /// doubting version adds one byte per variant and `doubtSince`.
    private static let versions: (plain: UInt8, doubting: UInt8) = (1, 2)
    /// Added to the version if a variant has a language.
    private static let withLanguages: UInt8 = 2
    /// Added to the version if a variant has another `date` than `receivedAt`.
    private static let withDates: UInt8 = 4

    /// Format: version, count. Then for each variant: count of names, each name with its length; 32 bytes of digest;
    /// `receivedAt` in milliseconds as 8 bytes, big-endian. With `doubtSince`, each variant has one more byte, 1 if it
    /// is in doubt, and the 8 bytes of `doubtSince` come last. With dates, each variant then has the 8 bytes of `date`.
    /// With languages, each variant has the length of its tag, 0 if there is none, then the tag and 32 bytes of digest.
    public func encoded() -> Bytes {
        let hasLanguages = variants.contains { $0.language != nil }
        let hasDates = variants.contains { $0.date != $0.receivedAt }
        let version = doubtSince == nil ? Self.versions.plain : Self.versions.doubting
        var out: Bytes = [version + (hasLanguages ? Self.withLanguages : 0) + (hasDates ? Self.withDates : 0)]
        VariableLength.append(UInt64(variants.count), to: &out)
        for variant in variants {
            VariableLength.append(UInt64(variant.names.count), to: &out)
            for name in variant.names {
                VariableLength.append(UInt64(name.utf8.count), to: &out)
                out.append(contentsOf: name.utf8)
            }
            out.append(contentsOf: variant.selection.bytes)
            Self.append(variant.receivedAt, to: &out)
            if doubtSince != nil { out.append(variant.isInDoubt ? 1 : 0) }
            if hasDates { Self.append(variant.date, to: &out) }
            if hasLanguages {
                VariableLength.append(UInt64(variant.language?.tag.utf8.count ?? 0), to: &out)
                out.append(contentsOf: variant.language?.tag.utf8 ?? "".utf8)
                out.append(contentsOf: variant.language?.rest.bytes ?? [])
            }
        }
        if let doubtSince { Self.append(doubtSince, to: &out) }
        return out
    }

    private static func append(_ time: WallTime, to out: inout Bytes) {
        let time = UInt64(bitPattern: time.milliseconds)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: time >> shift))
        }
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }

    /// Decodes the output of `encoded`. Returns nil for any other bytes.
    public init?(decoding bytes: Bytes) {
        var place = 1
        guard let first = bytes.first, (1...8).contains(first),
            let count = VariableLength.read(bytes, at: &place), count <= Self.limit
        else { return nil }
        let hasDates = first > Self.withDates
        let version = first - (hasDates ? Self.withDates : 0)
        let hasLanguages = version > Self.withLanguages
        let hasDoubt = version - (hasLanguages ? Self.withLanguages : 0) == Self.versions.doubting
        variants = []
        for _ in 0..<count {
            guard let names = Self.names(bytes, at: &place), bytes.count - place >= (hasDoubt ? 41 : 40),
                let selection = Digest(bytes: Bytes(bytes[place..<place + 32]))
            else { return nil }
            let time = Self.time(bytes[place + 32..<place + 40])
            place += 40
            let isInDoubt = hasDoubt && bytes[place] == 1
            if hasDoubt { place += 1 }
            var variant = Variant(
                names: names, selection: selection, receivedAt: time, date: time, isInDoubt: isInDoubt)
            if hasDates {
                guard bytes.count - place >= 8 else { return nil }
                variant.date = Self.time(bytes[place..<place + 8])
                place += 8
            }
            if hasLanguages {
                guard Self.readLanguage(bytes, at: &place, &variant.language) else { return nil }
            }
            variants.append(variant)
        }
        if hasDoubt {
            guard bytes.count - place == 8 else { return nil }
            doubtSince = Self.time(bytes[place...])
            place += 8
        }
        // Accepts only what `encoded` writes: the canonical form, with nothing after it.
        guard place == bytes.count, encoded() == bytes else { return nil }
    }

    /// Reads a variant's language. False for bytes that `encoded` does not write.
    private static func readLanguage(_ bytes: Bytes, at place: inout Int, _ language: inout Language?) -> Bool {
        guard let length = VariableLength.read(bytes, at: &place) else { return false }
        if length == 0 { return true }
        guard length <= UInt64(LanguageChoice.longest), bytes.count - place >= Int(length) + 32,
            let tag = Bytes(bytes[place..<place + Int(length)]).strictText
        else { return false }
        place += Int(length)
        guard let rest = Digest(bytes: Bytes(bytes[place..<place + 32])) else { return false }
        place += 32
        language = Language(tag: tag, rest: rest)
        return true
    }

    private static func names(_ bytes: Bytes, at place: inout Int) -> [String]? {
        guard let count = VariableLength.read(bytes, at: &place), count <= UInt64(bytes.count) else { return nil }
        var names: [String] = []
        for _ in 0..<count {
            guard let length = VariableLength.read(bytes, at: &place), length <= UInt64(bytes.count - place) else {
                return nil
            }
            let name = bytes[place..<place + Int(length)]
            guard let text = Bytes(name).strictText else { return nil }
            names.append(text)
            place += Int(length)
        }
        return names == normalised(names) ? names : nil
    }
}
