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

    let list: HackerNewsList
    /// The index of the first requested id in the list, and the number of ids.
    let start: Int
    let limit: Int
    let sort: SortOrder
    private var stage = Stage.begin

    init(list: HackerNewsList, start: Int, limit: Int, sort: SortOrder) {
        self.list = list
        self.start = start
        self.limit = limit
        self.sort = sort
    }

    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep {
        switch stage {
        case .begin:
            stage = .ids
            return .fetch([PlannedCall(list.rawValue, list.request, role: .subject)])
        case .ids:
            guard let root = try brought.first?.response.map(HackerNewsResults.root), root.kind == .array else {
                throw NormaliseError(provider: HackerNews.facts.name, message: "The answer is not a list of ids.")
            }
            let wanted = Array(root.elements.dropFirst(start).prefix(limit))
            let ids = wanted.compactMap(\.integer)
            stage = .items(total: root.count, unreadable: wanted.count - ids.count)
            if ids.isEmpty { return try next([], signer) }
            return .fetch(ids.map { PlannedCall("item", HackerNews.itemRequest($0), role: .part) })
        case .items(let total, let unreadable):
            var results = ResultList(provider: HackerNews.facts.name, signer: nil, capacity: brought.count * 600)
            for _ in 0..<unreadable { results.drop(.id) }
            for outcome in brought {
                switch outcome {
                case .absent: results.drop(.null)
                case .failed: break
                case .answered(let response):
                    do throws(HackerNewsPost.NoResult) {
                        let post = HackerNewsPost(item: HackerNewsResults.value(response))
                        results.add(try post.result(), from: post.source)
                    } catch {
                        results.drop(error.reason)
                    }
                }
            }
            return .done(results.answer(sort: sort, language: "en", total: total))
        }
    }
}

/// An item and its comments, level by level. Each level is complete before the next one begins, so a limit on the
/// number of comments cuts off the deep levels and not the later half of the discussion.
struct HackerNewsThreadPlan: CallPlan {
    private struct Node {
        var post: HackerNewsPost?
        /// The level below the requested item.
        var depth: Int
        var children: [Int] = []
        /// Why the item gives no result; nil if its call failed, because the daemon counts failed calls.
        var dropped: DropReason?
    }

    let id: Int
    let depth: Int
    /// The greatest number of comments in all.
    let limit: Int
    private var nodes: [Node] = []
    /// The nodes whose items the next outcomes hold.
    private var awaited: Range<Int> = 0..<0

    init(id: Int, depth: Int, limit: Int) {
        self.id = id
        self.depth = depth
        self.limit = limit
    }

    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep {
        guard !nodes.isEmpty else {
            nodes = [Node(depth: 0)]
            awaited = 0..<1
            return .fetch([PlannedCall("item", HackerNews.itemRequest(id), role: .subject)])
        }
        for (place, outcome) in zip(awaited, brought) { read(outcome, into: place) }
        let wanted = children()
        if wanted.isEmpty { return .done(try answer()) }
        return .fetch(wanted.map { PlannedCall("item", HackerNews.itemRequest($0), role: .part) })
    }

    private mutating func read(_ outcome: CallOutcome, into place: Int) {
        switch outcome {
        case .failed: break
        case .absent: nodes[place].dropped = .null
        case .answered(let response):
            nodes[place].post = HackerNewsPost(item: HackerNewsResults.value(response))
        }
    }

    /// Adds the nodes of the next level. Returns the ids of their items.
    private mutating func children() -> [Int] {
        var wanted: [Int] = []
        let begin = nodes.count
        for place in awaited where nodes[place].depth < depth {
            guard let post = nodes[place].post else { continue }
            // The options of a poll come before its comments.
            for child in post.parts + post.kids where nodes.count - 1 < limit {
                nodes[place].children.append(nodes.count)
                nodes.append(Node(depth: nodes[place].depth + 1))
                wanted.append(child)
            }
        }
        awaited = begin..<nodes.count
        return wanted
    }

    private func answer() throws(NormaliseError) -> NormalisedAnswer {
        var results = ResultList(provider: HackerNews.facts.name, signer: nil, capacity: nodes.count * 600)
        guard let root = nodes[0].post else {
            throw NormaliseError(provider: HackerNews.facts.name, message: "The item cannot be read.")
        }
        add(0, of: root, to: &results)
        return results.answer(sort: .relevance, language: nil, total: root.comments.map { $0 + 1 })
    }

    /// Adds a post and then everything below it, in reading order. The depth of the recursion is limited by `depth`.
    private func add(_ place: Int, of root: HackerNewsPost, to results: inout ResultList) {
        let node = nodes[place]
        if let post = node.post {
            do throws(HackerNewsPost.NoResult) {
                var result = try post.result(of: place == 0 ? nil : root)
                if place > 0 { result.attribute("depth", number: String(node.depth)) }
                results.add(result, from: post.source)
            } catch {
                results.drop(error.reason)
            }
        } else if let reason = node.dropped {
            results.drop(reason)
        }
        // The replies to a deleted comment still exist.
        for child in node.children { add(child, of: root, to: &results) }
    }
}
