// A request body on its way from its reader to libcurl. libcurl asks when it can send; what is not there yet pauses it.
// The reader is asked for a piece when libcurl wants one and not before, so a refused request costs its sender nothing. The
// exceptions are a body that is short, and one whose transfer waits for a place: as much of it as is short is gathered, so
// that its sender does not pace the transfer.
import LarderCore

/// Confined to the loop of its exchange.
final class UploadFeed {
    /// What libcurl is given.
    enum Step {
        case bytes(Int)
        /// Nothing now: `isReady` says when to ask again.
        case wait
        case end
    }

    /// How long the upstream's 100 is waited for (RFC 9110 §10.1.1 leaves it to the client).
    static let longestHold = Duration.seconds(1)
    /// Once the answer is whole, this often it is looked whether the rest of a body moves; and at so many looks in turn it may
    /// stand still, for want of its sender or of the upstream. One look says nothing where the loop itself was held up.
    static let earlyLook = Duration.milliseconds(500)
    static let senderLooks = 2
    static let upstreamLooks = 10
    /// Bytes that are gathered before the transfer. Each of those that wait may hold as much.
    static let short = 64 * 1024

    let length: Int64?
    /// The request has said `Expect: 100-continue`, and neither the 100 nor the end of waiting has come.
    private(set) var isHeld: Bool
    /// libcurl has asked: the head is on its way.
    private(set) var wasAsked = false
    /// The final answer came first and was no success: what is left is not sent.
    private(set) var isDropped = false
    /// Everything was given to libcurl.
    private(set) var isWhole = false
    /// The reader has been asked and has not answered.
    private(set) var isAsking = false
    /// All of it that was not given to libcurl is here.
    private(set) var hasEnded = false
    private let reader: any BodyReader
    private let deliver: @Sendable (Result<Bytes?, BodyFailure>) -> Void
    private var piece = Bytes()
    private var offset = 0
    /// Bytes that libcurl was given.
    private(set) var given: Int64 = 0

    /// - Parameter deliver: brings a piece, the end (nil) or a failure to `take`, on the loop.
    init(_ upload: Upload, deliver: @escaping @Sendable (Result<Bytes?, BodyFailure>) -> Void) {
        reader = upload.reader
        length = upload.length
        isHeld = upload.expectsContinue
        self.deliver = deliver
    }

    /// Whether libcurl would be given something if it asked, or will never ask again.
    var isReady: Bool { isDropped || !isHeld && (offset < piece.count || hasEnded) }
    /// Whether it is the reader that keeps libcurl waiting.
    var waitsForReader: Bool { isAsking && offset == piece.count && !isDropped }

    /// Whether all of it is to be gathered before the transfer. The sender that waits for a 100 must not be asked before.
    var isShort: Bool { !isHeld && length.map { $0 <= Int64(Self.short) } ?? false }

    /// Asks the reader before libcurl does, until the body is whole or too long for that. To be called again after each
    /// piece.
    func gather() {
        if !isHeld, piece.count < Self.short { ask() }
    }

    /// Inside libcurl's call.
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

    /// What the reader gave. A body of another length than its head said must not reach the upstream as a whole one, and
    /// what is beyond its length would be taken for the next request (RFC 9112 §6.3).
    func take(_ result: Result<Bytes?, BodyFailure>) throws(BodyFailure) {
        isAsking = false
        guard let next = try result.get() else {
            guard length == nil || taken == length else { throw BodyFailure("It is shorter than was said.") }
            hasEnded = true
            return
        }
        if let length, taken + Int64(next.count) > length { throw BodyFailure("It is longer than was said.") }
        if piece.isEmpty { piece = next } else { piece += next }
        if taken == length { hasEnded = true }
    }

    /// Bytes that the reader has given.
    private var taken: Int64 { given + Int64(piece.count - offset) }

    /// The body may go. The reader is asked now if libcurl has asked already.
    func release() {
        guard isHeld else { return }
        isHeld = false
        if wasAsked { ask() }
    }

    /// The rest is not wanted.
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
