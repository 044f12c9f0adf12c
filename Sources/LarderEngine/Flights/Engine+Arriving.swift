// Bodies that arrive in a flight: waiting a moment for a small one, and writing a long one into the store while its
// clients read it.
import LarderCache
import LarderCore
import LarderIO
import LarderStore

/// Sees the bytes of a body in their order.
protocol BodyCheck {
    mutating func add(_ bytes: Bytes)
}

/// How archiving a body ended.
enum ArchiveEnd {
    /// All of the body is written. The number is its length in bytes.
    case whole(any BodyWriter, Int64)
    /// A beginning is written, up to the limit or up to where the body was cut off. The number is its length in bytes.
    case part(any BodyWriter, Int64, BodyFailure?)
    /// The write could not begin, or the store gave it up.
    case refused
    /// The body was cut off, and its beginning is of no use.
    case cut(BodyFailure)
}

extension Engine {
    /// A body that is complete within this time goes out with its length, and its row is committed before its head is
    /// sent.
    private static let settling = Duration.milliseconds(10)
    /// The flight does not wait for larger bodies. In bytes.
    private static let settledSize: Int64 = 256 * 1024

    /// Waits a moment for a small body that is arriving, so that its response can say whether it was stored.
    func settle(_ tape: BodyTape, _ length: Int64?) async {
        guard mayBeWholeSoon(tape, length) else { return }
        // A flight runs on its leader's loop or on the home loop.
        let loop = EventLoop.current ?? flights.home
        let settled = Promise<Void>()
        settle(tape, on: loop) { settled.fulfil() }
        await settled.wait()
    }

    /// Whether a body is whole, or small enough to wait a moment for it.
    func mayBeWholeSoon(_ tape: BodyTape, _ length: Int64?) -> Bool {
        tape.hasEnded || (length ?? 0) <= Self.settledSize
    }

    /// Calls back on the loop, once, as soon as the body has ended or the moment is over. Called on the loop.
    func settle(_ tape: BodyTape, on loop: EventLoop, _ done: @escaping @Sendable () -> Void) {
        if tape.hasEnded { return done() }
        let wait = WaitTimer()
        // Both callers run on the loop, and the first of them ends the other's turn.
        let isOver = Lock(false)
        let once: @Sendable () -> Void = {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            wait.end()
            done()
        }
        wait.set(at: loop.monotonic + Self.settling, on: loop, once)
        tape.watch(for: Self.settledSize) { loop.post(once) }
    }

    /// Holds the end of a body back until the body is stored, but no longer than a response waits for its commit.
    func releaseInTime(_ tape: BodyTape, patience: Duration) {
        let loop = flights.home
        // The timer must not hold the tape: the tape refers to the stored body, and its file could then not be removed.
        tape.watch(for: .max) { [weak tape] in
            loop.post { [weak tape] in
                _ = loop.schedule(at: loop.monotonic + patience) { [weak tape] in tape?.release() }
            }
        }
    }

    /// Copies a body into the store. Readers that fall behind continue from there. The tape's end is not released.
    /// - Parameters:
    ///   - check: sees the bytes that are written.
    ///   - most: the most bytes to write. Nil if a beginning alone is of no use: a body that is cut off is given up.
    func copy<Check: BodyCheck>(
        _ tape: BodyTape, expecting length: Int64?, _ check: inout Check, most: Int64?
    ) async -> ArchiveEnd {
        let expected = length.map { min($0, most ?? .max) }
        guard let archivist = tape.reader(isArchivist: true),
            let writer = await cache.beginBody(expecting: expected)
        else { return .refused }
        tape.keep(in: writer.written)
        var written: Int64 = 0
        var piece = Bytes()
        var seen = check
        defer { check = seen }
        func put(_ bytes: Bytes) async -> Bool {
            guard await writer.append(bytes) == .stored else {
                tape.archiveEnded()
                archivist.abandon()
                return false
            }
            seen.add(bytes)
            written += Int64(bytes.count)
            tape.archived(to: written)
            return true
        }
        do {
            while true {
                let next = try await archivist.next()
                if let next { piece += next }
                if let most, written + Int64(piece.count) >= most, length ?? .max > most {
                    guard await put(Bytes(piece.prefix(Int(most - written)))) else { return .refused }
                    tape.archiveEnded()
                    archivist.abandon()
                    return .part(writer, written, nil)
                }
                if piece.count >= 256 * 1024 || next == nil, !piece.isEmpty {
                    guard await put(piece) else { return .refused }
                    piece = Bytes()
                }
                if next == nil { return .whole(writer, written) }
            }
        } catch {
            if most != nil, !piece.isEmpty { guard await put(piece) else { return .refused } }
            tape.archiveEnded()
            return most == nil ? giveUp(writer, error) : .part(writer, written, error)
        }
    }

    private func giveUp(_ writer: any BodyWriter, _ failure: BodyFailure) -> ArchiveEnd {
        writer.abandon()
        return .cut(failure)
    }
}
