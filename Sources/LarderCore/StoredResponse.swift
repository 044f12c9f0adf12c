// What the store keeps and the cache decides about: one entry, whole.

/// One stored answer, raw or normalised, with all that deciding about its reuse needs.
public struct StoredResponse: Sendable {
    /// Its identity.
    public var key: CacheKey
    public var layer: CacheKey.Layer
    /// Provider and endpoint by name, for TTL rules, purging and display.
    public var provider: String
    public var endpoint: String
    /// A cached refusal or absence: kept for a short time only.
    public var isNegative: Bool
    /// Status, reason phrase ("" where none) and fields as received (raw), without hop-by-hop fields; for a normalised
    /// entry the fields hold what the envelope needs.
    public var status: Int
    public var reason: String
    public var fields: HeaderFields
    /// The body as received; a normalised entry's JSON array of results.
    public var body: Bytes
    /// Where the body is too large to be carried along it is read from here, and `body` is empty.
    public var large: (any LargeBody)?
    /// When the request left and the response head came (RFC 9111 §4.2.3).
    public var requestTime: WallTime
    public var responseTime: WallTime
    /// Age in milliseconds that the answer had on arrival (corrected_initial_age, RFC 9111 §4.2.3).
    public var initialAge: Int64
    /// Until when the entry is fresh; until when it may be served stale, and for how long negative entries live.
    public var freshUntil: WallTime
    public var staleUntil: WallTime
    /// Digests of the raw entries a normalised one was made from: purging a parent purges it.
    public var parents: [Digest]
    /// The version of the normaliser that made a normalised entry; 0 for raw entries.
    public var normaliserVersion: Int
    /// A text by which people find it: the canonical request without credentials.
    public var label: String

    public init(
        key: CacheKey, layer: CacheKey.Layer, provider: String, endpoint: String, isNegative: Bool = false,
        status: Int = 200, reason: String = "", fields: HeaderFields = [:], body: Bytes = [],
        requestTime: WallTime, responseTime: WallTime, initialAge: Int64 = 0, freshUntil: WallTime,
        staleUntil: WallTime, parents: [Digest] = [], normaliserVersion: Int = 0, label: String = ""
    ) {
        self.key = key
        self.layer = layer
        self.provider = provider
        self.endpoint = endpoint
        self.isNegative = isNegative
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.initialAge = initialAge
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
        self.parents = parents
        self.normaliserVersion = normaliserVersion
        self.label = label
    }

    /// The body's length in bytes, wherever it lies.
    public var bodyLength: Int64 { large?.length ?? Int64(body.count) }

    /// The age in whole seconds to put in `Age` (RFC 9111 §4.2.3, §5.1); never negative, whatever the clock did.
    public func age(at now: WallTime) -> Int64 {
        max(0, initialAge + max(0, (now - responseTime).milliseconds)) / 1000
    }
}

/// What became of a write.
public enum WriteOutcome: Sendable, Hashable {
    /// It is committed.
    case stored
    /// Look-ups find it from now on. The commit follows within the store's `commitWithin`; where it fails, neither this
    /// answer nor the one before it is found any more.
    case accepted
    /// Not known yet: the commit takes longer than the answer may wait for it. The write goes on, and may still fail.
    case pending
    /// Not stored.
    case refused(WriteRefusal)
}

/// Why an answer is not stored, or a body not begun. The raw values are the words of counters and logs.
public enum WriteRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case tooLarge, diskFull
    /// The cache is full and nothing can be evicted for it.
    case noRoom
    case failed
    /// Another connection holds the database.
    case busy
    /// Too much waits for the writer, or too many bodies are open.
    case overloaded
    /// The store is closed.
    case closed
    /// It was removed or overtaken on its way, or is not wanted any more.
    case removed
}

/// An entry that is written together with another one: both are committed, or neither.
public final class Companion: Sendable {
    public let entry: StoredResponse
    /// Whether an older entry of its key is of no more use, also where this one is not stored.
    public let supersedes: Bool
    /// It says of other entries what an older one of its key does not: where it counted as stored and could not be committed,
    /// the older one is of no more use.
    public let concernsOthers: Bool

    public init(_ entry: StoredResponse, supersedes: Bool, concernsOthers: Bool = false) {
        self.entry = entry
        self.supersedes = supersedes
        self.concernsOthers = concernsOthers
    }
}

/// A body on its way into the store, piece by piece; nothing of it is an entry before `complete`.
public protocol BodyWriter: AnyObject, Sendable {
    /// What has been appended so far, readable as soon as `append` has returned. Its `length` is that of the moment.
    var written: any LargeBody { get }
    /// Commits the next piece, of any size. Anything but `stored` ends the writing; what is written stays readable.
    func append(_ piece: Bytes) async -> WriteOutcome
    /// Makes the entry visible in one transaction with the body that was appended; `entry.body` must be empty.
    /// - Parameters:
    ///   - companion: written in the same transaction.
    ///   - isWanted: asked within the transaction; refused (`removed`) where it is not.
    func complete(
        _ entry: StoredResponse, with companion: Companion?, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome
    /// Gives the body up. What was written is removed in the background once nobody reads it. Also done when the writer
    /// is released without `complete`.
    func abandon()
}

/// The store as other rooms see it. Every call returns on the caller's executor; none blocks it.
public protocol CacheStore: Sendable {
    /// The entry of that key, body included, or nil. Expired entries are returned too: reuse is the caller's decision.
    func read(_ key: CacheKey) async throws(StoreError) -> StoredResponse?
    /// Writes or replaces an entry in one transaction.
    /// - Parameters:
    ///   - companion: written in the same transaction. What was removed or overtaken of it alone is left out.
    ///   - supersedes: whether an older entry of that key is of no more use, also where this one is not stored.
    ///   - isWanted: asked within the transaction; refused (`removed`) where it is not.
    func write(
        _ entry: StoredResponse, with companion: Companion?, supersedes: Bool, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome
    /// As `read`, but a body above a few hundred kilobytes is left where it is and read by `large`. Its pieces stay
    /// readable for as long as the value lives, even when the entry is replaced, purged or evicted meanwhile.
    func open(_ key: CacheKey) async throws(StoreError) -> StoredResponse?
    /// Begins a body whose length may not be known. Refused where it could not be stored at all.
    func begin(expecting length: Int64?) async -> Result<any BodyWriter, WriteRefusal>
    /// Replaces head, times and label of the entry with that key, and leaves its body (RFC 9111 §4.3.4). Nothing happens
    /// where the entry is gone or is not the one that came at `responseTime` any more. Whether it was done.
    /// - Parameter isWanted: asked within the transaction; nothing happens where it is not.
    func rewriteHead(
        _ entry: StoredResponse, ifReceivedAt responseTime: WallTime, when isWanted: (@Sendable () -> Bool)?
    ) async -> Bool
    /// Notes that the entry was used. Batched; never waits.
    func touch(_ digest: Digest)
    /// Removes (or with `soft` expires) what the selector names, with everything made from it. Returns how many entries.
    ///
    /// It counts at once, whatever the disk does. `provider` says whose a single key is, where that is known.
    func remove(_ selector: PurgeSelector, soft: Bool, provider: String?) async -> RemovalOutcome
    /// Moves an entry's freshness after a validation or a failed refresh. No effect where the entry is gone. Whether it
    /// is known to be committed.
    @discardableResult
    func updateFreshness(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) async -> Bool
    /// What the store holds now.
    func statistics() async throws(StoreError) -> StoreStatistics
}

/// What became of a removal. Whatever it is, no look-up finds the entries any more, save where it was refused.
public enum RemovalOutcome: Sendable {
    /// So many entries, and that is committed.
    case done(Int)
    /// It is not committed yet, and is tried again until it is. `isKept` says that it holds over a restart.
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

/// What to purge.
public enum PurgeSelector: Sendable, Hashable {
    case all
    case digest(Digest)
    case provider(String)
    /// Entries whose label contains the text, case folded, of one provider or of all.
    case term(String, provider: String?)
    /// Entries whose label names exactly this URL, in all their variants, of one provider or of all.
    case url(String, provider: String?)
    /// Entries of which all that is asked holds.
    case matching(PurgeCondition)
}

extension CacheStore {
    public func write(_ entry: StoredResponse) async -> WriteOutcome {
        await write(entry, supersedes: true, when: nil)
    }

    public func write(
        _ entry: StoredResponse, supersedes: Bool, when isWanted: (@Sendable () -> Bool)?
    ) async -> WriteOutcome {
        await write(entry, with: nil, supersedes: supersedes, when: isWanted)
    }

    public func rewriteHead(_ entry: StoredResponse, ifReceivedAt responseTime: WallTime) async -> Bool {
        await rewriteHead(entry, ifReceivedAt: responseTime, when: nil)
    }

    /// Removes, and says how many entries so far.
    public func purge(_ selector: PurgeSelector, soft: Bool) async throws(StoreError) -> Int {
        let outcome = await remove(selector, soft: soft, provider: nil)
        if case .refused(let error) = outcome { throw error }
        return outcome.count
    }
}

extension BodyWriter {
    public func complete(_ entry: StoredResponse) async -> WriteOutcome {
        await complete(entry, with: nil, when: nil)
    }
}

/// Figures about the store, for status and metrics.
public struct StoreStatistics: Sendable, Hashable {
    /// Live bytes: (page_count − freelist_count) × page_size.
    public var liveBytes: Int64 = 0
    public var fileBytes: Int64 = 0
    public var walBytes: Int64 = 0
    public var entries: Int64 = 0
    /// Entries and body bytes by provider.
    public var byProvider: [String: (entries: Int64, bytes: Int64)] = [:]
    /// Why nothing is stored at the moment, or nil.
    public var degraded: String?
    /// Removals that are not committed yet.
    public var pendingRemovals = 0

    public init() {}

    public static func == (left: StoreStatistics, right: StoreStatistics) -> Bool {
        left.liveBytes == right.liveBytes && left.entries == right.entries && left.degraded == right.degraded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(liveBytes)
        hasher.combine(entries)
    }
}

/// A failure of the store, with SQLite's own codes. Bound values never appear in it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The primary and extended result codes (sqlite.org/rescode.html); of the latter none where SQLite was not asked.
    public var code: Int32
    public var extendedCode: Int32?
    /// What was being done, in words.
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
