// The responses to one URL are ordered by the arrival of their heads. Requests with different fields have their own
// flights, so the body of one response may end long after a newer response is complete. The older response is then not
// stored. A cache uses the most recent suitable response (RFC 9111 §4), and never a response that a newer one made
// unusable (`Displacement`).
//
// The order holds only responses whose flights are under way. A newer response marks the older ones when it is
// complete, or at its head if it is not stored. After that nothing about the newer response has to be remembered.
import LarderCore
import LarderHTTP

/// The responses to one URL whose bodies are arriving or being written, oldest first.
public struct AnswerOrder: Sendable {
    /// The fields that selected a response.
    public struct Selection: Sendable {
        let vary: Vary
        let fields: HeaderFields

        /// - Parameters:
        ///   - vary: the `Vary` of the response.
        ///   - fields: the fields of the request that the response answers.
        public init(vary: Vary, fields: HeaderFields) {
            self.vary = vary
            self.fields = fields
        }

        /// Returns whether this response also matches the request of `other`.
        func answers(_ other: Selection) -> Bool { vary.matches(fields, other.fields) }
    }

    /// The representation that a response carries, as far as its head tells.
    public struct Representation: Sendable {
        let fields: HeaderFields
        let length: Int64?
        let receivedAt: WallTime

        /// - Parameters:
        ///   - fields: the fields of the whole representation.
        ///   - length: its complete length in bytes, if known.
        public init(fields: HeaderFields, length: Int64?, receivedAt: WallTime) {
            (self.fields, self.length, self.receivedAt) = (fields, length, receivedAt)
        }

        /// Returns whether both are known to have the same bytes.
        func isSame(as other: Representation) -> Bool {
            guard let length, length == other.length,
                let validator = StrongValidator(fields, now: receivedAt)
            else { return false }
            return validator == StrongValidator(other.fields, now: other.receivedAt)
        }
    }

    /// Which older responses a newer one overtakes.
    public enum Reach: Sendable {
        /// The older responses that the newer request selects. Used for a response that is not stored.
        case selected
        /// Those of `selected`, and also the older responses whose requests the newer response matches.
        case answered
        /// Those of `selected` that are known to be of the same representation.
        case same
        /// All older responses of the URL.
        case all
    }

    private struct Place {
        let number: UInt64
        let selection: Selection
        let key: CacheKey
        let representation: Representation?
        /// Older responses of the same representation are not overtaken.
        var sparesSame = false
        var isOvertaken = false
        var isWithdrawn = false
        var isWritten = false

        func spares(_ older: Place) -> Bool {
            sparesSame && isSame(as: older)
        }

        private func isSame(as other: Place) -> Bool {
            guard let representation, let others = other.representation else { return false }
            return representation.isSame(as: others)
        }

        func reaches(_ older: Place, _ reach: Reach) -> Bool {
            switch reach {
            case .selected: older.selection.answers(selection)
            case .answered: older.selection.answers(selection) || selection.answers(older.selection)
            case .same: older.selection.answers(selection) && isSame(as: older)
            case .all: true
            }
        }
    }
    private var places: [Place] = []

    /// Creates an empty order.
    public init() {}

    /// Whether no response is under way.
    public var isEmpty: Bool { places.isEmpty }
    public var count: Int { places.count }

    /// Records that the head of a response has arrived.
    /// - Parameters:
    ///   - number: higher than the number of every earlier head.
    ///   - key: the key under which the response is stored, if it is stored.
    public mutating func enter(
        _ number: UInt64, _ selection: Selection, key: CacheKey, _ representation: Representation? = nil
    ) {
        places.append(Place(number: number, selection: selection, key: key, representation: representation))
    }

    /// Records that the response is stored as a part or not at all. Older responses of the same representation are
    /// equally right, so this response does not overtake them.
    public mutating func spareSame(_ number: UInt64) {
        guard let index = places.firstIndex(where: { $0.number == number }) else { return }
        places[index].sparesSame = true
    }

    /// Marks the responses that are older than the response with this number.
    /// - Parameter withdraws: true if no request may join the older flights either, because the newer response cannot
    ///   be found in their place. This also withdraws older responses that were overtaken before: the response that
    ///   overtook them may now be hidden.
    /// - Returns: the keys of the newly overtaken responses that are written or being written. A look-up may find them.
    public mutating func overtake(by number: UInt64, _ reach: Reach, withdraws: Bool) -> [CacheKey] {
        guard let newer = places.first(where: { $0.number == number }) else { return [] }
        var written: [CacheKey] = []
        for index in places.indices {
            let older = places[index]
            guard older.number < number else { break }
            let isReached = !newer.spares(older) && newer.reaches(older, reach)
            if withdraws, isReached || older.isOvertaken { places[index].isWithdrawn = true }
            guard isReached else { continue }
            places[index].isOvertaken = true
            if older.isWritten, !older.isOvertaken { written.append(older.key) }
        }
        return written
    }

    /// Returns whether a newer response replaced this one, or said that the URL has no representation.
    public func isOvertaken(_ number: UInt64) -> Bool {
        places.contains { $0.number == number && $0.isOvertaken }
    }

    /// Returns whether no request may join the flight of this response.
    public func isWithdrawn(_ number: UInt64) -> Bool {
        places.contains { $0.number == number && $0.isWithdrawn }
    }

    /// Records that the response is whole and is being written, unless it is overtaken. It overtakes the older
    /// responses in the same step, so every later write comes after its own.
    /// - Parameter reach: which older responses it overtakes; nil for none.
    /// - Returns: false if the response is overtaken.
    public mutating func beginWriting(_ number: UInt64, overtaking reach: Reach?) -> Bool {
        guard let index = places.firstIndex(where: { $0.number == number }), !places[index].isOvertaken else {
            return false
        }
        places[index].isWritten = true
        if let reach { _ = overtake(by: number, reach, withdraws: reach == .all) }
        return true
    }

    /// Removes a response that is no longer under way.
    public mutating func leave(_ number: UInt64) {
        places.removeAll { $0.number == number }
    }
}
