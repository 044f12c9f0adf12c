// One fetch for many askers. The first asker of a key leads, later ones join; whoever leaves harms nobody, and when the
// last one has left a flight that nothing else wants, it is to be cancelled. The table knows neither tasks nor time:
// it says what its owner must do.
//
// Generic and used from another room: what is not `@inlinable` would run unspecialised there, at many times the cost.

/// A flight's number; never used twice.
public struct FlightNumber: Sendable, Hashable {
    public let value: UInt64

    @usableFromInline
    init(value: UInt64) {
        self.value = value
    }
}

/// The in-flight table of one owner. `Waiter` is whatever the owner resumes; at most `maxWaiters` join one flight and
/// at most `maxFlights` are under way.
public struct FlightTable<Key: Hashable & Sendable, Waiter> {
    /// What an asker becomes.
    public enum Entry: Sendable, Hashable {
        /// The asker leads: the owner must start this flight.
        case lead(FlightNumber)
        /// Another's flight will answer.
        case joined(FlightNumber)
        /// A limit is reached.
        case refused
    }

    /// What the owner must do after an asker left.
    public enum Departure: Sendable, Hashable {
        case carryOn
        /// Nobody waits and nothing else wants it.
        case cancel(FlightNumber)
    }

    @usableFromInline
    struct Flight {
        @usableFromInline var key: Key
        @usableFromInline var waiters: [UInt64: Waiter] = [:]
        /// A refresh, or a fetch whose asker chose not to wait for the end: it ends by itself.
        @usableFromInline var isWantedByItself: Bool

        @inlinable
        init(key: Key, isWantedByItself: Bool) {
            self.key = key
            self.isWantedByItself = isWantedByItself
        }
    }

    @usableFromInline var flights: [FlightNumber: Flight] = [:]
    @usableFromInline var byKey: [Key: FlightNumber] = [:]
    @usableFromInline var nextNumber: UInt64 = 1
    public let maxFlights: Int
    public let maxWaiters: Int

    @inlinable
    public init(maxFlights: Int, maxWaiters: Int) {
        self.maxFlights = maxFlights
        self.maxWaiters = maxWaiters
    }

    @inlinable
    public var count: Int { flights.count }

    /// Leads or joins. A flight once begun as a refresh stays wanted by itself whoever joins it.
    @inlinable
    public mutating func enter(_ key: Key, wantedByItself: Bool) -> Entry {
        if let number = byKey[key], let flight = flights[number] {
            guard flight.waiters.count < maxWaiters else { return .refused }
            if wantedByItself { flights[number]?.isWantedByItself = true }
            return .joined(number)
        }
        guard flights.count < maxFlights else { return .refused }
        let number = begin(key, wantedByItself: wantedByItself)
        byKey[key] = number
        return .lead(number)
    }

    /// Leads a flight that nobody can join.
    @inlinable
    public mutating func enterAlone(_ key: Key) -> Entry {
        guard flights.count < maxFlights else { return .refused }
        return .lead(begin(key, wantedByItself: false))
    }

    @inlinable
    mutating func begin(_ key: Key, wantedByItself: Bool) -> FlightNumber {
        let number = FlightNumber(value: nextNumber)
        nextNumber += 1
        flights[number] = Flight(key: key, isWantedByItself: wantedByItself)
        return number
    }

    /// The waiter waits for that flight, under a ticket unique to it. False where the flight is over.
    @inlinable
    public mutating func wait(_ number: FlightNumber, ticket: UInt64, _ waiter: Waiter) -> Bool {
        guard flights[number] != nil else { return false }
        flights[number]?.waiters[ticket] = waiter
        return true
    }

    /// Takes a waiter out, leaving the flight to the others. The waiter comes back so that its owner can resume it.
    @inlinable
    public mutating func leave(
        _ number: FlightNumber, ticket: UInt64, keepFlight: Bool
    ) -> (waiter: Waiter, departure: Departure)? {
        guard let waiter = flights[number]?.waiters.removeValue(forKey: ticket) else { return nil }
        if keepFlight { flights[number]?.isWantedByItself = true }
        guard let flight = flights[number], flight.waiters.isEmpty, !flight.isWantedByItself else {
            return (waiter, .carryOn)
        }
        // From now on the key is free: a new asker must not join a flight that is being cancelled.
        if byKey[flight.key] == number { byKey[flight.key] = nil }
        return (waiter, .cancel(number))
    }

    /// What the flight brings is known before its end: everyone who waits, to be answered now. The flight goes on, and
    /// who leaves afterwards has no part in whether it is cancelled.
    @inlinable
    public mutating func announce(_ number: FlightNumber) -> [Waiter] {
        guard let waiters = flights[number]?.waiters else { return [] }
        flights[number]?.waiters = [:]
        return Array(waiters.values)
    }

    /// Nobody joins the flight from now on; the next asker of its key leads one of its own.
    @inlinable
    public mutating func detach(_ number: FlightNumber) {
        guard let key = flights[number]?.key, byKey[key] == number else { return }
        byKey[key] = nil
    }

    /// The flight is over, its row committed or refused: everyone who still waits, to be answered.
    @inlinable
    public mutating func finish(_ number: FlightNumber) -> [Waiter] {
        guard let flight = flights.removeValue(forKey: number) else { return [] }
        if byKey[flight.key] == number { byKey[flight.key] = nil }
        return Array(flight.waiters.values)
    }

    /// The flight that an asker of the key would join.
    @inlinable
    public func flight(of key: Key) -> FlightNumber? { byKey[key] }
}
