// Checks the content of an answer before it is stored: against the digest that the answer itself gives (RFC 9530), and
// for a GraphQL query that the answer holds no errors. The client gets the answer in either case, and can check it
// itself.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings

/// Looks at the content of one answer as it comes.
struct ContentCheck {
    private let promised: DigestFields?
    private var digest: RunningDigest?
    private var answer: GraphQLAnswer?
    private var inflater: ContentInflater?
    /// The content is in a coding that cannot be undone.
    private var isUnreadable = false

    /// - Parameter kind: what the configuration says of the request; nil where it says nothing.
    init(_ head: UpstreamHead, _ kind: ReadOnlyPost.Kind?) {
        promised =
            switch head.status {
            case 200: DigestFields(head.fields)
            case 206: DigestFields(ofPart: head.fields)
            default: nil
            }
        if promised != nil { digest = RunningDigest() }
        guard kind == .graphql else { return }
        answer = GraphQLAnswer()
        guard let coding = head.fields.combined("Content-Encoding"),
            FieldList.names([coding]).contains(where: { $0 != "identity" })
        else { return }
        inflater = ContentInflater(coding: coding)
        isUnreadable = inflater == nil
    }

    /// Whether there is anything to look at.
    var isNeeded: Bool { digest != nil || answer != nil }

    /// Takes the next bytes, as they came.
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

    /// Why content that has come whole is not stored; nil where nothing is wrong.
    var fault: CacheRule? {
        if let promised, let digest, !promised.agree(with: digest.digest) { return .digestMismatch }
        guard let answer else { return nil }
        return isUnreadable || inflater?.isWhole == false || !answer.isGood ? .graphQLErrors : nil
    }
}

extension PassFetch {
    /// A check of an answer's content, before any of it has come.
    func check(_ head: UpstreamHead) -> ContentCheck { ContentCheck(head, request.content?.declared?.kind) }

    /// Why whole content is not stored; nil where nothing is wrong.
    func fault(_ head: UpstreamHead, _ content: Bytes) -> CacheRule? {
        var check = check(head)
        guard check.isNeeded else { return nil }
        check.add(content)
        return check.fault
    }

    /// Content is not stored though its head allowed it. An answer with errors takes the place of nothing.
    func notKept(
        _ entry: StoredResponse, _ fault: CacheRule, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        guard fault != .graphQLErrors else { return }
        await hideOlder(than: entry, found, began, place)
    }
}
