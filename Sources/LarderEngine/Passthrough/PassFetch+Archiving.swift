// Writes a body into the store while it arrives: the whole body, or as much of it as a part may hold.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderSettings
import LarderStore

/// How the writing of a body ended.
enum ArchiveEnd {
    /// All of it is written, so many bytes.
    case whole(any BodyWriter, Int64)
    /// So much of it is written as may be, or as came before it was cut off.
    case part(any BodyWriter, Int64, BodyFailure?)
    /// It could not be begun, or the store gave it up.
    case refused
    /// It was cut off, and what came of it is not wanted.
    case cut(BodyFailure)
}

extension PassFetch {
    /// The end of a body is held back until it is stored, but no longer than an answer waits for its commit.
    func releaseInTime(_ tape: BodyTape) {
        let loop = engine.flights.home
        let patience = settings.cache.patience
        // The tape leads to the stored body, whose file a timer must not keep from being removed.
        tape.watch(for: .max) { [weak tape] in
            loop.post { [weak tape] in
                _ = loop.schedule(at: loop.monotonic + patience) { [weak tape] in tape?.release() }
            }
        }
    }

    /// Copies a body into the store. The tape is read on from there; its end is not released.
    /// - Parameters:
    ///   - check: sees what is written.
    ///   - most: so much of it is written, and no more. Nil where a beginning alone is of no use: then a body that is cut off is
    ///     given up.
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

    /// Writes the body of a whole answer into the store as it comes. Of one that is cut off a part is stored, where it can be one.
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

    /// Less than this of a whole answer that is cut off is asked for anew.
    private static let leastBeginning: Int64 = 64 * 1024
}
