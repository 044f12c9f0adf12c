// Rows that failed their checksum, on their way to the writer, which alone may remove them. Their number is bounded: a
// row that does not fit is found again by the next read of it.
import LarderCore
import Synchronization

final class DamagedRows: Sendable {
    static let limit = 1024

    private let rows = Lock<[BodyName: DamageKind]>([:])
    private let holdsSome = Atomic(false)
    private let errors: [DamageKind: CounterCell]

    init(_ registry: CounterRegistry) {
        errors = Dictionary(
            uniqueKeysWithValues: DamageKind.allCases.map {
                ($0, registry.cell(StoreCounters.checksumErrors, $0.rawValue))
            })
    }

    /// Read after every job, so it takes no lock.
    var isEmpty: Bool { !holdsSome.load(ordering: .acquiring) }

    /// Notes the entry, and counts the damage if it was not noted before. Returns whether it was new.
    @discardableResult func note(_ name: BodyName, _ kind: DamageKind) -> Bool {
        let isNew = rows.withLock { rows -> Bool in
            guard rows[name] == nil, rows.count < Self.limit else { return false }
            rows[name] = kind
            holdsSome.store(true, ordering: .releasing)
            return true
        }
        if isNew { errors[kind]?.add() }
        return isNew
    }

    /// Returns all noted rows and clears them.
    func take() -> [BodyName: DamageKind] {
        rows.withLock { rows in
            holdsSome.store(false, ordering: .releasing)
            defer { rows = [:] }
            return rows
        }
    }
}
