// The requests whose cost is limited. Each raw value names a row of Benchmarks/hot-path-limits.txt.
import LarderCore

/// A kind of request that is counted.
enum HotPathCase: String, CaseIterable {
    case memory
    case memoryGzip = "memory-gzip"
    case notModified = "memory-304"
    case head = "memory-head"
    case range = "memory-range"
    case sqlite, miss

    var title: String {
        switch self {
        case .memory: "memory hit, 1 KB"
        case .memoryGzip: "memory hit, 1 KB, client takes gzip"
        case .notModified: "memory hit answered 304"
        case .head: "memory hit, HEAD"
        case .range: "memory hit, range of 100 bytes"
        case .sqlite: "SQLite hit, 1 KB"
        case .miss: "miss, 1 KB"
        }
    }

    /// Whether this request takes the hot path, from the readable socket to `writev`.
    var isHot: Bool { self != .sqlite && self != .miss }

    var isFromMemory: Bool { self != .sqlite }

    var setup: LarderSetup { isFromMemory ? LarderSetup() : .onDisk }

    static let object = OriginObject(kind: .image, size: 1024, id: 1)
    private static let entityTag = "\"image-1024-1\""

    /// The request with this number. Only a miss asks for a new name each time.
    func request(_ number: Int, port: UInt16) -> (bytes: Bytes, path: String) {
        let path =
            self == .miss ? OriginObject(kind: .image, size: 1024, id: 1000 + number).path : Self.object.path
        let fields =
            switch self {
            case .memoryGzip: "Accept-Encoding: gzip, deflate\r\n"
            case .notModified: "If-None-Match: \(Self.entityTag)\r\n"
            case .range: "Range: bytes=100-199\r\n"
            default: ""
            }
        return (
            ProbeClient.request(path, port: port, method: self == .head ? "HEAD" : "GET", fields: fields), path
        )
    }

    /// What is wrong with an answer; nil if it is right.
    func fault(_ reply: Reply, number: Int, pool: Pool) -> String? {
        let status =
            switch self {
            case .notModified: 304
            case .range: 206
            default: 200
            }
        guard reply.status == status else { return "status \(reply.status)" }
        let object = self == .miss ? OriginObject(kind: .image, size: 1024, id: 1000 + number) : Self.object
        switch self {
        case .notModified, .head: return nil
        case .range:
            let isRight =
                reply.body.count == 100
                && reply.body.withUnsafeBufferPointer { pool.matches($0, of: object, at: 100) }
            return isRight ? nil : "the part is wrong"
        default: return pool.isBody(reply.body, of: object) ? nil : "the body is wrong"
        }
    }
}
