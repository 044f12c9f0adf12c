// The entry and the store protocol: what the store keeps, and how other rooms read, write and remove it.

/// One stored response, raw or normalised, with everything that reuse decisions need.
public struct StoredResponse: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        /// The identity of the entry.
        public var key: CacheKey
        public var layer: CacheKey.Layer
        /// Names of provider and endpoint, for TTL rules, purges and display.
        public var provider: String
        public var endpoint: String
        /// Whether this is a cached refusal or absence, which is kept for a short time only.
        public var isNegative: Bool
        /// Status, reason phrase ("" if there is none) and fields as received (raw), without hop-by-hop fields. In a
        /// normalised entry the fields hold what the envelope needs.
        public var status: Int
        public var reason: String
        public var fields: HeaderFields
        /// The body as received. In a normalised entry, the JSON array of results.
        public var body: Bytes
        /// The source of a body that is too large to be kept in memory. `body` is then empty.
        public var large: (any LargeBody)?
        /// When the request was sent and when the response head arrived (RFC 9111 §4.2.3).
        public var requestTime: WallTime
        public var responseTime: WallTime
        /// The number of the head's arrival (`ArrivalNumbers`): of two responses of one URL, the one with the higher number
        /// is newer. 0 for an entry that has no order.
        public var arrival: UInt64 = 0
        /// The age in milliseconds that the response had on arrival (corrected_initial_age, RFC 9111 §4.2.3).
        public var initialAge: Int64
        /// The end of freshness, and the end of the time in which the entry may be served stale. A negative entry is never
        /// served stale.
        public var freshUntil: WallTime
        public var staleUntil: WallTime
        /// Digests of the raw entries that a normalised entry was made from. Purging a parent purges this entry too.
        public var parents: [Digest]
        /// Which requests it answers, if request fields select it.
        public var variant: StoredVariant?
        /// The version of the normaliser that made a normalised entry. 0 for raw entries.
        public var normaliserVersion: Int
        /// The text by which people find the entry: the canonical request without credentials.
        public var label: String
    }

    public var content: Shared<Content>

    // More than six parameters: one for each thing that is stored.
    public init(
        key: CacheKey, layer: CacheKey.Layer, provider: String, endpoint: String, isNegative: Bool = false,
        status: Int = 200, reason: String = "", fields: HeaderFields = [:], body: Bytes = [],
        requestTime: WallTime, responseTime: WallTime, initialAge: Int64 = 0, freshUntil: WallTime,
        staleUntil: WallTime, parents: [Digest] = [], normaliserVersion: Int = 0, label: String = ""
    ) {
        content = Shared(
            Content(
                key: key, layer: layer, provider: provider, endpoint: endpoint, isNegative: isNegative, status: status,
                reason: reason, fields: fields, body: body, requestTime: requestTime, responseTime: responseTime,
                initialAge: initialAge, freshUntil: freshUntil, staleUntil: staleUntil, parents: parents,
                normaliserVersion: normaliserVersion, label: label))
    }

    /// The digests besides its own whose removal removes the entry: its parents, and its URL if it is a variant.
    public var relatives: [Digest] { self.variant.map { self.parents + [$0.url] } ?? self.parents }

    /// The length of the body in bytes, in memory or in the store.
    public var bodyLength: Int64 { self.large?.length ?? Int64(self.body.count) }

    /// The value of `freshUntil` of an entry that must be validated before any use. No window of staleness reaches back
    /// that far.
    public static let unverified = WallTime(milliseconds: 0)

    /// Whether the entry must be validated before any use, stale use included: its removal may have been missed.
    public var isUnverified: Bool { self.freshUntil <= Self.unverified }

    /// The age in whole seconds for `Age` (RFC 9111 §4.2.3, §5.1). Never negative, even if the clock was set back.
    public func age(at now: WallTime) -> Int64 {
        max(0, self.initialAge + max(0, (now - self.responseTime).milliseconds)) / 1000
    }
}

/// The outcome of a write.
public enum WriteOutcome: Sendable, Hashable {
    /// The entry is committed.
    case stored
    /// Look-ups find the entry from now on. The commit follows within the store's `commitWithin`. If it fails, neither
    /// this response nor the one before it is found any more.
    case accepted
    /// The outcome is not known yet: the commit takes longer than the response may wait. The write continues, and may
    /// still fail.
    case pending
    /// The entry is not stored.
    case refused(WriteRefusal)
}

/// Why a response is not stored, or a body cannot be begun. The raw values are the words of counters and logs.
public enum WriteRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case tooLarge, diskFull
    /// The cache is full, and nothing can be evicted for the entry.
    case noRoom
    case failed
    /// Another connection holds the database.
    case busy
    /// Too much work is waiting for the writer, or too many bodies are open.
    case overloaded
    /// The store is closed.
    case closed
    /// The entry was removed or superseded before its commit, or is not wanted any more.
    case removed
}

/// A body that is written into the store piece by piece. No entry exists before `complete`.
public protocol BodyWriter: AnyObject, Sendable {
    /// The bytes appended so far, readable as soon as `append` has returned. Its `length` is the current one.
    var written: any LargeBody { get }
    /// Commits the next piece, of any size. Any outcome but `stored` ends the writing; the written bytes stay readable.
    func append(_ piece: Bytes) async -> WriteOutcome
    /// Makes the entry visible, with the appended body, in one transaction. `entry.body` must be empty.
    /// - Parameters:
    ///   - superseded: what older becomes useless even if this entry is not stored.
    ///   - isWanted: asked inside the transaction. If it returns false, the entry is refused (`removed`).
    func complete(
        _ entry: StoredResponse, supersedes superseded: Superseded, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome
    /// Gives the body up. The written bytes are removed in the background after their last reader has left. The same
    /// happens if the writer is released without `complete`.
    func abandon()
}

/// The outcome of a removal. Unless it was refused, no look-up finds the entries any more.
public enum RemovalOutcome: Sendable {
    /// The number of removed entries. The removal is committed.
    case done(Int)
    /// The removal is not committed yet; the store retries it until it is. `isKept` says whether it survives a restart.
    case pending(Int, isKept: Bool)
    /// The store is closed.
    case refused(StoreError)

    public var count: Int {
        switch self {
        case .done(let count), .pending(let count, _): count
        case .refused: 0
        }
    }
}

/// Selects entries to purge.
public enum PurgeSelector: Sendable, Hashable {
    case all
    case digest(Digest)
    case provider(String)
    /// Entries whose label contains the text, ignoring case, of one provider or of all.
    case term(String, provider: String?)
    /// Entries whose label names exactly this URL, in all their variants, of one provider or of all.
    case url(String, provider: String?)
    /// Entries that meet all the conditions.
    case matching(PurgeCondition)
}

extension BodyWriter {
    public func complete(_ entry: StoredResponse) async -> WriteOutcome {
        await complete(entry, supersedes: .entry, when: nil)
    }
}

/// Figures about the store, for status and metrics.
public struct StoreStatistics: Sendable, Hashable {
    /// Live bytes: (page_count − freelist_count) × page_size.
    public var liveBytes: Int64 = 0
    public var fileBytes: Int64 = 0
    public var walBytes: Int64 = 0
    public var entries: Int64 = 0
    /// The number of entries and of body bytes by provider.
    public var byProvider: [String: (entries: Int64, bytes: Int64)] = [:]
    /// Why the store stores nothing at the moment; nil if it stores.
    public var degraded: String?
    /// Removals that are not committed yet.
    public var pendingRemovals = 0
    /// When the database was last set aside in this run, and why.
    public var setAside: String?

    public init() {}

    public static func == (left: StoreStatistics, right: StoreStatistics) -> Bool {
        left.liveBytes == right.liveBytes && left.entries == right.entries && left.degraded == right.degraded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(liveBytes)
        hasher.combine(entries)
    }
}

/// A failure of the store, with SQLite's own codes. The text never contains bound values.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The primary and extended result codes (sqlite.org/rescode.html). The extended code is nil if SQLite was not
    /// involved.
    public var code: Int32
    public var extendedCode: Int32?
    /// The operation that failed, in words.
    public var doing: String
    public var message: String

    public init(code: Int32, extendedCode: Int32?, doing: String, message: String) {
        self.code = code
        self.extendedCode = extendedCode
        self.doing = doing
        self.message = message
    }

    public var description: String {
        "store: \(doing): \(message)" + (extendedCode.map { " (SQLite \($0))" } ?? "")
    }
}
