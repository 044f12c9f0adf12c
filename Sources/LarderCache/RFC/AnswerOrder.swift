// The answers to one URL are ordered by when their heads came. Requests with different fields have flights of their
// own, so the body of one answer may end long after a newer answer is complete. The older answer is then not stored: a
// cache uses the most recent suitable answer (RFC 9111 §4), and never one that a newer answer made unusable
// (`Displacement`).
//
// Only answers whose flights are under way are held. A newer answer marks the older ones when it is complete, or at its
// head where it is not stored. Nothing has to be remembered of it after that.
import LarderCore
import LarderHTTP

/// The answers to one URL whose bodies are coming or being written, the oldest first.
public struct AnswerOrder: Sendable {
    /// How an answer was selected.
    public struct Selection: Sendable {
        let vary: Vary
        let fields: HeaderFields

        /// - Parameters:
        ///   - vary: the answer's own.
        ///   - fields: those of the request that it answers.
        public init(vary: Vary, fields: HeaderFields) {
            self.vary = vary
            self.fields = fields
        }

        /// Whether the answer would also be given to the other's request.
        func answers(_ other: Selection) -> Bool { vary.matches(fields, other.fields) }
    }

    /// What an answer holds, as far as its head tells.
    public struct Representation: Sendable {
        let fields: HeaderFields
        let length: Int64?
        let receivedAt: WallTime

        /// - Parameters:
        ///   - fields: those of the whole representation.
        ///   - length: the complete one, where it is known.
        public init(fields: HeaderFields, length: Int64?, receivedAt: WallTime) {
            (self.fields, self.length, self.receivedAt) = (fields, length, receivedAt)
        }

        /// Whether both are known to have the same bytes.
        func isSame(as other: Representation) -> Bool {
            guard let length, length == other.length,
                let validator = StrongValidator(fields, now: receivedAt)
            else { return false }
            return validator == StrongValidator(other.fields, now: other.receivedAt)
        }
    }

    /// Which older answers a newer one overtakes.
    public enum Reach: Sendable {
        /// Those that its request selects: of a newer one that is not stored.
        case selected
        /// Those as well whose requests it answers itself.
        case answered
        /// All of the URL's.
        case all
    }

    private struct Place {
        let number: UInt64
        let selection: Selection
        let key: CacheKey
        let representation: Representation?
        /// Older answers of the same representation stay.
        var sparesSame = false
        var isOvertaken = false
        var isWithdrawn = false
        var isWritten = false

        func spares(_ older: Place) -> Bool {
            guard sparesSame, let representation, let other = older.representation else { return false }
            return representation.isSame(as: other)
        }

        func reaches(_ older: Place, _ reach: Reach) -> Bool {
            switch reach {
            case .selected: older.selection.answers(selection)
            case .answered: older.selection.answers(selection) || selection.answers(older.selection)
            case .all: true
            }
        }
    }
    private var places: [Place] = []

    /// No answers.
    public init() {}

    /// No answer is under way.
    public var isEmpty: Bool { places.isEmpty }
    public var count: Int { places.count }

    /// The head of an answer has come.
    /// - Parameters:
    ///   - number: above those of all heads that came before.
    ///   - key: under which the answer is stored, if it is.
    public mutating func enter(
        _ number: UInt64, _ selection: Selection, key: CacheKey, _ representation: Representation? = nil
    ) {
        places.append(Place(number: number, selection: selection, key: key, representation: representation))
    }

    /// The answer of that number is stored as a part or not at all: older ones of the same representation are as right as it is, and it
    /// overtakes none of them.
    public mutating func spareSame(_ number: UInt64) {
        guard let index = places.firstIndex(where: { $0.number == number }) else { return }
        places[index].sparesSame = true
    }

    /// Marks what is older than the answer of that number.
    /// - Parameter withdraws: nobody is to join the older ones either, since the newer one is not there to be found instead. Nor those
    ///   that were overtaken before: what overtook them may be hidden now.
    /// - Returns: the keys of those that were not overtaken before and are written, or have been: who looks them up may find them.
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

    /// A newer answer took the place of the one of that number, or says that there is none.
    public func isOvertaken(_ number: UInt64) -> Bool {
        places.contains { $0.number == number && $0.isOvertaken }
    }

    /// Nobody is to join the flight of the answer of that number.
    public func isWithdrawn(_ number: UInt64) -> Bool {
        places.contains { $0.number == number && $0.isWithdrawn }
    }

    /// The answer is whole and is written from here on, unless it is overtaken. It overtakes what is older in the same step: what
    /// is written after that comes behind it.
    /// - Parameter reach: nil where it overtakes nothing.
    /// - Returns: false where it is overtaken.
    public mutating func beginWriting(_ number: UInt64, overtaking reach: Reach?) -> Bool {
        guard let index = places.firstIndex(where: { $0.number == number }), !places[index].isOvertaken else {
            return false
        }
        places[index].isWritten = true
        if let reach { _ = overtake(by: number, reach, withdraws: reach == .all) }
        return true
    }

    /// The answer is under way no more.
    public mutating func leave(_ number: UInt64) {
        places.removeAll { $0.number == number }
    }
}
