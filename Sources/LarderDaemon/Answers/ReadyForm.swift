// The ready form of an answer: the bytes that the fast path writes, made once. Its fields must match what `respond`
// sends for the same request. Fields that differ from the answer's own therefore come from here for both.
import LarderCache
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

/// What the ready form of an answer is made from. It holds neither the answer's body nor the room of it.
struct ReadyForm: Sendable {
    private let fields: HeaderFields
    private let reason: String?
    private let bornAt: WallTime
    private let freshUntil: WallTime
    private let isOurs: Bool
    private let digest: Digest
    private let mount: ReadyMount
    private let now: WallTime
    private let hits: CounterCell

    /// - Parameters:
    ///   - digest: the digest of the entry's key.
    ///   - mount: what the way in adds to the fields.
    init(_ answer: Answer, digest: Digest, mount: ReadyMount, now: WallTime, hits: CounterCell) {
        (fields, reason, bornAt, freshUntil) = (answer.fields, answer.reason, answer.bornAt, answer.freshUntil)
        (isOurs, self.digest, self.mount, self.now, self.hits) = (answer.isOurs, digest, mount, now, hits)
    }

    /// The forms, for memory to make at the first hit.
    /// - Parameters:
    ///   - kept: the bytes of the texts that `made` keeps.
    ///   - made: called before each making. Two loops may both make them.
    func late(keeping kept: Int, _ made: @escaping @Sendable () -> Void) -> LateForms {
        LateForms(byteCount: 2 * fields.wireSize + 320 + kept) { body in
            made()
            return response(body)
        }
    }

    /// The response without any form.
    func bare(_ body: Bytes) -> ReadyResponse {
        ReadyResponse(head: [], body: body, bornAt: bornAt, freshUntil: freshUntil, hits: hits, digest: digest)
    }

    /// The response with all its forms.
    func response(_ body: Bytes) -> ReadyResponse {
        var base = self.fields
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
            ResponseHead(status: 200, reason: reason, fields: fields), length: nil, to: &head)
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
        let lastModifiedText = base.first(.lastModified) ?? (isOurs ? nil : base.first(.date)) ?? ""
        let lastModified = HTTPDate.parse(lastModifiedText, now: now)
        return ReadyResponse(
            head: head, body: body, bornAt: bornAt, freshUntil: freshUntil, hits: hits, digest: digest,
            conditions: ReadyConditions(
                notModified: notModified, tag: tag, isTagWeak: etag?.isWeak ?? false,
                lastModified: lastModified?.seconds,
                lastModifiedText: lastModified == nil ? [] : Bytes(text: lastModifiedText),
                partialFields: start..<end))
    }
}
