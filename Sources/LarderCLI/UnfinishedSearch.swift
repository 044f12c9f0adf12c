// Makes the envelope of an ended search from that of a running one, for a client whose time is over. It is a pure
// function. The result has a single state for scripts, and no link to the cancelled search.
import LarderCore

enum UnfinishedSearch {
    /// What has arrived, in the form of the answer of an ended search. The state is `partial`, and each source that has
    /// not answered is `failed` with the class `timedOut`. `id` and `events` are left out: the search no longer exists.
    static func ended(_ envelope: JSONValue, after limit: Duration) -> Bytes {
        var writer = JSONWriter(reserving: envelope.range.count + 256)
        writer.object { writer in
            for member in envelope.members {
                switch member.name {
                case "id", "events": break
                case "state": writer.member("state", "partial")
                case "sources":
                    writer.name("sources")
                    writer.array { writer in
                        for source in member.value.elements { append(source, after: limit, to: &writer) }
                    }
                default: writer.member(member.name, raw: member.value.raw)
                }
            }
        }
        return writer.bytes
    }

    private static func append(_ source: JSONValue, after limit: Duration, to writer: inout JSONWriter) {
        guard source["state"]?.string == "loading", let provider = source["provider"]?.string else {
            writer.raw(source.raw)
            return
        }
        writer.object { writer in
            writer.member("provider", provider)
            writer.member("state", "failed")
            writer.member("count", 0)
            writer.member("stale", false)
            writer.name("error")
            writer.object { writer in
                writer.member("class", FailureClass.timedOut.rawValue)
                writer.member("detail", "\(provider) did not answer within \(Units.format(duration: limit)).")
                writer.member("retryable", true)
            }
        }
    }
}
