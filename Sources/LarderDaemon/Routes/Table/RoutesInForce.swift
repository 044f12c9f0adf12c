// The routes of the settings in force. A reload may add providers that a user's file describes, or take some away.
import LarderCore
import LarderEngine

/// The current table, and the interface description that is made from it at the first request for it.
final class RoutesInForce: Sendable {
    private struct Current {
        var table: RouteTable
        /// How many tables there were before.
        var number = 0
        var description: Bytes?
    }

    private let current: Lock<Current>

    init(_ providers: ProviderSet) {
        current = Lock(Current(table: Self.table(providers)))
    }

    var table: RouteTable { current.withLock { $0.table } }

    /// Makes the routes of other settings.
    func replace(_ providers: ProviderSet) {
        let table = Self.table(providers)
        current.withLock { $0 = Current(table: table, number: $0.number + 1) }
    }

    /// The description of the current routes (OpenAPI).
    func description() -> Bytes {
        let present = current.withLock { $0 }
        if let description = present.description { return description }
        let description = InterfaceDescription.document(of: present.table)
        current.withLock { current in
            if current.number == present.number { current.description = description }
        }
        return description
    }

    private static func table(_ providers: ProviderSet) -> RouteTable {
        RouteTable(providers.searchable.map(\.provider))
    }
}
