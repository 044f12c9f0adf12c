// A response whose body is streamed. A task reads the body, one piece at a time, and asks for a piece only when the one
// before is almost written. A connection holds a piece or two, even for a slow client.
import LarderCore
import LarderHTTP
import LarderIO

/// How a streamed response ended.
enum StreamEnding: String, Sendable, Hashable {
    case whole
    /// The reader threw an error.
    case failed
    /// The body was shorter or longer than its declared length.
    case wrongLength
    /// The client left or took nothing for too long, or the server stopped.
    case left
}

/// A response between its head and its last byte.
struct StreamedAnswer {
    var answered: RequestInHand
    /// The response as the handler returned it, without the body.
    let response: ServerResponse
    let reader: any BodyReader
    let length: Int64?
    let isChunked: Bool
    /// Body bytes added to the pending writes so far.
    var given: Int64 = 0
    /// Resumed when at most `mark` bytes wait to be written.
    var room: (mark: Int, continuation: TaskContinuation<Bool, Never>)?

    var id: RequestID { answered.request.id }
    /// Whether the end of the connection marks the end of the body.
    var isDelimitedByClosing: Bool { length == nil && !isChunked }

    /// The next piece is read when at most this many bytes are still to be written.
    private static let almostWritten = 16 * 1024
    /// The task yields after this many bytes, so that the loop's other work has its turn.
    private static let turn = 1 << 20

    /// Sends the body until it ends or the connection closes.
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

    /// Waits until at most `mark` bytes wait to be written. Returns false if the connection no longer needs the body.
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
    /// Sends the head of a response whose body is streamed.
    func begin(_ response: ServerResponse, _ reader: any BodyReader, length: Int64?, _ answered: RequestInHand) {
        // HTTP/1.0 has no chunked coding: the end of the connection ends the body (RFC 9112 §6.3).
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

    /// Notes the task that reads the body. Returns false if the response has ended already.
    func cancelsStream(_ id: RequestID, by task: Task<Void, Never>) -> Bool {
        guard stream?.id == id else { return false }
        stream?.answered.cancel = { task.cancel() }
        return true
    }

    /// Appends the next piece of the body to the pending bytes.
    fileprivate func put(_ piece: Bytes, of id: RequestID) {
        guard let streamed = stream, streamed.id == id, !piece.isEmpty else { return }
        if let length = streamed.length, streamed.given + Int64(piece.count) > length {
            return cutStream(id, .wrongLength, why: "The body is longer than announced.")
        }
        // The write time-out starts when the first bytes begin to wait.
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

    /// Called when the reader has reached the end of the body.
    fileprivate func putEnd(of id: RequestID) {
        guard let streamed = stream, streamed.id == id else { return }
        if let length = streamed.length, streamed.given != length {
            return cutStream(id, .wrongLength, why: "The body is shorter than announced.")
        }
        guard streamed.isChunked else { return }
        if pending.isEmpty { active = worker.loop.monotonic }
        pending.append(Bytes(text: "0\r\n\r\n"))
        run()
    }

    /// Called when everything is written. The next request has its turn.
    fileprivate func finishStream(_ id: RequestID) {
        guard let streamed = stream, streamed.id == id else { return }
        stream = nil
        log(streamed, .whole)
        machine.answerEnded()
        failUpload("The answer ended before the body was read.")
        // The idle time-out starts here.
        active = worker.loop.monotonic
        run()
    }

    /// Cuts the connection when the rest of the body is missing or wrong: the client must see that its copy is
    /// incomplete (RFC 9112 §8).
    fileprivate func cutStream(_ id: RequestID, _ ending: StreamEnding, why: String) {
        guard let streamed = stream, streamed.id == id else { return }
        worker.shared.log.info("a body was cut", ["id": id.description, "why": why])
        leave(ending)
    }

    /// Gives up the response that is being streamed. Returns true if the connection must be reset, because its plain
    /// end would look like the end of the body (RFC 9112 §8).
    func dropStream(_ ending: StreamEnding) -> Bool {
        guard let dropped = stream else { return false }
        stream = nil
        worker.shared.cells.cut(ending)
        log(dropped, ending)
        dropped.reader.abandon()
        dropped.answered.cancel?()
        dropped.room?.continuation.resume(returning: false)
        return dropped.isDelimitedByClosing
    }

    /// Resumes the streaming task if enough pending bytes are written.
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
