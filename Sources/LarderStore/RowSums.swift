// Defines what each checksum of cache.db covers, and checks rows against them.
//
// An entry has three checksums: of what never changes of its row, of a body that lies in the row, and of its times.
// Each covers the id, so that a row cannot be taken for another. A large body lies in a file: the row has the checksums
// of its pieces, and the second checksum covers these. Each searchable result has one checksum. `lastUsed` is in none:
// it changes with every use, and a wrong one only makes the order of eviction imperfect.
import LarderCore

/// The part that a checksum found to be damaged; a label of the counter.
enum DamageKind: String, CaseIterable, Sendable {
    case row, life, body, piece, result
}

enum RowSums {
    /// The version of a row's format: how its head is encoded and what its checksums cover.
    static let format: Int64 = 1
    /// The largest id. A larger one is damage: what is computed from ids must not overflow.
    static let largestID: Int64 = 1 << 42

    /// The columns of `SummedRow`, of `entry e` and `life l`.
    static let columns = """
        e.id, e.size, l.freshUntil, l.staleUntil, e.key, e.label, e.head, e.body, e.provider, l.format, l.sums, l.sum,
        e.url
        """

    /// Like `columns` without the bodies, for a look at many rows. `fault` may not be asked of these rows.
    static let columnsWithoutBody = columns.replacing("e.body", with: "NULL")

    // MARK: Making

    // More than six parameters: one for each column that the sum covers.
    static func constant(
        id: Int64, digest: Digest, provider: Int64, size: Int64, format: Int64, key: UnsafeRawBufferPointer,
        label: UnsafeRawBufferPointer, head: UnsafeRawBufferPointer, url: Digest?
    ) -> UInt32 {
        var sum = Checksum()
        sum.add(id)
        sum.add(provider)
        sum.add(size)
        sum.add(format)
        sum.add(digest.words.0)
        sum.add(digest.words.1)
        sum.add(digest.words.2)
        sum.add(digest.words.3)
        if let url {
            sum.add(url.words.0)
            sum.add(url.words.1)
            sum.add(url.words.2)
            sum.add(url.words.3)
        }
        sum.add(measured: key)
        sum.add(measured: label)
        sum.add(measured: head)
        return sum.value
    }

    /// - Parameter version: the version of the key, which is its first byte.
    static func life(id: Int64, version: Int64, freshUntil: Int64, staleUntil: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(version)
        sum.add(freshUntil)
        sum.add(staleUntil)
        return Int64(sum.value)
    }

    static func piece(id: Int64, number: Int64, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = Checksum()
        sum.add(id)
        sum.add(number)
        sum.add(bytes)
        return sum.value
    }

    static func result(_ texts: ResultTexts, as id: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(Int64(texts.place.lowerBound))
        sum.add(Int64(texts.place.count))
        sum.add(texts.name)
        for text in [texts.kind, texts.title, texts.creator, texts.collection, texts.summary] {
            sum.add(measured: text)
        }
        return Int64(sum.value)
    }

    /// Packs the sum of a row and that of the body in it into one column.
    static func pack(_ constant: UInt32, body: UInt32) -> Int64 {
        Int64(bitPattern: UInt64(constant) << 32 | UInt64(body))
    }

    /// The column `sums` of an entry to be written.
    /// - Parameter body: the sum of the body, or of the checksums of its pieces.
    static func sums(
        _ entry: StoredResponse, id: Int64, provider: Int64, size: Int64, head: Bytes, body: UInt32
    ) -> Int64 {
        var label = entry.label
        return label.withUTF8 { label in
            entry.key.bytes.withUnsafeBytes { key in
                head.withUnsafeBytes { head in
                    pack(
                        constant(
                            id: id, digest: entry.key.digest, provider: provider, size: size, format: format, key: key,
                            label: UnsafeRawBufferPointer(label), head: head, url: entry.variant?.url), body: body)
                }
            }
        }
    }

}

/// A row of a statement that begins with `RowSums.columns`, each read once. Valid until the statement's next step or reset.
struct SummedRow {
    let id: Int64
    let size: Int64
    let freshUntil: Int64
    let staleUntil: Int64
    let key: UnsafeRawBufferPointer
    let label: UnsafeRawBufferPointer
    let head: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer
    private let url: Digest?
    private let provider: Int64
    private let format: Int64
    private let sums: Int64
    private let sum: Int64

    init(_ row: Statement) {
        (id, size, freshUntil, staleUntil) = (row.int(0), row.int(1), row.int(2), row.int(3))
        (key, label, head, body) = (row.raw(4), row.raw(5), row.raw(6), row.raw(7))
        (provider, format, sums, sum) = (row.int(8), row.int(9), row.int(10), row.int(11))
        url = Digest(raw: row.raw(12))
    }

    /// What is damaged; nil if nothing is. The file of a body is not looked at.
    func fault(digest: Digest) -> DamageKind? {
        if let kind = headFault(digest: digest) { return kind }
        let length = isLarge ? PieceSums.length(of: size) : size
        let isWhole = Int64(body.count) == length && Checksum.of(body) == UInt32(truncatingIfNeeded: sums)
        return isWhole ? nil : .body
    }

    /// What is damaged of a row whose body was not read.
    func headFault(digest: Digest) -> DamageKind? {
        guard fits(digest) else { return .row }
        let version = Int64(key.first ?? 0)
        return RowSums.life(id: id, version: version, freshUntil: freshUntil, staleUntil: staleUntil) == sum
            ? nil : .life
    }

    /// Whether the body lies in a file; then `body` holds the checksums of its pieces. The checksum of the row tells
    /// whether the size is right, that of the body whether the body is.
    var isLarge: Bool { size > CacheSchema.largestInRow }

    /// Whether the unchanging part of the row is as it was written.
    func fits(_ digest: Digest) -> Bool {
        let constant = RowSums.constant(
            id: id, digest: digest, provider: provider, size: size, format: format, key: key, label: label, head: head,
            url: url)
        return constant == UInt32(truncatingIfNeeded: sums >> 32) && id <= RowSums.largestID
    }
}
