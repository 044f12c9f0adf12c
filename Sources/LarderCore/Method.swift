// Request methods and the properties that RFC 9110 §9 defines for them.

/// A request method. Names are case-sensitive (RFC 9110 §9.1); unknown names are kept as received.
public struct Method: Sendable, Hashable, CustomStringConvertible {
    /// The name as it appears on the wire.
    public let name: String

    /// Creates a method with that name.
    public init(_ name: String) {
        self.name = name
    }

    public static let get = Method("GET")
    public static let head = Method("HEAD")
    public static let post = Method("POST")
    public static let put = Method("PUT")
    public static let delete = Method("DELETE")
    public static let options = Method("OPTIONS")
    public static let trace = Method("TRACE")
    public static let patch = Method("PATCH")
    /// Safe and idempotent, with a body (RFC 10008).
    public static let query = Method("QUERY")

    /// A safe method does not ask for a change (RFC 9110 §9.2.1). These are the safe methods of the IANA HTTP Method
    /// Registry, without PRI, which is no request. A method that the registry does not know counts as unsafe.
    public var isSafe: Bool {
        switch name {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// Several requests of an idempotent method have the effect of one (RFC 9110 §9.2.2). Of the registry's unsafe methods
    /// only PUT and DELETE count here.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    public var description: String { name }
}
