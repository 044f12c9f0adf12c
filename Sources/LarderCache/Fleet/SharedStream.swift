// Defines the stream by which a host tells the others what it has removed. The stream is bounded, so a host that was
// away for long finds its place gone. Each entry names the random number of this fleet's entry before it, so a reader
// knows whether it has seen all of them. The chain breaks if the stream was trimmed or is another stream. The reader
// then uses nothing that it has stored before without a validation. Entries that are not of this fleet say nothing and
// are passed over.
import LarderCore

/// The ID of an entry in the stream, as assigned by the engine.
public struct SharedStreamID: Sendable, Hashable, Comparable {
    public var milliseconds: UInt64
    public var number: UInt64

    public init(milliseconds: UInt64, number: UInt64) {
        self.milliseconds = milliseconds
        self.number = number
    }

    /// Parses the engine's text, such as "1526919030474-0"; nil if the text is not an ID.
    public init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1]) else { return nil }
        self.init(milliseconds: milliseconds, number: number)
    }

    public var text: String { "\(milliseconds)-\(number)" }

    public static func < (left: SharedStreamID, right: SharedStreamID) -> Bool {
        (left.milliseconds, left.number) < (right.milliseconds, right.number)
    }
}

/// One entry as it was read.
public struct SharedStreamEntry: Sendable, Hashable {
    public var id: SharedStreamID
    /// A random number, different for each entry.
    public var nonce: SharedGeneration
    /// The nonce of this fleet's entry before it; nil for the first entry of a stream.
    public var before: SharedGeneration?
    /// What was removed, as its writer encoded it; empty for the mark at the beginning of a stream.
    public var order: Bytes
    /// Whether its authentication code was made with this fleet's key.
    public var isGenuine: Bool

    public init(
        id: SharedStreamID, nonce: SharedGeneration, before: SharedGeneration?, order: Bytes, isGenuine: Bool
    ) {
        self.id = id
        self.nonce = nonce
        self.before = before
        self.order = order
        self.isGenuine = isGenuine
    }
}

/// How far one host has read the stream. Pure.
public struct SharedStreamCursor: Sendable, Hashable {
    /// How far the stream was read.
    public struct Place: Sendable, Hashable {
        /// The ID of the last entry that was read, of this fleet or not.
        public var id: SharedStreamID
        /// The nonce of this fleet's last entry.
        public var nonce: SharedGeneration

        public init(id: SharedStreamID, nonce: SharedGeneration) {
            self.id = id
            self.nonce = nonce
        }
    }

    /// What the reader must do, in this order.
    public enum News: Sendable, Hashable {
        /// Remove what the entry names.
        case order(SharedStreamEntry)
        /// Entries were passed over because they are not of this fleet.
        case foreign(Int)
        /// An entry may have been missed: use nothing that is stored before validating it.
        case gap
    }

    public private(set) var place: Place?

    /// - Parameter kept: the value of `text` when this host last read; nil the first time.
    public init(kept: String? = nil) {
        guard let parts = kept?.split(separator: " "), parts.count == 2,
            let id = SharedStreamID(text: String(parts[0])),
            let nonce = SharedGeneration(text: Bytes(text: String(parts[1])))
        else { return }
        place = Place(id: id, nonce: nonce)
    }

    /// The place as text, stored across restarts.
    public var text: String? {
        place.map { "\($0.id.text) \(String(decoding: $0.nonce.text, as: UTF8.self))" }
    }

    /// Takes the result of one read.
    /// - Parameters:
    ///   - tip: the last entry of the stream when `entries` were read; nil if there is no stream.
    ///   - entries: the entries after the place, in order. The list may be incomplete.
    public mutating func take(tip: SharedStreamEntry?, entries: [SharedStreamEntry]) -> [News] {
        // A host that finds no stream begins one, and then reads its mark.
        guard let tip else { return [] }
        guard var place else {
            place = Place(id: tip.id, nonce: tip.nonce)
            return [.gap]
        }
        defer { self.place = place }
        let isOther = tip.id < place.id || (tip.id == place.id && tip.isGenuine && tip.nonce != place.nonce)
        if isOther || (entries.isEmpty && tip.id != place.id) {
            place = Place(id: tip.id, nonce: tip.nonce)
            return [.gap]
        }
        var news: [News] = []
        for entry in entries where entry.isGenuine {
            if entry.before != place.nonce { news.append(.gap) }
            if !entry.order.isEmpty { news.append(.order(entry)) }
            place.nonce = entry.nonce
        }
        if let last = entries.last { place.id = last.id }
        let foreign = entries.count { !$0.isGenuine }
        return foreign == 0 ? news : news + [.foreign(foreign)]
    }
}
