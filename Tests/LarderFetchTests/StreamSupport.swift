// Shared by the tests of streams: bodies of known bytes, readers with a pace, and an origin that reads what is sent to
// it.
import Glibc
import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Testing

extension Rig {
    /// The outcome of an opening as a value.
    func opened(
        _ order: FetchOrder, upload: Upload? = nil, stall: Duration? = .seconds(20)
    ) async -> Result<UpstreamStream, FetchError> {
        do throws(FetchError) {
            return .success(try await fetcher.open(order, upload: upload, stall: stall))
        } catch {
            return .failure(error)
        }
    }

    func open(
        _ order: FetchOrder, upload: Upload? = nil, stall: Duration? = .seconds(20)
    ) async throws(FetchError) -> UpstreamStream {
        try await fetcher.open(order, upload: upload, stall: stall)
    }
}

/// Bytes that differ by position, so a lost, doubled or moved piece is noticed.
func pattern(_ count: Int, at start: Int = 0) -> Bytes {
    Bytes(room: count) { buffer, initialized in
        for index in 0..<count {
            let place = UInt64(start + index)
            buffer[index] = UInt8(truncatingIfNeeded: (place &* 0x9E37_79B9_7F4A_7C15) >> 40)
        }
        initialized = count
    }
}

/// What a reader got of a patterned body.
struct Passed: Equatable {
    var count = 0
    var isExact = true
    var failure: String?
}

/// Reads to the end and compares the bytes with the pattern.
func readAll(_ reader: any BodyReader, each: () async -> Void = {}) async -> Passed {
    var passed = Passed()
    do throws(BodyFailure) {
        while let piece = try await reader.next() {
            if piece != pattern(piece.count, at: passed.count) { passed.isExact = false }
            passed.count += piece.count
            await each()
        }
    } catch {
        passed.failure = error.reason
    }
    return passed
}

/// The rest of a tape as text, or its failure in words.
func text(_ tape: BodyTape) async -> String {
    guard let reader = tape.reader() else { return "gone" }
    var bytes = Bytes()
    do throws(BodyFailure) {
        while let piece = try await reader.next() { bytes += piece }
        return bytes.lossyText
    } catch {
        return "\(bytes.lossyText)! \(error.reason)"
    }
}

/// A patterned body, given in pieces. It notes when it is first asked and when it is abandoned.
final class PatternReader: BodyReader {
    struct State {
        var place = 0
        var asked = 0
        var isAbandoned = false
    }
    private let total: Int
    private let piece: Int
    private let failsAt: Int?
    private let waits: Gate?
    private let state = LarderCore.Lock(State())

    /// - Parameter failsAt: The position at which the reader fails.
    init(_ total: Int, piece: Int = 10_000, failsAt: Int? = nil, waits: Gate? = nil) {
        self.total = total
        self.piece = piece
        self.failsAt = failsAt
        self.waits = waits
    }

    var asked: Int { state.withLock { $0.asked } }
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    func next() async throws(BodyFailure) -> Bytes? {
        let (place, isAbandoned) = state.withLock { state in
            state.asked += 1
            return (state.place, state.isAbandoned)
        }
        if isAbandoned { throw BodyFailure("Nobody reads it any more.") }
        if let failsAt, place >= failsAt { throw BodyFailure("The client has left.") }
        let count = min(piece, (failsAt ?? total) - place)
        guard count > 0 else { return nil }
        state.withLock { $0.place += count }
        return pattern(count, at: place)
    }

    func abandon() { state.withLock { $0.isAbandoned = true } }
}

/// A listening socket whose connections a test serves itself, byte by byte, on a separate thread.
final class RawOrigin: Sendable {
    let port: UInt16
    private let listener: Int32

    init() {
        (listener, port) = listenOnLoopback()
    }

    var base: String { "http://127.0.0.1:\(port)" }

    /// Serves the next connection on a separate thread and closes it afterwards.
    func serve<Result: Sendable>(_ body: @escaping @Sendable (RawConnection) -> Result) async throws -> Result {
        try await onOwnThread { [listener] in
            let connection = RawConnection(accept(listener, nil, nil))
            defer { close(connection.descriptor) }
            return body(connection)
        }
    }

    deinit { close(listener) }
}

/// One blocking connection of an origin.
final class RawConnection {
    let descriptor: Int32
    private var pending = Bytes()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func say(_ text: String) { say(Bytes(text.utf8)) }

    @discardableResult
    func say(_ bytes: Bytes) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func more() -> Bool {
        var buffer = Bytes(repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending.append(contentsOf: buffer[..<count])
        return true
    }

    /// The bytes before the mark, which is consumed. Nil if the connection ended before the mark.
    func until(_ mark: String) -> String? {
        let mark = Bytes(mark.utf8)
        var from = 0
        while true {
            while from + mark.count <= pending.count {
                if pending[from] == mark[0], pending[from..<(from + mark.count)].elementsEqual(mark) {
                    let text = Bytes(pending[..<from]).lossyText
                    pending.removeFirst(from + mark.count)
                    return text
                }
                from += 1
            }
            if !more() { return nil }
        }
    }

    func head() -> String? { until("\r\n\r\n") }

    /// This many bytes, or fewer if the connection ended.
    func take(_ count: Int) -> Bytes {
        while pending.count < count, more() {}
        let taken = Bytes(pending.prefix(count))
        pending.removeFirst(taken.count)
        return taken
    }

    /// A chunked body, and whether its last chunk came.
    func chunked() -> (body: Bytes, isWhole: Bool) {
        var body = Bytes()
        while let size = until("\r\n").flatMap({ Int($0, radix: 16) }) {
            if size == 0 { return (body, until("\r\n") == "") }
            let chunk = take(size)
            body += chunk
            guard chunk.count == size, take(2) == [13, 10] else { break }
        }
        return (body, false)
    }

    /// Shuts down the sending side. The peer sees the end of what is sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything until the peer closes.
    func rest() -> Bytes {
        while more() {}
        defer { pending = [] }
        return pending
    }
}

extension Rig {
    /// A whole turn of the loop, timers included.
    func turn() async {
        for _ in 0..<2 {
            await handover { continuation in loop.post { continuation.resume() } }
        }
    }
}
