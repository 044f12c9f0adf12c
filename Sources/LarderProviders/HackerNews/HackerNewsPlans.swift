// What a list of ids or the ids below an item become: the plans of Hacker News' answers. An item is one call, so both are
// bounded by how many items may be asked for.
import LarderCore

/// A piece of a list and the items it names.
struct HackerNewsListPlan: CallPlan {
    private enum Stage {
        case begin
        case ids
        /// With the length of the whole list, and the ids that were no numbers.
        case items(total: Int, unreadable: Int)
    }

    let list: HackerNewsList
    /// The first of the list's ids that is wanted, counted from 0, and how many.
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
                throw NormaliseError(provider: HackerNews.facts.name, message: "The answer is no list of ids.")
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

/// An item, then its comments level by level: the first levels whole before a deeper one is begun, so that a bound on
/// their number cuts off the depths and not the later half of the discussion.
struct HackerNewsThreadPlan: CallPlan {
    private struct Node {
        var post: HackerNewsPost?
        /// Levels below the item that was asked for.
        var depth: Int
        var children: [Int] = []
        /// Why there is nothing to show of it; nil where it failed, which is not the plan's to tell.
        var dropped: DropReason?
    }

    let id: Int
    let depth: Int
    /// Comments in all.
    let limit: Int
    private var nodes: [Node] = []
    /// Those whose answers come next.
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

    /// Makes places for the next level and says whose they are.
    private mutating func children() -> [Int] {
        var wanted: [Int] = []
        let begin = nodes.count
        for place in awaited where nodes[place].depth < depth {
            guard let post = nodes[place].post else { continue }
            // The answers of a poll come before what is said about it.
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

    /// A post and then everything below it, as a discussion is read. The depth is bounded, so is the recursion.
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
        // What was said below a deleted comment is still there.
        for child in node.children { add(child, of: root, to: &results) }
    }
}
