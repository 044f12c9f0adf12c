// What a tool gives a model: one sentence that tells results, no results, a partial answer, a stale one and a failure
// apart, and the results as JSON. Results are left out whole, from the end, until the answer fits into its bytes.
import LarderCore

/// The result of a tool.
struct MCPResult: Sendable {
    /// In plain words, for the model.
    var words: String
    /// The data behind the words: JSON, or text.
    var data: Bytes = []
    var isError = false

    static func failed(_ words: String) -> MCPResult { MCPResult(words: words, isError: true) }

    /// A failure of a route.
    init(_ error: ClientFacingError) {
        words =
            error.status < 500 && error.status != 429
            ? "The question was refused: \(error.detail)" : "Failed, which does not mean no results: \(error.detail)"
        if !error.allowed.isEmpty {
            words += " Allowed: \(error.allowed.prefix(60).joined(separator: ", "))."
        }
        if error.retryable == true {
            words += error.retryAfter.map { " Try again in \($0) s." } ?? " A retry may help."
        } else if error.retryable == false {
            words += " A retry does not help."
        }
        isError = true
    }

    init(words: String, data: Bytes = [], isError: Bool = false) {
        (self.words, self.data, self.isError) = (words, data, isError)
    }

    func write(to writer: inout JSONWriter) {
        writer.name("content")
        writer.array { writer in
            for text in data.isEmpty ? [words] : [words, data.lossyText] {
                writer.object { writer in
                    writer.member("type", "text")
                    writer.member("text", text)
                }
            }
        }
        writer.member("isError", isError)
    }
}

extension MCPResult {
    /// The envelope of a search, with as many results as fit.
    /// - Parameter isStored: whether only stored results were searched.
    init(envelope: JSONValue, isStored: Bool, atMost limit: Int) {
        let results = envelope["results"].map { Array($0.elements) } ?? []
        let shown = MCPTrim.whole(results, atMost: limit)
        words =
            isStored ? Self.words(stored: envelope, count: results.count) : Self.words(envelope, count: results.count)
        if shown.left > 0 {
            words +=
                " \(results.count - shown.left) of \(results.count) results are shown, so that the answer stays within"
                + " \(limit) bytes: ask for fewer members with \"fields\", or raise \"maxBytes\"."
        }
        data = shown.array
    }

    private static func words(stored envelope: JSONValue, count: Int) -> String {
        let total = envelope["total"]?.integer ?? count
        guard total > 0 else { return "Nothing stored has these words. No API was asked." }
        return "\(count) of \(total) stored result\(total == 1 ? "" : "s"). No API was asked."
    }

    /// What the answer is, in words.
    private static func words(_ envelope: JSONValue, count: Int) -> String {
        let sources = envelope["sources"].map { Array($0.elements) } ?? []
        func names(_ isWanted: (JSONValue) -> Bool) -> String {
            sources.filter(isWanted).compactMap { $0["provider"]?.string }.joined(separator: ", ")
        }
        let found = names { ($0["count"]?.integer ?? 0) > 0 }
        let from = found.isEmpty ? "" : " from \(found)"
        var words: [String] =
            switch envelope["state"]?.string ?? "" {
            case "partial": ["Partial: \(count) result\(count == 1 ? "" : "s")\(from), and something is missing."]
            case "noResults": ["No results: every source that was asked answered, and found nothing."]
            case "allDropped": ["No results: everything that was found had been deleted, or is no post."]
            default: ["\(count) result\(count == 1 ? "" : "s")\(from)."]
            }
        for source in sources {
            let name = source["provider"]?.string ?? ""
            if source["stale"]?.bool == true {
                words.append(
                    "The results of \(name) are stale: they were fetched at \(source["fetchedAt"]?.string ?? "")"
                        + " and may be out of date.")
            }
            if source["local"]?.bool == true {
                words.append("The results of \(name) come from answers to other questions, because it is down.")
            }
            if let missing = source["missing"]?.integer { words.append("\(missing) results of \(name) are missing.") }
            guard let error = source["error"], !error.isNull, let detail = error["detail"]?.string else { continue }
            let isEmpty = source["state"]?.string == "failed"
            words.append(isEmpty ? "\(name) failed, which does not mean no results: \(detail)" : "\(name): \(detail)")
        }
        return words.joined(separator: " ")
    }
}

/// Cuts data to a number of bytes.
enum MCPTrim {
    /// The first items, whole, as a JSON array; and how many are left out.
    static func whole(_ items: [JSONValue], atMost limit: Int) -> (array: Bytes, left: Int) {
        var (out, shown) = (Bytes(text: "["), 0)
        for item in items {
            let raw = item.raw
            guard out.count + raw.count + 2 <= limit else { break }
            if shown > 0 { out.append(UInt8(ascii: ",")) }
            out += raw
            shown += 1
        }
        out.append(UInt8(ascii: "]"))
        return (out, items.count - shown)
    }

    /// The beginning of a text, cut between two characters.
    static func text(_ bytes: Bytes, atMost limit: Int) -> Bytes {
        guard bytes.count > limit else { return bytes }
        var end = limit
        // A byte 10xxxxxx continues a character (RFC 3629 §3).
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Bytes(bytes[..<end])
    }
}
