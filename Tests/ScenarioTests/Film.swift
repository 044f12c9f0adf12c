// A film that is never held in memory. Each byte follows from the version and the byte's place, so a byte of another
// version or from another place is wrong.
import LarderCore
import LarderTestSupport

/// A representation that an origin sends, whole or in ranges.
struct Film: Sendable {
    static let size: Int64 = 1 << 30
    /// This prime shares no factor with the length of a piece or a block.
    private static let period = 65_521
    private static let pattern: Bytes = {
        var state: UInt32 = 12345
        return (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }()

    /// The entity tag, without the quotation marks.
    var version = "one"
    var size = Self.size
    /// For a longer range only this many bytes are sent. Then nothing more comes until the peer leaves.
    var most: Int64 = 1 << 20
    /// Bytes beyond `most` are sent as fast as the peer takes them.
    var isEndless = false
    var control = "max-age=3600"
    var lines = ""

    /// The bytes of a range.
    func bytes(_ range: Range<Int64>) -> Bytes {
        let salt = version.utf8.reduce(0) { $0 * 31 + Int($1) }
        var out = Bytes()
        out.reserveCapacity(range.count)
        var place = (Int(range.lowerBound) + salt) % Self.period
        while out.count < range.count {
            let end = min(Self.period, place + range.count - out.count)
            out += Self.pattern[place..<end]
            place = 0
        }
        return out
    }

    /// Answers like an origin that supports single ranges and `If-Range`.
    func acts(_ request: SeenRequest) -> [Act] {
        let isSame = request.field("If-Range").map { $0 == "\"\(version)\"" } ?? true
        guard let text = request.field("Range"), isSame else { return whole }
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        let first = Int64(ends[0]) ?? size - (Int64(ends[1]) ?? 0)
        let last = ends[0].isEmpty || ends[1].isEmpty ? size - 1 : min(size - 1, Int64(ends[1]) ?? 0)
        return part(first..<last + 1)
    }

    /// A 200 response with the whole film.
    var whole: [Act] { body(0..<size, "HTTP/1.1 200 OK\r\n\(fields)") }

    func part(_ range: Range<Int64>) -> [Act] {
        let place = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)\r\n"
        return body(range, "HTTP/1.1 206 Partial Content\r\n\(fields)\(place)")
    }

    private var fields: String {
        "Cache-Control: \(control)\r\nETag: \"\(version)\"\r\nContent-Type: video/mp4\r\n\(lines)"
    }

    private func body(_ range: Range<Int64>, _ head: String) -> [Act] {
        let begun = Act.send("\(head)Content-Length: \(range.count)\r\n\r\n")
        guard range.count > most else { return [begun, .sendBytes(bytes(range))] }
        let start = range.lowerBound
        if isEndless { return [begun, .flood(bytes(start..<start + Int64(Self.period)))] }
        return [begun, .sendBytes(bytes(start..<start + most)), .hold]
    }
}
