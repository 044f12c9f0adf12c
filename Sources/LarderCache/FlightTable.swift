// Joins identical requests to one fetch, a flight. The first request for a key leads, later ones join. A request that
// leaves does not affect the others. When the last one has left, a flight that nothing else wants must be cancelled.
// The table knows neither tasks nor time; it tells its owner what to do.
//
// The type is generic and used from another module: members that are not `@inlinable` would run unspecialised there, at
// many times the cost.
import LarderCore

/// The number of a flight. Never used twice.
public struct FlightNumber: Sendable, Hashable {
    public let value: UInt64

    @usableFromInline
    init(value: UInt64) {
        self.value = value
    }
}

/// The flights of one owner. `Waiter` is what the owner resumes. At most `maxWaiters` requests wait for one flight, and
/// at most `maxFlights` flights are under way.
public struct FlightTable<Key: Hashable & Sendable, Waiter> {
    /// The role of a request.
    public enum Entry: Sendable, Hashable {
        /// The request leads: the owner must start this flight.
        case lead(FlightNumber)
        /// Another request's flight will answer.
        case joined(FlightNumber)
        /// A limit is reached.
        case refused
    }

    /// What the owner must do after a request has left.
    public enum Departure: Sendable, Hashable {
        case carryOn
        /// Cancel the flight: no request waits and nothing else wants it.
        case cancel(FlightNumber)
    }

    /// A class: a value in a dictionary would be moved out and in again for each change.
    @usableFromInline
    final class Flight {
        @usableFromInline let key: Key
        @usableFromInline var waiters = Numbered<Waiter>()
        /// Whether the flight goes on without waiters: a refresh, or a fetch whose client stopped waiting for its end.
        @usableFromInline var isWantedByItself: Bool

        @inlinable
        init(key: Key, isWantedByItself: Bool) {
            self.key = key
            self.isWantedByItself = isWantedByItself
        }
    }

    @usableFromInline var flights: [FlightNumber: Flight] = Dictionary(minimumCapacity: 8)
    @usableFromInline var byKey: [Key: FlightNumber] = Dictionary(minimumCapacity: 8)
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

    /// Leads or joins a flight. A flight that was begun as a refresh keeps going on without waiters, whoever joins it.
    @inlinable
    public mutating func enter(_ key: Key, wantedByItself: Bool) -> Entry {
        if let number = byKey[key], let flight = flights[number] {
            guard flight.waiters.count < maxWaiters else { return .refused }
            if wantedByItself { flight.isWantedByItself = true }
            return .joined(number)
        }
        guard flights.count < maxFlights else { return .refused }
        let number = begin(key, wantedByItself: wantedByItself)
        byKey[key] = number
        return .lead(number)
    }

    /// Leads a flight that no other request can join.
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

    /// Adds a waiter to the flight, under a unique ticket. Returns false if the flight is over.
    @inlinable
    public mutating func wait(_ number: FlightNumber, ticket: UInt64, _ waiter: Waiter) -> Bool {
        guard let flight = flights[number] else { return false }
        flight.waiters[ticket] = waiter
        return true
    }

    /// Removes a waiter and leaves the flight to the others. Returns the waiter, so that the owner can resume it.
    /// - Parameter keepFlight: whether the flight goes on even if no waiter is left.
    @inlinable
    public mutating func leave(
        _ number: FlightNumber, ticket: UInt64, keepFlight: Bool
    ) -> (waiter: Waiter, departure: Departure)? {
        guard let flight = flights[number], let waiter = flight.waiters.removeValue(forKey: ticket) else { return nil }
        if keepFlight { flight.isWantedByItself = true }
        guard flight.waiters.isEmpty, !flight.isWantedByItself else { return (waiter, .carryOn) }
        // From now on the key is free: a new request must not join a flight that is being cancelled.
        if byKey[flight.key] == number { byKey[flight.key] = nil }
        return (waiter, .cancel(number))
    }

    /// Takes out all waiters, to be answered now, because the result is known before the flight's end. The flight goes
    /// on, and waiters that leave later cannot cancel it.
    @inlinable
    public mutating func announce(_ number: FlightNumber) -> [Waiter] {
        guard let flight = flights[number] else { return [] }
        defer { flight.waiters = Numbered() }
        return flight.waiters.values
    }

    /// Lets no further request join the flight. The next request for its key leads a new one.
    @inlinable
    public mutating func detach(_ number: FlightNumber) {
        guard let key = flights[number]?.key, byKey[key] == number else { return }
        byKey[key] = nil
    }

    /// Ends the flight when its row is committed or refused. Returns the remaining waiters, to be answered.
    @inlinable
    public mutating func finish(_ number: FlightNumber) -> [Waiter] {
        guard let flight = flights.removeValue(forKey: number) else { return [] }
        if byKey[flight.key] == number { byKey[flight.key] = nil }
        return flight.waiters.values
    }

    /// The flight that a request for this key would join.
    @inlinable
    public func flight(of key: Key) -> FlightNumber? { byKey[key] }
}
