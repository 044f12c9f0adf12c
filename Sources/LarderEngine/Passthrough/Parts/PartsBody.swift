// The body of a representation that is stored in parts. It is read in byte order from stored parts, from a part that is
// arriving, and from fetches for missing bytes. Only a window of it is in memory. A pass over the whole body is checked
// against `Repr-Digest` (RFC 9530 §3). If it does not match, the client still gets the body, as it gets a whole response
// that does not match, and can check it itself; but the parts are removed.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO

/// A body made of parts. Its length is that of the whole representation, even if not all of it is stored.
struct PartsBody: LargeBody {
    /// A part that has just arrived or is still arriving.
    struct Live: Sendable {
        var range: Range<Int64>
        var body: Source

        enum Source: Sendable {
            case bytes(Bytes)
            case tape(LiveTape)
        }
    }

    let parts: PassParts
    let stored: StoredParts
    let live: Live?

    init(_ parts: PassParts, _ stored: StoredParts, _ live: Live?) {
        (self.parts, self.stored, self.live) = (parts, stored, live)
    }

    var length: Int64 { stored.content.length }

    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes {
        guard offset >= 0, offset < length, count > 0 else { throw BodyFailure("The body has no bytes there.") }
        let bytes = try await reader(offset..<min(length, offset + Int64(count))).next()
        return Bytes((bytes ?? []).prefix(count))
    }

    func reader(_ range: Range<Int64>) -> any BodyReader { PartsReader(self, range) }

    /// Whether the arriving part was cut off.
    var hasFailed: Bool {
        if case .tape(let tape) = live?.body { tape.tape.failure != nil } else { false }
    }

    /// Whether a digest that does not match may remove the parts. The digest may have come with a part for one client
    /// alone, which does not speak for other clients.
    fileprivate var maySpeakForAll: Bool {
        live == nil || !parts.request.isPersonal && !parts.request.directives.noStore
    }

    /// Notes that a reader left before its end.
    fileprivate func noteAbandoned() {
        if case .tape(let tape) = live?.body { tape.noteAbandoned() }
    }

    /// Notes that a reader began or ended. A reader that starts with stored bytes may reach the arriving part later.
    fileprivate func noteReader(_ change: Int) {
        if case .tape(let tape) = live?.body { tape.noteReader(change) }
    }

    /// A reader of the beginning of a stretch, as far as the arriving part covers it. Nil if that part does not contain
    /// the first byte, or accepts no more readers.
    func liveReader(_ stretch: Range<Int64>) -> (any BodyReader, end: Int64)? {
        guard let live, live.range.contains(stretch.lowerBound) else { return nil }
        let end = min(stretch.upperBound, live.range.upperBound)
        let place = (stretch.lowerBound - live.range.lowerBound)..<(end - live.range.lowerBound)
        switch live.body {
        case .bytes(let bytes):
            return (WholeBodyReader(Bytes(bytes[Int(place.lowerBound)..<Int(place.upperBound)])), end)
        case .tape(let tape): return tape.reader().map { (RangeBodyReader($0, range: place), end) }
        }
    }
}

/// The tape on which a part arrives. It is cut off when its last reader leaves; what has arrived by then is stored.
final class LiveTape: Sendable {
    let tape: BodyTape
    /// Keeps the beginning of the tape for the first reader.
    private let first: Lock<BodyTapeReader?>
    /// The number of passes over the body that have not ended.
    private let readers = Lock(0)

    init(_ tape: BodyTape) {
        self.tape = tape
        first = Lock(tape.reader())
    }

    /// Gives the tape up if no reader comes within `patience`: the client was answered 304, or something went wrong.
    /// Without this, a body would be fetched that no client reads.
    func release(on loop: EventLoop) {
        loop.post { [weak self] in self?.look(on: loop) }
    }

    private func look(on loop: EventLoop) {
        _ = loop.schedule(at: loop.monotonic + Self.patience) { [weak self] in
            guard let self else { return }
            // A reader that starts with stored bytes takes the tape when it reaches it.
            if readers.withLock({ $0 > 0 }) {
                if first.withLock({ $0 != nil }) { look(on: loop) }
                return
            }
            first.withLock { $0.take() }?.abandon()
        }
    }

    func noteReader(_ change: Int) { readers.withLock { $0 += change } }

    /// Notes that a reader left before its end. If it was the last one, no reader can reach the tape any more.
    fileprivate func noteAbandoned() {
        guard readers.withLock({ $0 <= 1 }) else { return }
        first.withLock { $0.take() }?.abandon()
    }

    private static let patience = Duration.seconds(10)

    func reader() -> BodyTapeReader? {
        guard tape.failure == nil else { return nil }
        return first.withLock { $0.take() } ?? tape.reader()
    }
}

/// One pass over a stretch of a body made of parts.
final class PartsReader: BodyReader {
    private struct State {
        var place: Int64
        var current: (any BodyReader)?
        /// Where the current reader's stretch ends.
        var end: Int64
        /// Where the last fetch began. If bytes are still missing there, the reader fails instead of fetching again.
        var fetchedAt: Int64?
        var isAbandoned = false
    }
    private let body: PartsBody
    private let range: Range<Int64>
    private let state: Lock<State>
    /// Checks the bytes against the digest of the representation, if the pass reads all of them. Only `next` uses it.
    private let check: Lock<DigestFields.Check?>

    init(_ body: PartsBody, _ range: Range<Int64>) {
        self.body = body
        self.range = range
        state = Lock(State(place: range.lowerBound, end: range.lowerBound))
        let isWhole = range == 0..<body.length && body.maySpeakForAll
        let promised = isWhole ? DigestFields(ofRepresentation: body.stored.row.fields) : nil
        check = Lock(promised.map { DigestFields.Check($0) })
        body.noteReader(1)
    }

    deinit { body.noteReader(-1) }

    func next() async throws(BodyFailure) -> Bytes? {
        while true {
            let (place, end, current) = state.withLock { ($0.place, $0.end, $0.isAbandoned ? nil : $0.current) }
            guard place < range.upperBound else { return nil }
            if state.withLock({ $0.isAbandoned }) { throw BodyFailure("Nobody reads the body any more.") }
            guard place < end, let current else {
                try await open(at: place)
                continue
            }
            guard let piece = try await current.next() else {
                throw BodyFailure("A part of the body ended before its end.")
            }
            let isLast = state.withLock { state in
                state.place += Int64(piece.count)
                return state.place == range.upperBound
            }
            let isWrong = check.withLock { check in
                check?.add(piece)
                return isLast && check?.agrees == false
            }
            // The client gets the last bytes after the parts are removed, so its next request is a fetch.
            if isWrong { await body.parts.removeMismatched(body.stored) }
            return piece
        }
    }

    func abandon() {
        let current = state.withLock { state in
            state.isAbandoned = true
            return state.current.take()
        }
        current?.abandon()
        body.noteAbandoned()
    }

    private func open(at place: Int64) async throws(BodyFailure) {
        let rest = place..<range.upperBound
        if let (reader, end) = body.liveReader(rest) { return take(reader, until: end) }
        let content = body.stored.content
        if let part = content.part(at: place) {
            let end = min(part.range.upperBound, range.upperBound)
            if let source = await body.parts.body(of: part, in: body.stored, from: place) {
                let stretch = (place - part.start)..<(end - part.start)
                switch source {
                case .bytes(let bytes):
                    let bytes = Bytes(bytes[Int(stretch.lowerBound)..<Int(stretch.upperBound)])
                    return take(WholeBodyReader(bytes), until: end)
                case .large(let large): return take(large.reader(stretch), until: end)
                case .tape, .plain: break
                }
            }
            return try await fetch(place..<end)
        }
        let missing = content.missing(in: rest).first ?? rest
        // The arriving part was requested already, so the fetch ends where that part begins.
        let next = body.live.map(\.range.lowerBound).flatMap { $0 > place ? $0 : nil } ?? .max
        try await fetch(place..<min(missing.upperBound, next))
    }

    private func fetch(_ stretch: Range<Int64>) async throws(BodyFailure) {
        let isAgain = state.withLock { state in
            defer { state.fetchedAt = stretch.lowerBound }
            return state.fetchedAt == stretch.lowerBound
        }
        guard !isAgain else { throw BodyFailure("The missing part of the body does not arrive.") }
        let (reader, end) = try await body.parts.bring(stretch, of: body.stored)
        take(reader, until: end)
    }

    private func take(_ reader: any BodyReader, until end: Int64) {
        let isLate = state.withLock { state in
            state.current = reader
            state.end = end
            return state.isAbandoned
        }
        if isLate { reader.abandon() }
    }
}
