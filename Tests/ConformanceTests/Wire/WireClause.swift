// One clause of a standard, and the exchange that proves that it is met.
import Testing

/// A requirement of a standard as the conformance page lists it.
protocol Requirement: Sendable {
    /// Unique.
    var id: String { get }
    /// The standard, such as "RFC 9110".
    var standard: String { get }
    /// The section, such as "§13.1.2".
    var section: String { get }
    var level: Level { get }
    /// The requirement in one sentence.
    var text: String { get }
    var scenario: String { get }
}

struct WireClause: Requirement, CustomTestStringConvertible {
    /// The standard and section, such as "RFC 9110 §13.1.2".
    let place: String
    let level: Level
    let says: String
    /// Lines of YAML after those of the provider.
    let settings: String
    /// A base URL to use instead of the stand's own origin.
    let origin: String?
    let show: @Sendable (Stand) async throws -> Void
    /// Whether the timers of the daemon's loops follow the clock of the stand.
    private(set) var setsTimers = false

    /// The same clause with timers that follow the clock of the stand.
    func withTimersOfTheStand() -> WireClause {
        var clause = self
        clause.setsTimers = true
        return clause
    }

    init(
        _ section: String, _ level: Level, _ says: String, _ settings: String = "", origin: String? = nil,
        _ show: @escaping @Sendable (Stand) async throws -> Void
    ) {
        place = section
        self.level = level
        self.says = says
        self.settings = settings
        self.origin = origin
        self.show = show
    }

    var testDescription: String { "\(place) \(level.rawValue): \(says)" }

    var id: String { "\(place) \(says)" }
    var standard: String { place.split(separator: " ").prefix(2).joined(separator: " ") }
    var section: String { place.split(separator: " ").last.map(String.init) ?? "" }
    var text: String { says.prefix(1).uppercased() + says.dropFirst() + "." }
    var scenario: String { "through both doors" }
}

/// The tables, each in its own file.
enum WireClauses {}
