// Writes a body into the store while it arrives: the whole body, or as much of it as a part may hold.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderSettings
import LarderStore

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

extension PassFetch {
    /// Holds the end of a body back until the body is stored, but no longer than a response waits for its commit.
    func releaseInTime(_ tape: BodyTape) {
        let loop = engine.flights.home
        let patience = settings.cache.patience
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
    func copy(
        _ tape: BodyTape, expecting length: Int64?, _ check: inout ContentCheck, most: Int64?
    ) async -> ArchiveEnd {
        let expected = length.map { min($0, most ?? .max) }
        guard let archivist = tape.reader(isArchivist: true),
            let writer = await engine.cache.beginBody(expecting: expected)
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

    /// Archives the body of a whole response as it arrives. If it is cut off, its beginning is stored as a part if
    /// possible.
    func archive(
        _ made: Made, _ stream: UpstreamStream, _ body: TapeBody, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async -> FlightResult {
        let tape = stream.body
        defer { tape.release() }
        let begun = request.mayHaveParts ? PartRequest.incomplete(stream.head) : nil
        var check = check(stream.head)
        switch await copy(tape, expecting: body.length, &check, most: begun == nil ? nil : .max) {
        case .refused:
            await hideOlder(than: made.entry, found, began, place)
            stream.becamePaced()
            return .answered(made)
        case .cut(let failure): return .failed(request.cutOff(failure))
        case .part(let writer, let count, let failure):
            if let begun, count >= Self.leastBeginning {
                await saveBeginning(count, of: begun, made.entry, writer, began, place)
            } else {
                writer.abandon()
            }
            return failure.map { .failed(request.cutOff($0)) } ?? .answered(made)
        case .whole(let writer, _):
            if let fault = check.fault {
                tape.archiveEnded()
                writer.abandon()
                await notKept(made.entry, fault, found, began, place)
                return .answered(made)
            }
            _ = await keep(made.entry, found, began, place) {
                await engine.cache.complete(
                    writer, made.entry, with: $0, since: began, when: { !place.isOvertaken })
            }
            return .answered(made)
        }
    }

    /// A shorter beginning of a whole response, in bytes, is not stored when the response is cut off.
    private static let leastBeginning: Int64 = 64 * 1024
}
