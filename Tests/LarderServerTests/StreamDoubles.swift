import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderServer

/// Gives the pieces that a closure makes, and counts how often it is asked.
final class MadeReader: BodyReader {
    let asked = CounterCell()
    let abandoned = CounterCell()
    private let make: @Sendable (Int) async -> Bytes?
    private let failsAt: Int?

    /// - Parameter failsAt: The number of the piece at which the reader fails instead.
    init(failsAt: Int? = nil, _ make: @escaping @Sendable (Int) async -> Bytes?) {
        self.make = make
        self.failsAt = failsAt
    }

    func next() async throws(BodyFailure) -> Bytes? {
        let number = asked.current
        asked.add()
        if number == failsAt { throw BodyFailure("The upstream broke off.") }
        return await make(number)
    }

    func abandon() { abandoned.add() }

    /// This many pieces of a pattern in which no two sections are alike.
    static func pattern(_ pieces: Int, of size: Int) -> MadeReader {
        let source = Self.patternSource
        return MadeReader { number in number < pieces ? Bytes(source[number % 251..<number % 251 + size]) : nil }
    }

    /// The bytes that `pattern` gives, joined.
    static func patternBytes(_ pieces: Int, of size: Int) -> Bytes {
        var all = Bytes()
        all.reserveCapacity(pieces * size)
        for number in 0..<pieces { all += patternSource[number % 251..<number % 251 + size] }
        return all
    }

    private static let patternSource: Bytes = {
        var generator: UInt32 = 1
        return (0..<262_144 + 256).map { _ in
            generator = generator &* 1_664_525 &+ 1_013_904_223
            return UInt8(generator >> 24)
        }
    }()
}

/// Whether two byte arrays are equal. Avoids the cost of an element-wise loop in a debug build.
func same(_ left: Bytes, _ right: Bytes) -> Bool {
    left.count == right.count && (left.isEmpty || memcmp(left, right, left.count) == 0)
}

/// Appends a text to a tape.
func append(_ text: String, to tape: BodyTape) { _ = Bytes(text: text).withUnsafeBytes { tape.append($0) } }

/// Answers every path except "/whole" with this stream.
func streaming(
    _ reader: @escaping @Sendable () -> any BodyReader, length: Int64? = nil, status: Int = 200,
    interim: [InterimHead] = []
) -> Answering {
    Answering { request in
        if request.path == "/whole" { return ServerResponse(status: 200, body: .bytes(Bytes(text: "whole"))) }
        var response = ServerResponse(
            status: status, body: .stream(reader(), length: length), outcome: .miss, route: RouteName("streamed"))
        response.interim = interim
        return response
    }
}

func wire(_ test: TestServer) throws -> WireClient { try WireClient(test.address.description) }

let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
