// Which variants of one URL are stored (RFC 9111 §4.1). Each has the field names of its own `Vary`, because an origin
// may change `Vary` between answers. A variant is found by the digest of the values that those fields have in a
// request. The index is the row under the key of the URL. Each variant lies under a key that contains its digest.
import LarderCore
import LarderHTTP

/// The variants of one URL, the newest first. A value, stored as bytes.
public struct VariantIndex: Sendable, Hashable {
    /// An origin that varies by what is different in every request would fill the store with answers that never serve
    /// again. 32 are enough for languages times codings; beyond that the oldest leaves.
    public static let limit = 32

    /// One stored variant.
    public struct Variant: Sendable, Hashable {
        /// The names of its `Vary`, lower case, sorted.
        public let names: [String]
        /// The digest of the selecting values, names included.
        public let selection: Digest
        public var receivedAt: WallTime
        /// Another variant was answered 404 or 410 since: this one is validated before it is used again.
        public var isInDoubt = false
        /// In which language it is, where that was negotiated.
        public var language: Language?
    }

    public private(set) var variants: [Variant]
    /// When the newest answer was received that put others in doubt. A large body is noted when it has ended, which may be
    /// long after it was received.
    public private(set) var doubtSince: WallTime?

    /// No variants.
    public init() {
        variants = []
    }

    /// The selections that a request matches, each by its own names, the most recently received first (RFC 9111 §4.1:
    /// of several the most recent one is to be used).
    public func candidates(for requestFields: HeaderFields) -> [Digest] {
        var known: [[String]: Digest] = [:]
        return variants.compactMap { variant in
            let wanted = known[variant.names] ?? Self.selection(names: variant.names, requestFields: requestFields)
            known[variant.names] = wanted
            return wanted == variant.selection ? wanted : nil
        }
    }

    /// Notes a variant that is stored now, in the place of one with the same selection (RFC 9111 §4.1).
    ///
    /// - Parameters:
    ///   - names: of the answer's `Vary`; never with "*", which nothing matches.
    ///   - putsOthersInDoubt: see `Displacement`. It concerns what was received before, also what is noted later.
    ///   - answerFields: may tell its language.
    ///   - now: an instant ahead of it is from before the wall clock was set back, and tells no order.
    /// - Returns: its selection, and those that had to leave: their rows are to be removed.
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
        let place = variants.firstIndex { $0.receivedAt <= receivedAt } ?? variants.endIndex
        variants.insert(
            Variant(
                names: names, selection: selection, receivedAt: receivedAt, isInDoubt: isInDoubt,
                language: Language(names, requestFields: requestFields, fields: answerFields)), at: place)
        let dropped = variants.dropFirst(Self.limit).map(\.selection)
        variants.removeLast(dropped.count)
        return (selection, dropped)
    }

    /// Puts those in doubt that were received up to that instant, also those that are noted later.
    public mutating func doubt(since instant: WallTime, now: WallTime) {
        for place in variants.indices {
            let other = variants[place].receivedAt
            if other <= instant || other > now { variants[place].isInDoubt = true }
        }
        doubtSince = max(doubtSince ?? instant, instant)
    }

    /// Whether the choice of a variant depends on those request fields alone: neither it nor a newer one, which would be chosen
    /// instead (RFC 9111 §4.1), is selected by others.
    public func isChosen(_ selection: Digest, byOnly names: Set<String>) -> Bool {
        guard let place = variants.firstIndex(where: { $0.selection == selection }) else { return false }
        return variants[...place].allSatisfy { $0.names.allSatisfy(names.contains) }
    }

    /// Whether a variant is to be validated before it is used, fresh or not.
    public func isInDoubt(_ selection: Digest) -> Bool {
        variants.contains { $0.selection == selection && $0.isInDoubt }
    }

    /// Forgets a variant whose row is gone.
    public mutating func remove(_ selection: Digest) {
        variants.removeAll { $0.selection == selection }
    }
}

extension VariantIndex {
    /// Where nothing was ever put in doubt, as all indexes were once; and with a byte for each variant that tells, and the
    /// instant.
    private static let versions: (plain: UInt8, doubting: UInt8) = (1, 2)
    /// Added to these where a variant has a language.
    private static let withLanguages: UInt8 = 2

    /// Version, count, then of each variant: count of names, each with its length; 32 bytes of digest; milliseconds in
    /// 8 bytes, the highest first; with `doubtSince`, for each a byte that is 1 where it is in doubt, and at the end that
    /// instant in 8 bytes. With languages, for each the length of its tag, which is 0 where there is none, the tag, and 32 bytes of
    /// digest.
    public func encoded() -> Bytes {
        let hasLanguages = variants.contains { $0.language != nil }
        let version = doubtSince == nil ? Self.versions.plain : Self.versions.doubting
        var out: Bytes = [version + (hasLanguages ? Self.withLanguages : 0)]
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

    /// The index from what `encoded` wrote; nil for any other bytes.
    public init?(decoding bytes: Bytes) {
        var place = 1
        guard let version = bytes.first, (1...4).contains(version),
            let count = VariableLength.read(bytes, at: &place), count <= Self.limit
        else { return nil }
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
            var variant = Variant(names: names, selection: selection, receivedAt: time, isInDoubt: isInDoubt)
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
        // Only what `encoded` writes is taken: one form, nothing behind it.
        guard place == bytes.count, encoded() == bytes else { return nil }
    }

    /// False for what `encoded` does not write.
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
