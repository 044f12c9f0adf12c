// A random answer as data: how it is kept in a pool, how the pool is refilled, and how a refill's answer is cut into single
// ones. A request with a parameter that the question does not send is personal to one client and uses no pool.
import LarderCore

struct PoolSpec: Sendable {
    /// The path of the request that fetches more, if it is another one.
    var refill: String?
    /// The number of records that it brings.
    var perCall = 1
    /// What stands before and behind a record in an answer with that record alone.
    var wrapping = (before: "", behind: "")
    var least = 4
    var most = 40
    var pause: Duration = .seconds(10)
}

extension QuestionSpec {
    func constancy(of request: UpstreamRequest) -> Constancy {
        guard let pool else { return .constant }
        let shared = asked.filter(\.sending.isSent).map { $0.sending.name ?? $0.name }
        let items = (try? QueryParameters(parsing: request.query ?? ""))?.items
        guard path.values(in: request.path) != nil, let items, items.allSatisfy({ shared.contains($0.name) }) else {
            return .fleeting
        }
        var refill = request
        if let path = pool.refill { refill.path = path }
        let answer = answer
        return .pooled(
            PoolTerms(
                refill: refill, perCall: pool.perCall, least: pool.least, most: pool.most, pause: pool.pause
            ) { response in answer.pooled(response, pool) })
    }
}

extension AnswerSpec {
    /// Each whole record of a refill as an answer of its own.
    fileprivate func pooled(_ response: UpstreamResponse, _ pool: PoolSpec) -> [PooledAnswer] {
        guard let root = try? JSON.parse(response.body) else { return [] }
        return (allRecords(in: root) ?? []).filter(isWhole).compactMap { record in
            result.id.text(of: record).map { id in
                let (before, behind) = (Bytes(text: pool.wrapping.before), Bytes(text: pool.wrapping.behind))
                return PooledAnswer(id: id, body: before + record.raw + behind)
            }
        }
    }

    /// Whether an answer of the pool is one that Larder chooses for these values.
    func fits(_ asked: AskedQuestion) -> @Sendable (Bytes) -> Bool {
        { body in
            guard let root = try? JSON.parse(body) else { return true }
            return allRecords(in: root)?.allSatisfy { record in
                choices.allSatisfy { $0.holds(for: record, asked.values[$0.parameter]) }
            } ?? true
        }
    }
}
