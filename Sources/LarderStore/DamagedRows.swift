// Rows that failed their checksum, on their way to the writer, which alone may remove them. Bounded: what does not fit is
// found again by the next who reads it.
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

    /// Looked at after every job: no lock.
    var isEmpty: Bool { !holdsSome.load(ordering: .acquiring) }

    /// Counts the damage and notes the entry. True where the writer does not know of it yet.
    @discardableResult func note(_ name: BodyName, _ kind: DamageKind) -> Bool {
        let isNew = rows.withLock { rows -> Bool in
            guard rows[name] == nil, rows.count < Self.limit else { return false }
            rows[name] = kind
            holdsSome.store(true, ordering: .releasing)
            return true
        }
        if isNew { count(kind) }
        return isNew
    }

    /// Damage that is mended on the spot.
    func count(_ kind: DamageKind) { errors[kind]?.add() }

    /// All that is noted, which is forgotten here.
    func take() -> [BodyName: DamageKind] {
        rows.withLock { rows in
            holdsSome.store(false, ordering: .releasing)
            defer { rows = [:] }
            return rows
        }
    }
}
