// Converts single responses of Hacker News: the hits of a search, and users. The plans read items one by one.
import LarderCore

enum HackerNewsResults {
    private static let provider = HackerNews.facts.name

    static func hits(
        _ response: UpstreamResponse, filters: [HackerNewsFilter], start: Int, limit: Int, sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response)
        guard let hits = root["hits"], hits.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of hits.")
        }
        var list = ResultList(provider: provider, signer: nil, capacity: response.body.count * 2)
        var passed = 0
        for hit in hits.elements {
            let post = HackerNewsPost(hit: hit)
            guard filters.allSatisfy({ $0.passes($0.field == .points ? post.points : post.comments) }) else {
                list.leaveOut()
                continue
            }
            passed += 1
            guard passed > start, passed <= start + limit else {
                list.leaveOut()
                continue
            }
            do throws(HackerNewsPost.NoResult) {
                list.add(try post.result(), from: post.source)
            } catch {
                list.drop(error.reason)
            }
        }
        // With Larder's own filters, the number of matches beyond the examined hits is unknown.
        return list.answer(sort: sort, language: "en", total: filters.isEmpty ? root["nbHits"]?.integer : nil)
    }

    static func user(_ response: UpstreamResponse) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response)
        guard let name = TextCleaning.line(root["id"]?.string) else {
            throw NormaliseError(provider: provider, message: "The user has no id.")
        }
        var list = ResultList(provider: provider, signer: nil, capacity: 2048)
        var result = ResultItem(id: "\(provider):user:\(name)", kind: "user", title: name)
        let about = TextCleaning.linkedParagraphs(root["about"]?.string)
        result.summary = about.text
        result.url = HackerNewsPost.page("user?id=\(PercentCoding.encode(name))")
        if let time = root["created"]?.integer, (0..<253_402_300_800).contains(time) {
            result.setPublished(WallTime(seconds: Int64(time)).rfc3339)
        }
        result.attribute("karma", number: root["karma"]?.integer.map(String.init))
        // A user may have tens of thousands of submissions, so only their number is shown.
        result.attribute("submissions", number: root["submitted"].map { String($0.count) })
        result.attribute("links", texts: about.links)
        list.add(result, from: root)
        return list.answer(sort: .relevance, language: nil)
    }

    static func root(_ response: UpstreamResponse) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(response.body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(response.body, error))
        }
    }

    /// The JSON value of a response; nil if its body is not JSON.
    static func value(_ response: UpstreamResponse) -> JSONValue? { try? JSON.parse(response.body) }
}
