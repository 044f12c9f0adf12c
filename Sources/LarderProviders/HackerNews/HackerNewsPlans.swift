// The plans of Hacker News: they turn a list of ids, or the ids below an item, into results. Each item needs one call,
// so both plans limit the number of items.
import LarderCore

/// A range of a list and the items that it names.
struct HackerNewsListPlan: CallPlan {
    private enum Stage {
        case begin
        case ids
        /// The items are being fetched. Holds the length of the whole list and the number of invalid ids.
        case items(total: Int, unreadable: Int)
    }

    private let provider: String
    private let list: String
    private let request: UpstreamRequest
    /// The index of the first requested id in the list, and the number of ids.
    private let start: Int
    private let limit: Int
    private let sort: SortOrder
    private var stage = Stage.begin

    init(_ asked: AskedQuestion, _ request: UpstreamRequest) {
        (provider, self.request, sort) = (asked.provider, request, asked.sort)
        list = asked.values["list"] ?? ""
        limit = asked.number("limit")
        start = (asked.number("page") - 1) * limit
    }

    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep {
        switch stage {
        case .begin:
            stage = .ids
            return .fetch([PlannedCall(list, request, role: .subject)])
        case .ids:
            let root = try brought.first?.response.map { response throws(NormaliseError) in
                try AnswerSpec.read(response, of: provider)
            }
            guard let root, root.kind == .array else {
                throw NormaliseError(provider: provider, message: "The answer is not a list of ids.")
            }
            let wanted = Array(root.elements.dropFirst(start).prefix(limit))
            let ids = wanted.compactMap(\.integer)
            stage = .items(total: root.count, unreadable: wanted.count - ids.count)
            if ids.isEmpty { return try next([], signer) }
            return .fetch(ids.map { HackerNewsItem.call($0, role: .part) })
        case .items(let total, let unreadable):
            var results = ResultList(provider: provider, signer: nil, capacity: brought.count * 600)
            for _ in 0..<unreadable { results.drop(.id) }
            for outcome in brought { HackerNewsItem(outcome).add(to: &results, of: provider) { _ in } }
            return .done(results.answer(sort: sort, language: nil, total: total))
        }
    }
}

/// An item and its comments, level by level. Each level is complete before the next one begins, so a limit on the
/// number of comments cuts off the deep levels and not the later half of the discussion.
struct HackerNewsThreadPlan: CallPlan {
    private struct Node {
        var item = HackerNewsItem.failed
        /// The level below the requested item.
        var depth: Int
        var children: [Int] = []
    }

    private let provider: String
    private let id: Int
    private let depth: Int
    /// The greatest number of comments in all.
    private let limit: Int
    private var nodes: [Node] = []
    /// The nodes whose items the next outcomes hold.
    private var awaited: Range<Int> = 0..<0

    init(_ asked: AskedQuestion) {
        (provider, id, depth) = (asked.provider, asked.number("id"), asked.number("depth"))
        limit = asked.number("limit")
    }

    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep {
        guard !nodes.isEmpty else {
            nodes = [Node(depth: 0)]
            awaited = 0..<1
            return .fetch([HackerNewsItem.call(id, role: .subject)])
        }
        for (place, outcome) in zip(awaited, brought) { nodes[place].item = HackerNewsItem(outcome) }
        let wanted = children()
        if wanted.isEmpty { return .done(try answer()) }
        return .fetch(wanted.map { HackerNewsItem.call($0, role: .part) })
    }

    /// Adds the nodes of the next level. Returns the ids of their items.
    private mutating func children() -> [Int] {
        var wanted: [Int] = []
        let begin = nodes.count
        for place in awaited where nodes[place].depth < depth {
            for child in nodes[place].item.children where nodes.count - 1 < limit {
                nodes[place].children.append(nodes.count)
                nodes.append(Node(depth: nodes[place].depth + 1))
                wanted.append(child)
            }
        }
        awaited = begin..<nodes.count
        return wanted
    }

    private func answer() throws(NormaliseError) -> NormalisedAnswer {
        var results = ResultList(provider: provider, signer: nil, capacity: nodes.count * 600)
        guard case .record(let root) = nodes[0].item else {
            throw NormaliseError(provider: provider, message: "The item cannot be read.")
        }
        add(0, of: root, to: &results)
        return results.answer(
            sort: .relevance, language: nil, total: root?["descendants"]?.integer.map { $0 + 1 })
    }

    /// Adds a post and then everything below it, in reading order. The depth of the recursion is limited by `depth`.
    private func add(_ place: Int, of root: JSONValue?, to results: inout ResultList) {
        let node = nodes[place]
        node.item.add(to: &results, of: provider) { result in
            guard place > 0 else { return }
            if result.kind == "comment" || result.kind == "pollOption" {
                result.collection = TextCleaning.htmlLine(root?["title"]?.string)
            }
            result.attribute("depth", number: String(node.depth))
        }
        // The replies to a deleted comment still exist.
        for child in node.children { add(child, of: root, to: &results) }
    }
}

/// What a call for an item brought. The daemon counts failed calls.
private enum HackerNewsItem {
    case failed, absent
    /// Nil if the answer is no record.
    case record(JSONValue?)

    init(_ outcome: CallOutcome) {
        switch outcome {
        case .failed: self = .failed
        case .absent: self = .absent
        case .answered(let response):
            let root = try? JSON.parse(response.body)
            self = .record(root?.kind == .object ? root : nil)
        }
    }

    static func call(_ id: Int, role: PlannedCall.Role) -> PlannedCall {
        PlannedCall("item", UpstreamRequest(path: "/v0/item/\(id).json"), role: role)
    }

    /// The ids of what is below the item. The options of a poll come before its comments.
    var children: [Int] {
        guard case .record(let record?) = self else { return [] }
        return ["parts", "kids"].flatMap { record[$0]?.elements.compactMap(\.integer) ?? [] }
    }

    /// Adds the result, changed by what the plan knows, or counts why there is none.
    func add(to results: inout ResultList, of provider: String, _ change: (inout ResultItem) -> Void) {
        switch self {
        case .failed: break
        case .absent: results.drop(.null)
        case .record(nil): results.drop(.id)
        case .record(let source?):
            let record = SpecRecord(source)
            guard let shape = HackerNewsPost.shapes.first(where: { $0.condition.holds(for: record) }) else {
                return results.drop(.type)
            }
            do throws(NoResult) {
                var result = try shape.result.result(of: record, as: shape.kind(of: record), of: provider, nil)
                change(&result)
                results.add(result, from: source)
            } catch {
                results.drop(error.reason)
            }
        }
    }
}
