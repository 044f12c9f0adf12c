// The stream by which a host tells the others what it has removed. It is bounded: who was away for long finds its place gone. Each
// entry names the one before it, by a random number, so a reader knows whether it has seen all: where the chain breaks, since the
// stream was trimmed, is another one, or holds what is not of this fleet, everything that came from the shared tier is dropped.
import LarderCore

/// The place of an entry in the stream, as the engine numbers it.
public struct SharedStreamID: Sendable, Hashable, Comparable {
    public var milliseconds: UInt64
    public var number: UInt64

    public init(milliseconds: UInt64, number: UInt64) {
        self.milliseconds = milliseconds
        self.number = number
    }

    /// From the engine's text, "1526919030474-0"; nil where that is none.
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
    /// By chance, for each entry another.
    public var nonce: SharedGeneration
    /// That of the entry before it; nil for the first of a stream.
    public var before: SharedGeneration?
    /// What was removed, as its writer encoded it; empty for the mark at the beginning of a stream.
    public var order: Bytes
    /// Whether its code is of this fleet's key.
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

/// How far one host has read. Pure.
public struct SharedStreamCursor: Sendable, Hashable {
    /// The last entry that was read.
    public struct Place: Sendable, Hashable {
        public var id: SharedStreamID
        public var nonce: SharedGeneration

        public init(id: SharedStreamID, nonce: SharedGeneration) {
            self.id = id
            self.nonce = nonce
        }
    }

    /// What a reader has to do, in this order.
    public enum News: Sendable, Hashable {
        /// Remove what the entry says.
        case order(SharedStreamEntry)
        /// Something may have been missed: drop everything that came from the shared tier.
        case gap
    }

    public private(set) var place: Place?

    /// - Parameter kept: what `text` was when this host last read; nil at the very first time.
    public init(kept: String? = nil) {
        guard let parts = kept?.split(separator: " "), parts.count == 2,
            let id = SharedStreamID(text: String(parts[0])),
            let nonce = SharedGeneration(text: Bytes(text: String(parts[1])))
        else { return }
        place = Place(id: id, nonce: nonce)
    }

    /// To be kept over a restart.
    public var text: String? {
        place.map { "\($0.id.text) \(String(decoding: $0.nonce.text, as: UTF8.self))" }
    }

    /// Takes in one reading.
    /// - Parameters:
    ///   - tip: the stream's last entry as it was before `entries` were read; nil where there is no stream.
    ///   - entries: those after the place, in order; possibly not all.
    public mutating func take(tip: Place?, entries: [SharedStreamEntry]) -> [News] {
        // Whoever finds no stream begins one, and finds its mark then.
        guard let tip else { return [] }
        guard var place else {
            place = tip
            return [.gap]
        }
        defer { self.place = place }
        let isOther = tip.id < place.id || (tip.id == place.id && tip.nonce != place.nonce)
        if isOther || (entries.isEmpty && tip != place) {
            place = tip
            return [.gap]
        }
        var news: [News] = []
        for entry in entries {
            if entry.before != place.nonce || !entry.isGenuine { news.append(.gap) }
            if entry.isGenuine, !entry.order.isEmpty { news.append(.order(entry)) }
            place = Place(id: entry.id, nonce: entry.nonce)
        }
        return news
    }
}
