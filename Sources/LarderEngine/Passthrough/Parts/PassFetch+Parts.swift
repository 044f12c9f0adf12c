// Handles a part that an upstream sends. All waiting requests get it, combined with the stored parts, and it is stored.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderStore

extension PassFetch {
    var parts: PassParts { PassParts(engine: engine, request: request, snapshot: snapshot) }

    /// Finds the stored response to the request, whole or made of parts. Otherwise finds what to ask the upstream for.
    func find() async -> EntryCache.Found {
        await withParts(await variants.find())
    }

    /// Adds what is stored in parts to a look-up for a whole response.
    func withParts(_ found: EntryCache.Found) async -> EntryCache.Found {
        guard found.entry == nil, request.mayHaveParts else { return found }
        return await parts.complete(found)
    }

    // MARK: What an answer is

    /// A part that a response contains, and the rule by which it is stored or not.
    struct Taken {
        var answer: PartAnswer
        /// The fields and lifetimes of the whole representation.
        var verdict: PassVerdict
        /// The stored parts of the same representation, to combine the part with.
        var known: StoredParts?
    }

    /// What to store of a response as a part: the content of a 206, or the beginning of a whole response that is too
    /// large and of which the request wants a part.
    private func taken(
        _ head: UpstreamHead, _ classification: Classification, _ found: EntryCache.Found
    ) -> Taken? {
        guard request.mayHaveParts else { return nil }
        let answer: PartAnswer
        switch head.status {
        case 206:
            // The origin may send the range that the client asked for although Larder asked for the whole.
            guard let part = found.part ?? parts.asWritten,
                case .success(let judged) = PartRequest.judge(head, asked: part.spec, known: part.stored?.content)
            else { return nil }
            // The response to the client's own If-Range need not repeat what the client knows (RFC 9110 §15.3.7).
            if part.stored == nil, part.ifRange != nil { return nil }
            if let known = part.stored, !known.content.isSame(as: judged.validator, length: judged.length) {
                return nil
            }
            answer = judged
        case 200:
            // An arriving part is read once, so it cannot answer several ranges.
            guard request.wantsRange, ByteRange.specs(request.fields)?.count == 1, isTooLarge(head),
                let begun = PartRequest.incomplete(head)
            else { return nil }
            if isAskedAnew(head, found) { return nil }
            answer = begun
        default: return nil
        }
        let verdict = storing(PartRequest.wholeHead(head), classification)
        // Missing bytes of stored parts are of use even if they must not be stored.
        guard verdict.isStored || head.status == 206 && found.part?.stored != nil else { return nil }
        let known = found.parts?.stored.flatMap { $0.isSame(as: answer) ? $0 : nil }
        return Taken(answer: answer, verdict: verdict, known: known)
    }

    private func isTooLarge(_ head: UpstreamHead) -> Bool { head.length ?? 0 > settings.cache.maxObject }

    /// Whether a response does not fit the stored parts whose missing bytes were requested, so that the client's own
    /// range must be requested. A whole response is used instead if it can be stored, or if the client's range lies
    /// near its beginning.
    private func isAskedAnew(_ head: UpstreamHead, _ found: EntryCache.Found) -> Bool {
        guard let known = found.part?.stored else { return false }
        switch head.status {
        case 206, 416: return true
        case 200:
            guard isTooLarge(head), PartRequest.isFar(request.fields) else { return false }
            return PartRequest.incomplete(head).map { !known.isSame(as: $0) } ?? true
        default: return false
        }
    }

    /// Whether the response is stored as a part, so that the store sets the pace of its body.
    func isStoredInPart(_ head: UpstreamHead, _ classification: Classification, _ found: EntryCache.Found) -> Bool {
        taken(head, classification, found)?.verdict.isStored ?? false
    }

    /// Whether the client's own conditions were sent, so that the upstream judged them.
    func isJudged(_ found: EntryCache.Found) -> Bool { found.part.map { !$0.conditions.isEmpty } ?? false }

    /// The result that a 304 gives for the client's own conditions. Nil if those were not sent.
    func judged(_ head: UpstreamHead, _ found: EntryCache.Found) -> Made? {
        guard isJudged(found) else { return nil }
        let own = PassFields.endToEnd(head)
        var made = Made(entry: entry(head, own, .refuse(.notModifiedAnswer)))
        made.storing = .notModifiedAnswer
        made.asked = found.part?.range
        made.own = Made.Own(fields: own, interim: head.interim)
        made.mayBeShared = false
        made.isJudged = true
        return made
    }

    // MARK: Taking it

    /// Takes a response that is stored as a part. If the response does not fit the stored parts, asks again without
    /// them. Returns nil for any other response.
    func takePart(
        _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult? {
        let head = stream.head
        guard let taken = taken(head, classification, found) else {
            // The response does not fit the stored parts, so the request is sent again without them.
            if let known = found.part?.stored, isAskedAnew(head, found) {
                stream.cancel()
                return await askAnew(known, found, began, voice)
            }
            if head.status == 206 { await removeParts(disprovedBy: head, began) }
            return nil
        }
        guard taken.verdict.isStored else { return await usePart(taken, stream, found, began) }
        let known = taken.known
        var row = row(taken, head, known)
        let place = place(of: row, taken.answer.length)
        row.arrival = place.number
        place.spareSame()
        await hideOthers(than: row, taken, found, began, place)
        let content =
            known?.content
            ?? PartialContent(taken.answer, keptUntil: row.staleUntil)
        let saving = PartSaving(
            parts: parts, answer: taken.answer, row: row, began: began, place: place, known: known)
        var made = Made(entry: row, origin: .upstream(status: head.status, isAnswer: true))
        made.storing =
            known != nil ? .partCombined : taken.answer.validator == nil ? .partWithoutValidator : .partStored
        made.asked = found.part?.range
        made.own = Made.Own(fields: own(head, known), interim: head.interim)
        made.selection = selection(of: row, began, place)
        func show(_ body: PartsBody.Live.Source) {
            made.entry = parts.entry(
                of: StoredParts(row: row, content: content), PartsBody.Live(range: taken.answer.range, body: body))
        }
        let live = LiveTape(stream.body)
        await engine.settle(stream.body, head.length)
        if let whole = stream.body.whole, whole.count == taken.answer.range.count {
            show(.bytes(whole))
            if let fault = fault(head, whole) {
                made.storing = fault
                made.mayBeShared = false
                return .answered(made)
            }
            let most = Int(settings.cache.maxObject)
            made.written = await saving.save(whole.count > most ? Bytes(whole[..<most]) : whole)
            return .answered(made)
        }
        if let failure = stream.body.failure { return .failed(request.cutOff(failure)) }
        stream.body.holdEnd()
        engine.releaseInTime(stream.body, patience: settings.cache.patience)
        show(.tape(live))
        made.isBeingStored = true
        await voice.announce(made)
        live.release(on: engine.flights.home)
        return await archive(made, stream, saving)
    }

    /// Hides stored responses of other representations, which must not be used after a newer part.
    /// - Parameter row: the row of the list.
    private func hideOthers(
        than row: StoredResponse, _ taken: Taken, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        // This check precedes the look-up. A list stored in between by another fetch is found, or was absent here.
        let mayBeThere = await engine.cache.mayHold(row.key)
        // Another fetch may have stored parts in the meantime.
        let now = await parts.lists.find().entry.flatMap { StoredParts($0) }
        if let now, now.isSame(as: taken.answer) { return hideOthersUnderWay(than: row, began, place) }
        var found = found
        if found.entry?.large is PartsBody { found.entry = nil }
        // Wait for the removal, so that it does not take the rows of the new list for those of the old one.
        if let now, engine.cache.isCurrent(began), !place.isOvertaken, now.row.arrival < row.arrival {
            await engine.cache.displace(now.row.key.digest, of: request.provider.name)
        } else if now == nil, mayBeThere {
            // The look-up took too long, so the list is hidden.
            engine.cache.hide(row)
        }
        await hideOlder(than: row, found, began, place)
    }

    /// Hides older responses in progress when parts of this representation are stored. Older responses of other
    /// representations were hidden when those parts arrived.
    func hideOthersUnderWay(than entry: StoredResponse, _ began: RemovalStamp, _ place: AnswerPlace) {
        guard engine.cache.isCurrent(began) else { return }
        engine.cache.hide(entry, inPlaceOf: place.overtake(.answered))
    }

    /// The fields for the requesting client alone: the response's own, and those that only the stored parts have (RFC
    /// 9110 §15.3.7).
    func own(_ head: UpstreamHead, _ known: StoredParts?) -> HeaderFields {
        var own = PassFields.endToEnd(PartRequest.wholeHead(head))
        guard var stored = known?.row.fields else { return own }
        stored.remove(Self.ofMessage)
        own.add(stored.filtered { [own] in !own.contains($0) })
        return own
    }

    private static let ofMessage: FieldNameSet = ["Age", "Date", "Content-Length"]

    /// The row of the list: the head of the whole representation. The newest head's fields replace the stored ones (RFC
    /// 9110 §15.3.7.3).
    func row(_ taken: Taken, _ head: UpstreamHead, _ known: StoredParts?) -> StoredResponse {
        let head = PartRequest.wholeHead(head)
        var row = entry(head, PassFields.endToEnd(head), taken.verdict)
        if let known {
            row.fields = PartRequest.combined(
                known.row.fields, with: head, targets: request.targets, cookies: rule.cookies)
        }
        row.endpoint = StoredParts.listName
        parts.lists.place(&row)
        row.parents = [request.target.digest] + request.groups(row)
        return row
    }

    /// Removes the stored parts, and asks for what the client wants without them.
    private func askAnew(
        _ known: StoredParts, _ found: EntryCache.Found, _ began: RemovalStamp, _ voice: FlightVoice
    ) async -> FlightResult {
        await displaceShared()
        if engine.cache.isCurrent(began) {
            await engine.cache.displace(known.row.key.digest, of: request.provider.name)
        }
        var found = found
        // No stored parts are left to combine the response with.
        found.parts = PartsLook(.askAsWritten(nil), isRefresh ? parts.asWritten?.unconditional : parts.asWritten, nil)
        switch await send(found.part?.fields ?? [:], found) {
        case .failure(let failure): return .failed(failure)
        case .success((let stream, let classification)):
            guard stream.head.status != 304 else {
                stream.cancel()
                return judged(stream.head, found).map { .answered($0) } ?? .failed(unasked304)
            }
            return await receive(stream, classification, found, began, voice)
        }
    }

    /// Archives a part as it arrives. A part that is cut off, or longer than may be stored, is stored up to that point.
    private func archive(_ made: Made, _ stream: UpstreamStream, _ saving: PartSaving) async -> FlightResult {
        let tape = stream.body
        defer { tape.release() }
        let count = Int64(saving.answer.range.count)
        // The digest of a whole response says nothing about its beginning, so it is not checked.
        var check = check(stream.head)
        switch await engine.copy(tape, expecting: count, &check, most: settings.cache.maxObject) {
        case .refused:
            stream.becamePaced()
            return .answered(made)
        case .cut(let failure): return .failed(request.cutOff(failure))
        case .whole(let writer, let written):
            // A part that is longer or shorter than its head says is invalid.
            let isGood = written == count && (stream.head.status != 206 || check.fault == nil)
            if isGood { await saving.save(count, writer) } else { writer.abandon() }
            return .answered(made)
        case .part(let writer, let written, let failure):
            if written > 0, written <= count { await saving.save(written, writer) } else { writer.abandon() }
            if failure == nil { stream.becamePaced() }
            return .answered(made)
        }
    }

    /// Stores the beginning of a whole response that was cut off (RFC 9111 §3.3).
    func saveBeginning(
        _ count: Int64, of begun: PartAnswer, _ entry: StoredResponse, _ writer: any BodyWriter,
        _ began: RemovalStamp, _ place: AnswerPlace
    ) async {
        var row = entry
        row.endpoint = StoredParts.listName
        parts.lists.place(&row)
        row.parents = [request.target.digest] + request.groups(row)
        let saving = PartSaving(
            parts: parts, answer: begun, row: row, began: began, place: place, known: nil)
        place.spareSame()
        await saving.save(count, writer, overtaking: .answered)
    }
}
