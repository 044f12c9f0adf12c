// A request's body that its handler reads as it comes: the connection gives the reader what arrived, says "100 Continue"
// when somebody first asks, and sees to what is left when the answer is there before the body.
import LarderCore
import LarderHTTP
import LarderIO

/// A body of which some has not been read off the socket.
struct UploadInHand {
    /// The request it belongs to.
    let id: RequestID
    let reader: RequestBodyReader
    let isChunked: Bool
    /// Bytes still to come, where their number is known.
    var left: Int
    var decoder = ChunkedDecoder()
    /// The client waits to be told to go on.
    var expectsContinue: Bool
    /// The rest is read whether or not the reader asks.
    var isTakenAnyway = false
    /// Since when the client owes bytes; nil while it is not known to owe any.
    var waitBegan: MonotonicTime?
    var pace = TransferPace()
}

extension Connection {
    /// Whether bytes of a body are wanted.
    var takesUpload: Bool {
        guard let upload else { return false }
        return upload.isTakenAnyway || upload.reader.wants
    }

    /// Lets the request in hand have its body as it comes.
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

    /// Since when the client owes bytes, or now. The reader wants more a moment before it is told here that it does
    /// (`uploadAsked` comes over the loop's queue): time that passed before is none of the client's.
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

    /// The reader wants more than it has.
    private func uploadAsked(_ id: RequestID) {
        guard upload?.id == id else { return }
        upload?.waitBegan = worker.loop.monotonic
        notePace()
        if upload?.expectsContinue == true {
            upload?.expectsContinue = false
            if machine.phase == .answering {
                // Whoever sent some of it already need not be told (RFC 9110 §10.1.1).
                if stash.isEmpty { pending.append(ResponseEncoder.continue) }
            } else if stash.isEmpty {
                // After a final answer began the client will not send it.
                failUpload("The answer began before the client was asked for the body.")
            }
        }
        run()
    }

    /// Takes what belongs to the body and gives it to the reader; the bytes used.
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
        // What came may have been all that is wanted for now.
        notePace()
        if isComplete {
            taken.reader.end()
            machine.bodyEnded()
        }
        return used
    }

    /// The body is malformed or stopped coming: an error where no answer has begun, else the end.
    func uploadBroke(_ fault: RequestFault) {
        failUpload(fault.detail)
        guard machine.phase == .answering else {
            worker.shared.cells.refused(fault)
            return leave()
        }
        inHand?.task?.cancel()
        refuse(fault)
    }

    /// Its reader gets no more.
    func failUpload(_ reason: String) {
        guard let given = upload else { return }
        upload = nil
        machine.bodyGivenUp()
        given.reader.fail(BodyFailure(reason))
    }

    /// Before an answer: the connection can stay where the rest of the body is small and already there (RFC 9112 §9.3).
    func takeRestOfUpload() {
        guard let rest = upload, rest.isChunked || rest.left <= RequestBodyReader.window else { return }
        upload?.isTakenAnyway = true
        if stash.isUnparsed { process(takeStash()) }
        if upload != nil, input != .none { _ = read() }
        upload?.isTakenAnyway = false
    }
}
