// Answers name pictures on hosts that a test must not call. This type rewrites their URLs to the stand-in. The path and
// its last segment stay, because clients choose sizes by rewriting that segment.
import LarderCore
import LarderProviders

enum ImageHostRewriting {
    /// Returns the body with the URL of every picture on this origin. A body that is not JSON is returned unchanged.
    static func rewritten(_ body: Bytes, origin: String) -> Bytes {
        guard let root = try? JSON.parse(body) else { return body }
        var places: [(range: Range<Int>, url: String)] = []
        collect(root, origin, &places)
        var out = Bytes()
        out.reserveCapacity(body.count)
        var start = 0
        for place in places {
            out += body[start..<place.range.lowerBound]
            var writer = JSONWriter()
            writer.string(place.url)
            out += writer.bytes
            start = place.range.upperBound
        }
        return out + body[start...]
    }

    private static func collect(
        _ value: JSONValue, _ origin: String, _ places: inout [(range: Range<Int>, url: String)]
    ) {
        for element in value.elements { collect(element, origin, &places) }
        for member in value.members {
            if let text = member.value.string, isPicture(member.name, text), let path = path(text) {
                places.append((member.value.range, "\(origin)/artwork\(path)"))
            } else {
                collect(member.value, origin, &places)
            }
        }
    }

    private static func isPicture(_ name: String, _ text: String) -> Bool {
        SampleAPIs.all.contains { $0.isPicture(member: name, text) }
    }

    /// Turns the host and path of an absolute URL into a path. The query is dropped, because some queries are
    /// signatures for the host.
    private static func path(_ text: String) -> String? {
        for prefix in ["https://", "http://", "//"] where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count).prefix { $0 != "?" && $0 != "#" }
            return "/" + PercentCoding.encode(String(rest), keeping: "/%")
        }
        return nil
    }
}
