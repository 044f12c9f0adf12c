// One clause of a document, and the exchange that shows it kept.
import Testing

/// A requirement of a standard as the page about conformance lists it.
protocol Requirement: Sendable {
    /// No two have the same.
    var id: String { get }
    /// "RFC 9110".
    var standard: String { get }
    /// "§13.1.2".
    var section: String { get }
    var level: Level { get }
    /// One sentence.
    var text: String { get }
    var scenario: String { get }
}

struct WireClause: Requirement, CustomTestStringConvertible {
    /// "RFC 9110 §13.1.2".
    let place: String
    let level: Level
    let says: String
    /// Lines of YAML beside the provider's.
    let settings: String
    /// Another base URL than the stand's own origin.
    let origin: String?
    /// The daemon's time passes by itself.
    let systemTime: Bool
    let show: @Sendable (Stand) async throws -> Void

    init(
        _ section: String, _ level: Level, _ says: String, _ settings: String = "", origin: String? = nil,
        systemTime: Bool = false, _ show: @escaping @Sendable (Stand) async throws -> Void
    ) {
        place = section
        self.level = level
        self.says = says
        self.settings = settings
        self.origin = origin
        self.systemTime = systemTime
        self.show = show
    }

    var testDescription: String { "\(place) \(level.rawValue): \(says)" }

    var id: String { "\(place) \(says)" }
    var standard: String { place.split(separator: " ").prefix(2).joined(separator: " ") }
    var section: String { place.split(separator: " ").last.map(String.init) ?? "" }
    var text: String { says.prefix(1).uppercased() + says.dropFirst() + "." }
    var scenario: String { "through both doors" }
}

/// The tables, each in a file of its own.
enum WireClauses {}
