// A request body on its way from its reader to libcurl. libcurl asks when it can send, and is paused while no bytes are
// there. The reader is asked for a piece only when libcurl wants one, so a refused request costs its sender nothing.
// There are two exceptions: a short body, and a body whose transfer waits for a place. Of these, up to `short` bytes
// are gathered before, so that the sender does not pace the transfer.
import LarderCore

/// Confined to the loop of its exchange.
final class UploadFeed {
    /// The result of a request of libcurl for body bytes.
    enum Step {
        case bytes(Int)
        /// No bytes now: `isReady` says when to ask again.
        case wait
        case end
    }

    /// How long a held body waits for the upstream's 100 (RFC 9110 §10.1.1 leaves this to the client).
    static let longestHold = Duration.seconds(1)
    /// Once the response is complete, the interval at which the rest of the request body is checked for movement. Then
    /// the numbers of consecutive checks without movement after which the exchange ends: when its sender is silent, and
    /// when the upstream takes nothing. One check alone proves nothing, because the loop itself may have been delayed.
    static let earlyLook = Duration.milliseconds(500)
    static let senderLooks = 2
    static let upstreamLooks = 10
    /// The largest body, in bytes, that is gathered before the transfer. Each waiting exchange may hold this much.
    static let short = 64 * 1024

    let length: Int64?
    /// The request has said `Expect: 100-continue`, and neither the 100 nor the end of the wait for it has come.
    private(set) var isHeld: Bool
    /// libcurl has asked for the body: the head is on its way.
    private(set) var wasAsked = false
    /// A final response that is no success came first. The rest of the body is not sent.
    private(set) var isDropped = false
    /// The whole body was given to libcurl.
    private(set) var isWhole = false
    /// The reader was asked for a piece and has not answered.
    private(set) var isAsking = false
    /// All bytes that are not yet with libcurl are held here.
    private(set) var hasEnded = false
    private let reader: any BodyReader
    private let deliver: @Sendable (Result<Bytes?, BodyFailure>) -> Void
    private var piece = Bytes()
    private var offset = 0
    /// The number of bytes that libcurl was given.
    private(set) var given: Int64 = 0

    /// - Parameter deliver: passes a piece, the end (nil) or a failure to `take`, on the loop.
    init(_ upload: Upload, deliver: @escaping @Sendable (Result<Bytes?, BodyFailure>) -> Void) {
        reader = upload.reader
        length = upload.length
        isHeld = upload.expectsContinue
        self.deliver = deliver
    }

    /// Whether libcurl would get something if it asked. Also true once the body is dropped, when libcurl never asks
    /// again.
    var isReady: Bool { isDropped || !isHeld && (offset < piece.count || hasEnded) }
    /// Whether libcurl waits for the reader.
    var waitsForReader: Bool { isAsking && offset == piece.count && !isDropped }

    /// Whether the whole body is gathered before the transfer. A sender that waits for a 100 must not be asked before.
    var isShort: Bool { !isHeld && length.map { $0 <= Int64(Self.short) } ?? false }

    /// Asks the reader before libcurl does, until the body is complete or `short` bytes are held. Must be called again
    /// after each piece.
    func gather() {
        if !isHeld, piece.count < Self.short { ask() }
    }

    /// Copies the next bytes into `buffer`. Called inside libcurl's call.
    func give(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        wasAsked = true
        if isHeld || isDropped { return .wait }
        if offset == piece.count {
            if hasEnded {
                isWhole = true
                return .end
            }
            ask()
            return .wait
        }
        let count = min(buffer.count, piece.count - offset)
        piece.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
        }
        offset += count
        given += Int64(count)
        if given == length {
            hasEnded = true
            isWhole = true
        }
        if offset == piece.count {
            piece = []
            offset = 0
            ask()
        }
        return .bytes(count)
    }

    /// Accepts a piece, the end or a failure from the reader. A body of another length than the head declared must not
    /// reach the upstream as a complete one. Bytes beyond the length would be taken for the next request (RFC 9112
    /// §6.3).
    func take(_ result: Result<Bytes?, BodyFailure>) throws(BodyFailure) {
        isAsking = false
        guard let next = try result.get() else {
            guard length == nil || taken == length else { throw BodyFailure("It is shorter than announced.") }
            hasEnded = true
            return
        }
        if let length, taken + Int64(next.count) > length { throw BodyFailure("It is longer than announced.") }
        if piece.isEmpty { piece = next } else { piece += next }
        if taken == length { hasEnded = true }
    }

    /// The number of bytes that the reader has given.
    private var taken: Int64 { given + Int64(piece.count - offset) }

    /// Ends the hold of the body. If libcurl has already asked, the reader is asked now.
    func release() {
        guard isHeld else { return }
        isHeld = false
        if wasAsked { ask() }
    }

    /// Drops the rest of the body.
    func drop() {
        isDropped = true
        reader.abandon()
    }

    func abandon() { reader.abandon() }

    private func ask() {
        guard !isAsking, !hasEnded else { return }
        isAsking = true
        Task { [reader, deliver] in
            do throws(BodyFailure) {
                deliver(.success(try await reader.next()))
            } catch {
                deliver(.failure(error))
            }
        }
    }
}
