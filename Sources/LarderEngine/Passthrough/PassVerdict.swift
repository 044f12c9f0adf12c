// Why a response of a pass-through upstream is stored or not, in the order of the questions. `/v1/explain` tells the
// rule.
// 1. The head (`verdict`): the client's `no-store`, RFC 9111 §3 or the configured lifetimes, an error over a stored
//    answer, the announced length. Of a part, `rule` says which condition failed.
// 2. The whole content (`fault`): its digest, and the errors of a GraphQL answer.
// 3. What happened since the call (`keep`): a removal (`EntryCache.isCurrent`), a newer response (`AnswerPlace`).
// 4. The store: room, `cache.maxObject` for a body of unknown length, and its commit (`Written`).
import LarderCache
import LarderCore
import LarderSettings

/// Whether a response is stored, and why.
enum PassVerdict: Sendable {
    /// - Parameter fields: the fields to store.
    case store(Lifetimes, CacheRule, fields: HeaderFields)
    case refuse(CacheRule)

    var isStored: Bool { if case .store = self { true } else { false } }

    var rule: CacheRule {
        switch self {
        case .store(_, let rule, _), .refuse(let rule): rule
        }
    }
}

extension PassRequest {
    /// Whether a 304 or a HEAD response must not update the stored response. A response to a request with credentials
    /// may describe what only that client may see (RFC 9111 §3.5). No part of the response to a request with `no-store`
    /// is stored (§5.2.1.5).
    /// - Parameter news: the stored response after the update.
    func tellsItsClientAlone(_ news: StoredResponse) -> Bool {
        isPersonal && !judge.isForAll(news) || directives.noStore
    }
}

extension PassFetch {
    /// Whether a response with this head is stored, and by which rule.
    func verdict(
        _ head: UpstreamHead, _ classification: Classification, _ old: StoredResponse?
    ) -> PassVerdict {
        let verdict = storing(head, classification)
        guard verdict.isStored else { return verdict }
        // An error never replaces a response that can stand in for it.
        if head.status >= 500, let old, old.status < 500 { return .refuse(.errorOverAnswer) }
        if let length = head.length, length > settings.cache.maxObject { return .refuse(.objectTooLarge) }
        return verdict
    }

    /// The part of the verdict that the request's and the response's own directives decide.
    func storing(_ head: UpstreamHead, _ classification: Classification) -> PassVerdict {
        if !isRefresh, request.directives.noStore { return .refuse(.requestNoStore) }
        switch rule.semantics {
        case .rfc:
            let verdict = RFCStorage.decide(
                method: .get, requestFields: request.forwarded, head: head, rule: rule, targets: request.targets)
            if case .store(let lifetimes) = verdict.decision {
                return .store(lifetimes, verdict.rule, fields: verdict.fields)
            }
            return .refuse(verdict.rule)
        case .ttl:
            let response = UpstreamResponse(
                status: head.status, fields: head.fields, requestTime: head.requestTime,
                responseTime: head.responseTime)
            let decision = StorePolicy.decide(
                request: UpstreamRequest(path: request.path, query: request.query), requestFields: request.fields,
                response: response, classification: classification, rule: rule, key: request.primary)
            if case .store(let lifetimes) = decision {
                let fields = RFCStorage.storedFields(of: head, targets: request.targets)
                return .store(lifetimes, .configuredTTL, fields: fields)
            }
            return .refuse(.configuredTTL)
        }
    }

    /// Why a response is not stored. For a part, the rule says more than that it is a part.
    func rule(of verdict: PassVerdict, _ head: UpstreamHead, _ found: EntryCache.Found) -> CacheRule {
        guard verdict.rule == .partialContent, let part = found.part else { return verdict.rule }
        switch PartRequest.judge(head, asked: part.spec, known: part.stored?.content) {
        case .failure(let refusal): return refusal.rule
        case .success:
            if part.stored == nil, part.ifRange != nil { return .partCondition }
            let verdict = storing(PartRequest.wholeHead(head), .data)
            return verdict.isStored ? .partialContent : verdict.rule
        }
    }

    /// Why the complete content must not be stored. Nil if nothing is wrong.
    func fault(_ head: UpstreamHead, _ content: Bytes) -> CacheRule? {
        var check = check(head)
        guard check.isNeeded else { return nil }
        check.add(content)
        return check.fault
    }
}
