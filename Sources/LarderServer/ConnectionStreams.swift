// An answer whose body comes piece by piece. The task that asked the handler goes on to ask the reader, for one piece at a
// time and only when the one before is almost written: a connection holds a piece or two, however slow its client is.
import LarderCore
import LarderHTTP
import LarderIO

/// How a streamed answer ended.
enum StreamEnding: String, Sendable, Hashable {
    case whole
    /// The reader failed.
    case failed
    /// The reader ended too early, or not where it should.
    case wrongLength
    /// The client left, took nothing for too long, or was left behind by the server's own end.
    case left
}

/// An answer between its head and its last byte.
struct StreamedAnswer {
    let answered: RequestInHand
    /// As it was given, without the body.
    let response: ServerResponse
    let reader: any BodyReader
    let length: Int64?
    let isChunked: Bool
    /// Bytes of the body handed over for writing.
    var given: Int64 = 0
    /// Whom to tell when no more than so many bytes wait to be written.
    var room: (mark: Int, continuation: CheckedContinuation<Bool, Never>)?

    var id: RequestID { answered.request.id }
    /// To a client that reads until the end, an end says that this was all.
    var isDelimitedByClosing: Bool { length == nil && !isChunked }

    /// The next piece is asked for when so little of those before is left.
    private static let almostWritten = 16 * 1024
    /// Bytes after which the loop's other work has its turn.
    private static let turn = 1 << 20

    /// Passes the body on until its end, or the connection's.
    static func pass(_ reader: any BodyReader, of id: RequestID, to box: LoopBound<Connection?>) async {
        var sinceTurn = 0
        do throws(BodyFailure) {
            while await waitForRoom(almostWritten, id, box) {
                guard let piece = try await reader.next() else {
                    box.value?.putEnd(of: id)
                    if await waitForRoom(0, id, box) { box.value?.finishStream(id) }
                    return
                }
                box.value?.put(piece, of: id)
                sinceTurn += piece.count
                if sinceTurn >= turn {
                    sinceTurn = 0
                    await Task.yield()
                }
            }
        } catch {
            box.value?.cutStream(id, .failed, why: error.reason)
        }
    }

    /// Waits until no more than so many bytes wait to be written. False when the connection has no use for more.
    private static func waitForRoom(_ mark: Int, _ id: RequestID, _ box: LoopBound<Connection?>) async -> Bool {
        guard let connection = box.value, connection.stream?.id == id else { return false }
        if connection.pending.count <= mark { return true }
        return await handover { continuation in
            if let connection = box.value, connection.stream?.id == id {
                connection.stream?.room = (mark, continuation)
            } else {
                continuation.resume(returning: false)
            }
        }
    }
}

extension Connection {
    /// Sends the head of an answer whose body follows.
    func begin(_ response: ServerResponse, _ reader: any BodyReader, length: Int64?, _ answered: RequestInHand) {
        // A 1.0 client knows no chunks: to it the end of the connection ends the body (RFC 9112 §6.3).
        let isChunked = length == nil && !answered.request.isVersion10
        let closing = machine.answerBegan(
            closing: response.closesConnection || length == nil && answered.request.isVersion10)
        active = worker.loop.monotonic
        write(
            response, id: answered.request.id, toHead: false, version10: answered.persistsBySaying, closing: closing,
            isChunked: isChunked)
        var kept = response
        kept.body = .empty
        stream = StreamedAnswer(
            answered: answered, response: kept, reader: reader, length: length, isChunked: isChunked)
        run()
    }

    /// Puts the next piece behind what waits to be written.
    fileprivate func put(_ piece: Bytes, of id: RequestID) {
        guard let streamed = stream, streamed.id == id, !piece.isEmpty else { return }
        if let length = streamed.length, streamed.given + Int64(piece.count) > length {
            return cutStream(id, .wrongLength, why: "The body is longer than was said.")
        }
        // The time to take bytes begins when there are some.
        if pending.isEmpty { active = worker.loop.monotonic }
        stream?.given += Int64(piece.count)
        if streamed.isChunked {
            pending.append(Bytes(text: String(piece.count, radix: 16) + "\r\n"))
            pending.append(piece)
            pending.append([0x0D, 0x0A])
        } else {
            pending.append(piece)
        }
        run()
    }

    /// The reader has come to its clean end.
    fileprivate func putEnd(of id: RequestID) {
        guard let streamed = stream, streamed.id == id else { return }
        if let length = streamed.length, streamed.given != length {
            return cutStream(id, .wrongLength, why: "The body is shorter than was said.")
        }
        guard streamed.isChunked else { return }
        if pending.isEmpty { active = worker.loop.monotonic }
        pending.append(Bytes(text: "0\r\n\r\n"))
        run()
    }

    /// Everything is written: the next request has its turn.
    fileprivate func finishStream(_ id: RequestID) {
        guard let streamed = stream, streamed.id == id else { return }
        stream = nil
        log(streamed, .whole)
        machine.answerEnded()
        failUpload("The answer ended before the body was read.")
        // Between requests time counts from here.
        active = worker.loop.monotonic
        run()
    }

    /// The rest will not come, or is wrong: the client must see that it has not all (RFC 9112 §8).
    fileprivate func cutStream(_ id: RequestID, _ ending: StreamEnding, why: String) {
        guard let streamed = stream, streamed.id == id else { return }
        worker.shared.log.info("a body was cut", ["id": id.description, "why": why])
        leave(ending)
    }

    /// Ends the answer on its way, before its end. Whether the connection's end would look like the body's, which it must
    /// not, whatever the reason (RFC 9112 §8).
    func dropStream(_ ending: StreamEnding) -> Bool {
        guard let dropped = stream else { return false }
        stream = nil
        worker.shared.cells.cut(ending)
        log(dropped, ending)
        dropped.reader.abandon()
        dropped.answered.task?.cancel()
        dropped.room?.continuation.resume(returning: false)
        return dropped.isDelimitedByClosing
    }

    /// Tells the reader's task when there is room.
    func tellRoom() {
        guard let room = stream?.room, pending.count <= room.mark else { return }
        stream?.room = nil
        room.continuation.resume(returning: true)
    }

    private func log(_ streamed: StreamedAnswer, _ ending: StreamEnding) {
        guard worker.settings.accessLog != .off, !isProbe else { return }
        let waiting = ending == .whole ? 0 : Int64(pending.count)
        log(
            streamed.response, streamed.answered, bytes: Int(clamping: max(0, streamed.given - waiting)),
            ending: ending)
    }
}
