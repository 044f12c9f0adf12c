// One answer that is kept ready, and its bytes in the database.
//
// Layout, version 1: numbers of a fixed size, least significant byte first, then the pieces whose lengths the numbers
// tell, one after the other. A look on a loop reads a row in place and copies only what goes out. The row's checksum
// covers all of it and the ids that it is bound to, so its lengths can be trusted once the checksum fits. They are
// checked against the row's size all the same.
import LarderCore

/// What a request for one target gets, made once.
public struct ReadyRow: Sendable {
    /// The kind of the target (`ReadyScope`), and its bytes as they came.
    public var scope: UInt64
    public var target: Bytes
    /// Whether the answer is for clients that take gzip or for those that do not; nil fits any.
    public var takesGzip: Bool?
    /// The answer. Its `hits`, `digest` and `hold` are not stored.
    public var response: ReadyResponse
    /// The provider whose hits are counted.
    public var provider: String
    /// The settings under which the row was made (`SQLiteStore.mark`).
    public var mark: UInt64

    public init(
        scope: UInt64, target: Bytes, takesGzip: Bool?, response: ReadyResponse, provider: String, mark: UInt64
    ) {
        self.scope = scope
        self.target = target
        self.takesGzip = takesGzip
        self.response = response
        self.provider = provider
        self.mark = mark
    }

    var place: ReadyPlace { target.withUnsafeBufferPointer { ReadyPlace($0, scope: scope) } }
    var id: Int64 { place.id(ReadyCoding(takesGzip: takesGzip)) }
}

/// Where the numbers lie, in bytes.
private enum Offset {
    static let version = 0
    static let flags = 1
    static let parents = 2
    static let lengths = 4
    static let partial = 36
    static let bodySum = 44
    static let scope = 48
    static let mark = 56
    static let bornAt = 64
    static let freshUntil = 72
    static let lastModified = 80
    static let entry = 88
    static let url = 120
    static let end = 152
}

/// The pieces behind the numbers, in their order.
private enum Piece: Int {
    case target, provider, head, notModified, tag, lastModifiedText, body
    /// Not a piece: the length of a body that lies with its entry.
    case entryBody
}

private enum Flag {
    static let tagIsWeak: UInt8 = 1
    static let hasConditions: UInt8 = 2
    static let isVariant: UInt8 = 4
    /// The body lies in this row.
    static let hasBody: UInt8 = 8
}

extension ReadyRow {
    private static let version: UInt8 = 1

    /// The bytes of the row.
    /// - Parameter entry: the entry that the row is bound to.
    func encoded(entry: StoredResponse) -> Bytes {
        let sharesBody = response.body == entry.body
        var flags: UInt8 = response.isTagWeak ? Flag.tagIsWeak : 0
        if response.hasConditions { flags |= Flag.hasConditions }
        if entry.variant != nil { flags |= Flag.isVariant }
        if !sharesBody { flags |= Flag.hasBody }
        let pieces: [Bytes] = [
            target, Bytes(text: provider), response.head, response.notModified, response.tag,
            response.lastModifiedText, sharesBody ? [] : response.body,
        ]
        var out = Bytes()
        out.reserveCapacity(Offset.end + 32 * entry.parents.count + pieces.reduce(0) { $0 + $1.count })
        out.append(Self.version)
        out.append(flags)
        Self.put(UInt16(clamping: entry.parents.count), &out)
        for piece in pieces { Self.put(UInt32(clamping: piece.count), &out) }
        Self.put(UInt32(sharesBody ? entry.body.count : 0), &out)
        Self.put(UInt32(clamping: response.partialStart), &out)
        Self.put(UInt32(clamping: response.partialEnd), &out)
        Self.put(sharesBody ? entry.body.withUnsafeBytes { Checksum.of($0) } : 0, &out)
        Self.put(scope, &out)
        Self.put(mark, &out)
        Self.put(response.bornAt.milliseconds, &out)
        Self.put(response.freshUntil.milliseconds, &out)
        Self.put(response.lastModified, &out)
        entry.key.digest.withRawBytes { out.append(contentsOf: $0) }
        (entry.variant?.url ?? ReadyResponse.unnamed).withRawBytes { out.append(contentsOf: $0) }
        for parent in entry.parents { parent.withRawBytes { out.append(contentsOf: $0) } }
        for piece in pieces { out.append(contentsOf: piece) }
        return out
    }

    private static func put<Number: FixedWidthInteger>(_ number: Number, _ out: inout Bytes) {
        withUnsafeBytes(of: number.littleEndian) { out.append(contentsOf: $0) }
    }

    /// Where the mark lies in the bytes, counted from 1 as SQL does, and its bytes there.
    static let placeOfMark = Int64(Offset.mark + 1)
    var markBytes: Bytes { withUnsafeBytes(of: mark.littleEndian) { Bytes($0) } }

    /// The checksum of a row with the id that it is bound to.
    static func sum(id: Int64, entry: Int64, _ data: UnsafeRawBufferPointer) -> Int64 {
        var sum = Checksum()
        sum.add(id)
        sum.add(entry)
        sum.add(measured: data)
        return Int64(sum.value)
    }
}

/// A row in place in a statement's column. Valid until the statement's next step or reset.
struct ReadyRowView {
    private let raw: UnsafeRawBufferPointer
    private let flags: UInt8

    /// Nil if the row is of another version, or not whole.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count >= Offset.end, raw[Offset.version] == 1 else { return nil }
        self.raw = raw
        flags = raw[Offset.flags]
        guard start(.entryBody) == raw.count else { return nil }
    }

    private func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
        Number(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    private func length(_ place: Int) -> Int {
        let length: UInt32 = number(Offset.lengths + 4 * place)
        return Int(length)
    }

    /// The piece begins after all pieces before it.
    private func start(_ piece: Piece) -> Int {
        var start = Offset.end + 32 * parentCount
        for place in 0..<piece.rawValue { start += length(place) }
        return start
    }

    private func piece(_ piece: Piece) -> UnsafeRawBufferPointer {
        let start = start(piece)
        return UnsafeRawBufferPointer(rebasing: raw[start..<(start + length(piece.rawValue))])
    }

    private func digest(_ offset: Int) -> Digest {
        Digest(raw: UnsafeRawBufferPointer(rebasing: raw[offset..<(offset + 32)])) ?? ReadyResponse.unnamed
    }

    private var parentCount: Int { Int(number(Offset.parents) as UInt16) }

    var scope: UInt64 { number(Offset.scope) }
    var mark: UInt64 { number(Offset.mark) }
    var bornAt: WallTime { WallTime(milliseconds: number(Offset.bornAt)) }
    var freshUntil: WallTime { WallTime(milliseconds: number(Offset.freshUntil)) }
    var target: UnsafeRawBufferPointer { piece(.target) }
    var provider: UnsafeRawBufferPointer { piece(.provider) }
    var entry: Digest { digest(Offset.entry) }
    /// The URL of a variant.
    var url: Digest? { flags & Flag.isVariant != 0 ? digest(Offset.url) : nil }

    /// Digests of what the entry was made from.
    var parents: [Digest] { (0..<parentCount).map { digest(Offset.end + 32 * $0) } }

    /// The body if it lies in the row; nil if it lies with its entry.
    var ownBody: UnsafeRawBufferPointer? { flags & Flag.hasBody != 0 ? piece(.body) : nil }

    /// The length and the checksum of a body that lies with its entry.
    var entryBody: (length: Int, sum: UInt32) { (length(Piece.entryBody.rawValue), number(Offset.bodySum)) }

    func response(body: Bytes, file: SentBody?, hits: CounterCell, digest: Digest) -> ReadyResponse {
        let lastModified: Int64 = number(Offset.lastModified)
        let from: UInt32 = number(Offset.partial)
        let to: UInt32 = number(Offset.partial + 4)
        var conditions: ReadyConditions?
        if flags & Flag.hasConditions != 0 {
            conditions = ReadyConditions(
                notModified: Bytes(piece(.notModified)), tag: Bytes(piece(.tag)),
                isTagWeak: flags & Flag.tagIsWeak != 0, lastModified: lastModified == .max ? nil : lastModified,
                lastModifiedText: Bytes(piece(.lastModifiedText)),
                partialFields: Int(min(from, to))..<Int(max(from, to)))
        }
        return ReadyResponse(
            head: Bytes(piece(.head)), body: body, file: file, bornAt: bornAt, freshUntil: freshUntil, hits: hits,
            digest: digest, conditions: conditions, isFromStore: true)
    }
}
