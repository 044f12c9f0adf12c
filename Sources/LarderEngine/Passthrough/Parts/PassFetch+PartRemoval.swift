// Removes stored parts when a newer response replaces them, or shows that they belong to another version.
import LarderCache
import LarderCore
import LarderHTTP

extension PassFetch {
    /// Whether parts of the same representation as this whole response are stored.
    func hasParts(of head: UpstreamHead) async -> Bool {
        guard request.mayHaveParts, let whole = PartRequest.incomplete(head),
            let stored = await parts.lists.find().entry.flatMap({ StoredParts($0) })
        else { return false }
        return stored.isSame(as: whole)
    }

    /// Removes stored parts that a newer response replaces because it does not belong to them.
    /// Parts of other variants stay, as whole responses of other variants do.
    func removeParts(olderThan entry: StoredResponse, _ began: RemovalStamp) {
        guard request.mayHaveParts, Displacement.reach(status: entry.status) != nil, entry.status != 206,
            entry.endpoint != StoredParts.listName, engine.cache.isCurrent(began)
        else { return }
        engine.cache.displaceOlder(
            of: request.primary.digestOfParts, provider: request.provider.name, before: entry.arrival,
            selecting: Displacement.putsOthersInDoubt(status: entry.status) ? nil : request.forwarded)
    }

    /// Removes stored parts that a response disproves. The response is a part or a whole that is given out and not
    /// stored. It shows that the parts belong to another representation, or, if it is whole, that the representation must
    /// not be stored any more (RFC 9111 §4.3.3). A response to a request with credentials or `no-store` removes nothing: it does not speak for
    /// other clients.
    func removeParts(disprovedBy head: UpstreamHead, _ began: RemovalStamp) async {
        guard request.mayHaveParts, !request.isPersonal, isRefresh || !request.directives.noStore,
            engine.cache.isCurrent(began)
        else { return }
        let isDated = head.fields.contains(.etag) || head.fields.contains(.lastModified)
        // The response to the client's own If-Range need not repeat what the client knows (RFC 9110 §15.3.7).
        if !isDated, request.fields.contains(.ifRange) { return }
        let number = overtakeParts(by: head, .selected)
        guard let known = await parts.lists.find().entry.flatMap({ StoredParts($0) }) else { return }
        let validator = StrongValidator(head.fields, now: head.responseTime)
        let isRight = validator != nil && known.content.validator == validator
        if isRight, head.status == 206 || storing(PartRequest.wholeHead(head), .data).isStored { return }
        await remove(known, before: number)
    }

    /// Removes stored parts after the response to a GET or HEAD without content was passed on and disproves them.
    static func notePassedOn(
        _ head: UpstreamHead, of request: PassRequest, since began: RemovalStamp, engine: Engine, snapshot: Snapshot
    ) async {
        guard request.method == .get || request.method == .head, request.override == nil, request.mayHaveParts else {
            return
        }
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        switch head.status {
        case 200 where request.method == .head: await fetch.removeParts(disprovedByHEAD: head, began)
        case 200, 206: await fetch.removeParts(disprovedBy: head, began)
        case 404, 410:
            guard engine.cache.isCurrent(began) else { return }
            fetch.overtakeParts(by: head, .all)
            let key = fetch.parts.listed.primary
            guard await engine.cache.mayHold(key) else { return }
            await engine.cache.displace(key.digest, of: request.provider.name)
        default: break
        }
    }

    /// Removes parts that a HEAD response disproves. It describes the GET response, and parts of another representation
    /// are invalid (RFC 9111 §4.3.5).
    private func removeParts(disprovedByHEAD head: UpstreamHead, _ began: RemovalStamp) async {
        guard !request.isPersonal, !request.directives.noStore, engine.cache.isCurrent(began),
            let known = await parts.lists.find().entry.flatMap({ StoredParts($0) })
        else { return }
        let (now, then) = (head.fields, known.row.fields)
        let isOther =
            now.contains(.etag)
            ? now.first(.etag) != then.first(.etag)
            : now.contains(.lastModified) && now.first(.lastModified) != then.first(.lastModified)
        let isLonger = head.fields.first(.contentLength).flatMap { Int64($0) }.map { $0 != known.content.length }
        guard isOther || isLonger ?? false else { return }
        await remove(known, before: overtakeParts(by: head, .selected))
    }

    /// Overtakes older responses that still arrive. They must not be stored after one that shows another
    /// representation.
    /// - Returns: the number of the head's arrival.
    @discardableResult
    private func overtakeParts(by head: UpstreamHead, _ reach: AnswerOrder.Reach) -> UInt64 {
        let newer = entry(head, PassFields.endToEnd(head), .refuse(.partialContent))
        let length = head.status == 206 ? ContentRange(head.fields)?.length : head.length
        let place = place(of: newer, length)
        place.spareSame()
        engine.cache.hide(newer, inPlaceOf: place.overtake(reach))
        return place.number
    }

    /// Removes the stored parts, unless they arrived after the head with this number.
    private func remove(_ known: StoredParts, before number: UInt64) async {
        guard known.row.arrival < number else { return }
        await displaceShared()
        await engine.cache.displace(known.row.key.digest, of: request.provider.name)
    }
}

extension PassParts {
    /// Removes stored parts that together do not match the digest of their representation. A part that is still being
    /// stored is not stored any more. Parts of another representation that were stored since stay.
    func removeMismatched(_ stored: StoredParts) async {
        let row = stored.row
        let place = engine.cache.answers.enter(
            request.primary.digest, AnswerOrder.Selection(vary: Vary(row.fields), fields: request.forwarded),
            key: row.key,
            AnswerOrder.Representation(
                fields: row.fields, length: stored.content.length, receivedAt: engine.time.wall()))
        engine.cache.hide(row, inPlaceOf: place.overtake(.same))
        guard let now = await engine.cache.open(stored.row.key).flatMap({ StoredParts($0) }),
            now.content.isSame(as: stored.content)
        else { return }
        await engine.cache.displace(now.row.key.digest, of: request.provider.name)
    }
}
