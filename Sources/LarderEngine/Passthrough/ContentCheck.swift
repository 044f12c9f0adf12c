// Checks the content of a response before it is stored: against the digest that the response itself gives (RFC 9530),
// and for a GraphQL query that the response contains no errors. The client gets the response even if a check fails, and
// can check it itself.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings

/// Checks the content of one response as it arrives.
struct ContentCheck: BodyCheck {
    private var digest: DigestFields.Check?
    private var answer: GraphQLAnswer?
    private var inflater: ContentInflater?
    /// The content has a coding that cannot be decoded, or decoding failed.
    private var isUnreadable = false

    /// - Parameter kind: the kind that the configuration declares for the request. Nil if it declares none.
    init(_ head: UpstreamHead, _ kind: ReadOnlyPost.Kind?) {
        let promised: DigestFields? =
            switch head.status {
            case 206: DigestFields(ofPart: head.fields)
            // No content of its own.
            case 204, 304: nil
            // The content of an error is the representation of the error.
            default: DigestFields(head.fields)
            }
        digest = promised.map { DigestFields.Check($0) }
        guard kind == .graphql else { return }
        answer = GraphQLAnswer()
        guard let coding = head.fields.combined(.contentEncoding),
            FieldList.names([coding]).contains(where: { $0 != "identity" })
        else { return }
        inflater = ContentInflater(coding: coding)
        isUnreadable = inflater == nil
    }

    /// Whether there is anything to check.
    var isNeeded: Bool { digest != nil || answer != nil }

    /// Takes the next bytes of the content, as received.
    mutating func add(_ bytes: Bytes) {
        digest?.add(bytes)
        guard answer != nil, !isUnreadable else { return }
        guard let inflater else {
            answer?.add(bytes)
            return
        }
        inflater.feed(bytes)
        do {
            while let piece = try inflater.next() { answer?.add(piece) }
        } catch {
            isUnreadable = true
        }
    }

    /// Why the complete content must not be stored. Nil if nothing is wrong.
    var fault: CacheRule? {
        if let digest, !digest.agrees { return .digestMismatch }
        guard let answer else { return nil }
        return isUnreadable || inflater?.isWhole == false || !answer.isGood ? .graphQLErrors : nil
    }
}

extension PassFetch {
    /// Makes the check of a response's content, before any content has arrived.
    func check(_ head: UpstreamHead) -> ContentCheck { ContentCheck(head, request.content?.declared?.kind) }

    /// Handles a response whose head allowed storing and whose content failed a check. It hides older responses, except
    /// after GraphQL errors: a response with such errors replaces nothing.
    func notKept(
        _ entry: StoredResponse, _ fault: CacheRule, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        guard fault != .graphQLErrors else { return }
        await hideOlder(than: entry, found, began, place)
    }
}
