// The ready form of an answer: the bytes that the fast path writes, made once. Its fields must match what `respond`
// sends for the same request. Fields that differ from the answer's own therefore come from here for both.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

extension Answer {
    /// The fields of a 304: those of the 200 that describe the stored copy, without those about its content, which the
    /// client already has (RFC 9110 §15.4.5).
    static func notModified(_ fields: HeaderFields) -> HeaderFields {
        var fields = NotModified.fields(of: fields)
        fields.remove(.contentDisposition)
        return fields
    }
}

/// The way by which a request came in, as far as the ready form depends on it.
enum ReadyMount {
    case ownInterface
    /// Larder's own interface, and pages of some other origins may read from it.
    case sharedInterface
    case providersListener
}

extension ReadyResponse {
    /// - Parameters:
    ///   - digest: the digest of the entry's key.
    ///   - mount: what the way in adds to the fields.
    /// - Returns: nil if the body is not in memory.
    convenience init?(of answer: Answer, digest: Digest, mount: ReadyMount, now: WallTime, hits: CounterCell) {
        guard let body = answer.body.whole else { return nil }
        var base = answer.fields
        base.remove(.age)
        if mount != .providersListener, !base.contains(.crossOriginResourcePolicy) {
            base.add(.crossOriginResourcePolicy, "same-origin")
        }
        if mount == .sharedInterface { CrossOriginSharing.addVary(to: &base) }
        var fields = base
        fields.remove(DigestFields.ofContent)
        fields.set(.acceptRanges, "bytes")
        var head = Bytes()
        ResponseEncoder.append(
            ResponseHead(status: 200, reason: answer.reason, fields: fields), length: nil, to: &head)
        let start = (head.firstIndex(of: 0x0A) ?? 0) + 1
        let end = head.count
        // After the fields that a partial response shares: digests of the content describe the whole only.
        if base.contains(anyOf: DigestFields.ofContent) {
            for line in base where DigestFields.ofContent.contains(line) {
                ResponseEncoder.appendField(line.name, line.value, to: &head)
            }
        }
        ResponseEncoder.appendField("Content-Length", String(body.count), to: &head)
        var notModified = Bytes()
        ResponseEncoder.append(
            ResponseHead(status: 304, fields: Answer.notModified(base)), length: nil, to: &notModified)
        let etag = base.first(.etag).flatMap { EntityTag.parse($0) }
        var tag = Bytes()
        if let etag { HeaderField.append(EntityTag(opaque: etag.opaque).description, to: &tag) }
        let lastModifiedText = base.first(.lastModified) ?? (answer.isOurs ? nil : base.first(.date)) ?? ""
        let lastModified = HTTPDate.parse(lastModifiedText, now: now)
        self.init(
            head: head, body: body, bornAt: answer.bornAt, freshUntil: answer.freshUntil, hits: hits,
            digest: digest,
            conditions: ReadyConditions(
                notModified: notModified, tag: tag, isTagWeak: etag?.isWeak ?? false,
                lastModified: lastModified?.seconds,
                lastModifiedText: lastModified == nil ? [] : Bytes(text: lastModifiedText),
                partialFields: start..<end))
    }
}
