// A request body that its handler reads while it arrives. The connection passes the received bytes to the reader, sends
// "100 Continue" when the reader first asks, and deals with the rest of the body if the response comes first.
import LarderCore
import LarderHTTP
import LarderIO

/// A request body that is not completely read from the socket.
struct UploadInHand {
    /// The request that the body belongs to.
    let id: RequestID
    let reader: RequestBodyReader
    let isChunked: Bool
    /// The bytes still to come, if the length is known; 0 for a chunked body.
    var left: Int
    var decoder = ChunkedDecoder()
    /// Whether the client waits for "100 Continue" before it sends the body.
    var expectsContinue: Bool
    /// Whether the connection reads the rest even if the reader does not ask.
    var isTakenAnyway = false
    /// When the client began to owe bytes; nil if it is not known to owe any.
    var waitBegan: MonotonicTime?
    var pace = TransferPace()
}

extension Connection {
    /// Whether the connection should read bytes of the body now.
    var takesUpload: Bool {
        guard let upload else { return false }
        return upload.isTakenAnyway || upload.reader.wants
    }

    /// Gives the request in hand a reader for its body, which arrives while the handler runs.
    func beginUpload(_ head: RequestHead) {
        guard let id = inHand?.request.id else { return }
        let (loop, box) = (worker.loop, box)
        let reader = RequestBodyReader { loop.post { box.value?.uploadAsked(id) } }
        let expects = head.flags.contains(.expectContinue)
        let length: Int? = if case .length(let length) = head.framing { length } else { nil }
        upload = UploadInHand(
            id: id, reader: reader, isChunked: length == nil, left: length ?? 0, expectsContinue: expects)
        inHand?.request.upload = Upload(reader: reader, length: length.map(Int64.init), expectsContinue: expects)
    }

    /// When the client began to owe bytes; `now` if it owes none. The reader wants more slightly before `uploadAsked`
    /// says so here over the loop's queue. That delay does not count against the client.
    func bodyOwed(since now: MonotonicTime) -> MonotonicTime {
        let since = takesUpload ? upload?.waitBegan ?? now : nil
        upload?.waitBegan = since
        upload?.pace.note(isWanted: since != nil, at: now)
        return since ?? now
    }

    private func notePace() {
        let isWanted = takesUpload
        upload?.pace.note(isWanted: isWanted, at: worker.loop.monotonic)
    }

    /// Called when the reader wants more than it has.
    private func uploadAsked(_ id: RequestID) {
        guard upload?.id == id else { return }
        upload?.waitBegan = worker.loop.monotonic
        notePace()
        if upload?.expectsContinue == true {
            upload?.expectsContinue = false
            if machine.phase == .answering {
                // A client that has already sent part of the body needs no "100 Continue" (RFC 9110 §10.1.1).
                if stash.isEmpty { pending.append(ResponseEncoder.continue) }
            } else if stash.isEmpty {
                // The client will not send the body once a final response has begun.
                failUpload("The answer began before the client was asked for the body.")
            }
        }
        run()
    }

    /// Takes the bytes that belong to the body and gives them to the reader. Returns the number of bytes used.
    func takeUpload(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard var taken = upload else { return 0 }
        var piece = Bytes()
        var used = 0
        var isComplete = false
        if taken.isChunked {
            let (count, progress) = taken.decoder.decode(bytes, into: &piece, limit: .max)
            used = count
            if case .fault(let fault) = progress {
                uploadBroke(fault)
                return bytes.count
            }
            isComplete = progress == .done
        } else {
            used = min(taken.left, bytes.count)
            piece = Bytes(bytes[..<used])
            taken.left -= used
            isComplete = taken.left == 0
        }
        taken.expectsContinue = false
        taken.waitBegan = worker.loop.monotonic
        taken.pace.note(moved: used, at: worker.loop.monotonic)
        upload = isComplete ? nil : taken
        taken.reader.give(piece)
        // The reader may want no more for now.
        notePace()
        if isComplete {
            taken.reader.end()
            machine.bodyEnded()
        }
        return used
    }

    /// Ends a malformed or stalled upload. The client gets an error if no response has begun; otherwise it is cut.
    func uploadBroke(_ fault: RequestFault) {
        failUpload(fault.detail)
        guard machine.phase == .answering else {
            worker.shared.cells.refused(fault)
            return leave()
        }
        inHand?.cancel?()
        refuse(fault)
    }

    /// Makes the reader fail: it gets no more bytes.
    func failUpload(_ reason: String) {
        guard let given = upload else { return }
        upload = nil
        machine.bodyGivenUp()
        given.reader.fail(BodyFailure(reason))
    }

    /// Called before a response. Reads the rest of the body if it is small and has already arrived, so that the
    /// connection can be kept (RFC 9112 §9.3).
    func takeRestOfUpload() {
        guard let rest = upload, rest.isChunked || rest.left <= RequestBodyReader.window else { return }
        upload?.isTakenAnyway = true
        if stash.isUnparsed { process(takeStash()) }
        if upload != nil, mayReceive { _ = isSecure ? readSecure() : read() }
        upload?.isTakenAnyway = false
    }
}
