// The envelope of `/v1/local`. Its results have one more member, `local`, which says when the result was stored,
// whether it is stale, and where it matched. Pure.
import LarderCore
import LarderProviders
import LarderStore

/// Renders the JSON of a search of stored results.
public enum LocalAnswer {
    /// Returns the whole answer.
    public static func render(_ question: LocalQuestion, _ answer: FullTextAnswer, now: WallTime) -> Bytes {
        let results = results(answer.matches, now: now)
        var writer = JSONWriter(reserving: answer.matches.reduce(1024) { $0 + $1.json.count + 256 })
        writer.object { writer in
            writer.member("state", answer.matches.isEmpty ? "noResults" : "results")
            writer.member("query", raw: question.canonical)
            writer.name("sources")
            writer.array { writer in
                for (provider, matches) in bySource(answer.matches) {
                    writer.object { writer in
                        writer.member("provider", provider)
                        writer.member("state", "results")
                        writer.member("count", matches.count)
                        writer.member("stale", matches.contains { $0.freshUntil <= now })
                        writer.member("local", true)
                        writer.name("error")
                        writer.null()
                    }
                }
            }
            writer.member("count", answer.matches.count)
            writer.member("total", answer.total)
            if answer.isCapped { writer.member("capped", true) }
            writer.member("results", raw: (try? question.shape.applied(to: results)) ?? results)
        }
        return writer.bytes
    }

    /// Returns a JSON array of results, each with its `local` member.
    static func results(_ matches: [FullTextMatch], now: WallTime) -> Bytes {
        var out: Bytes = [0x5B]
        for (number, match) in matches.enumerated() {
            if number > 0 { out.append(0x2C) }
            // A result has an id, so it is never an empty object.
            out.append(contentsOf: withoutSource(match.json).dropLast())
            out.append(contentsOf: Bytes(text: ",\"local\":"))
            out.append(contentsOf: local(match, now: now))
            out.append(0x7D)
        }
        out.append(0x5D)
        return out
    }

    /// Returns a result without the API's own record. `/v1/local` has no `include=source`.
    private static func withoutSource(_ result: Bytes) -> Bytes {
        guard result.firstRange(of: sourceMember) != nil,
            let plain = try? ResultProjection.withoutSources([0x5B] + result + [0x5D])
        else { return result }
        return Bytes(plain.dropFirst().dropLast())
    }

    private static let sourceMember = Bytes(text: "\"\(SourceRecord.name)\":")

    private static func local(_ match: FullTextMatch, now: WallTime) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("storedAt", match.storedAt.rfc3339)
            writer.member("stale", match.freshUntil <= now)
            if !match.highlights.isEmpty {
                writer.name("highlights")
                writer.object { writer in
                    for (field, pieces) in match.highlights { writer.member(field, strings: pieces) }
                }
            }
        }
        return writer.bytes
    }

    /// Groups matches by source, in order of first appearance.
    private static func bySource(_ matches: [FullTextMatch]) -> [(String, [FullTextMatch])] {
        var order: [String] = []
        let groups = Dictionary(grouping: matches, by: \.provider)
        for match in matches where !order.contains(match.provider) { order.append(match.provider) }
        return order.map { ($0, groups[$0] ?? []) }
    }
}
