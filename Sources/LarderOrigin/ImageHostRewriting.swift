// Answers name pictures on hosts that a test must not call: their URLs can be led to the stand-in, path and last
// segment kept, so that sizes are still chosen by rewriting that segment.
import LarderCore
import LarderProviders

enum ImageHostRewriting {
    /// The body with every picture's URL on this origin; a body that is no JSON stays as it is.
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

    /// Host and path of an absolute URL as a path; queries go, since some are signatures of the host.
    private static func path(_ text: String) -> String? {
        for prefix in ["https://", "http://", "//"] where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count).prefix { $0 != "?" && $0 != "#" }
            return "/" + PercentCoding.encode(String(rest), keeping: "/%")
        }
        return nil
    }
}
