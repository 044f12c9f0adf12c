// A path with placeholders for whole segments or parts of them: `/works/{id}.json`. It makes the path of a request, and
// tells whether a path is one that it makes, and from which values.
import LarderCore

struct PathTemplate: Sendable, ExpressibleByStringLiteral {
    /// One segment: the text around at most one placeholder.
    private struct Segment {
        var before: Substring
        var name: Substring?
        var after: Substring = ""
    }

    let text: String
    private let segments: [Segment]

    init(stringLiteral text: String) { self.init(text) }

    init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/").map { segment in
            guard let open = segment.firstIndex(of: "{"), let close = segment[open...].firstIndex(of: "}") else {
                return Segment(before: segment)
            }
            return Segment(
                before: segment[..<open], name: segment[segment.index(after: open)..<close],
                after: segment[segment.index(after: close)...])
        }
    }

    /// The names of the placeholders, in order.
    var names: [String] { segments.compactMap { $0.name.map(String.init) } }

    /// Whether every path of the other template is one of this.
    func takesAll(of other: PathTemplate) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { own, other in
                guard own.name != nil else { return other.name == nil && own.before == other.before }
                guard other.name != nil else {
                    return other.before.utf8.count > own.before.utf8.count + own.after.utf8.count
                        && other.before.hasPrefix(own.before) && other.before.hasSuffix(own.after)
                }
                return other.before.hasPrefix(own.before) && other.after.hasSuffix(own.after)
            }
    }

    /// The path with each placeholder's value, percent-encoded. A segment that is only a placeholder is left out if it has
    /// no value.
    func path(_ values: [String: String]) -> String {
        let path = segments.compactMap { segment -> String? in
            guard let name = segment.name else { return String(segment.before) }
            guard let value = values[String(name)] else {
                return segment.before.isEmpty && segment.after.isEmpty ? nil : String(segment.before + segment.after)
            }
            return segment.before + PercentCoding.encode(value) + segment.after
        }.joined(separator: "/")
        return text.hasPrefix("/") ? "/" + path : path
    }

    /// The text with the values as they are. It need not be a path.
    func plain(_ values: [String: String]) -> String {
        values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// The values by which the template makes this path; nil if it makes no such path.
    /// - Parameter path: the segments, decoded.
    func values(in path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            guard let name = segment.name else {
                guard segment.before == text else { return nil }
                continue
            }
            guard text.utf8.count > segment.before.utf8.count + segment.after.utf8.count,
                text.hasPrefix(segment.before), text.hasSuffix(segment.after)
            else { return nil }
            values[String(name)] = String(text.dropFirst(segment.before.count).dropLast(segment.after.count))
        }
        return values
    }

    /// The same for a path as it stands in a request.
    func values(in path: String) -> [String: String]? {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            try? PercentCoding.decode($0.utf8, plusIsSpace: false)
        }
        guard segments.allSatisfy({ $0 != nil }) else { return nil }
        return values(in: segments.compactMap { $0 })
    }
}
