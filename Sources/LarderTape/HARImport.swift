// Reads HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/) as browsers, mitmproxy and Playwright write
// it. The text of a content is decoded already, so fields about codings and lengths are dropped. So are the pseudo
// fields of HTTP/2 (RFC 9113 §8.3), which name what the URL says. An entry that lacks what an exchange needs is left
// out and named.
import LarderCore
import LarderHTTP

/// What an archive holds.
public struct HARImport: Sendable {
    public private(set) var exchanges: [TapeExchange] = []
    /// Entries that are left out, and why.
    public private(set) var skipped: [String] = []

    /// Reads an archive.
    /// - Parameter file: its name, for messages.
    public init(_ text: Bytes, file: String) throws(TapeFault) {
        let root: JSONValue
        do {
            root = try JSON.parse(text)
        } catch {
            let line = text.prefix(error.offset).count { $0 == 0x0A } + 1
            throw TapeFault(.invalid, file, line: line, "is no JSON: \(error)")
        }
        guard let entries = root["log"]?["entries"], entries.kind == .array else {
            throw TapeFault(.invalid, file, "is no HTTP Archive: it has no log with entries")
        }
        for (index, entry) in entries.elements.enumerated() {
            do throws(TapeFault) {
                exchanges.append(try Self.exchange(entry))
            } catch {
                // The parameters may be secrets.
                let url = String((entry["request"]?["url"]?.string ?? "").prefix { $0 != "?" && $0 != "#" })
                skipped.append("entry \(index + 1), \(TapeDifference.shown(url)): \(error.message)")
            }
        }
    }

    private static func exchange(_ entry: JSONValue) throws(TapeFault) -> TapeExchange {
        guard let request = entry["request"], let answer = entry["response"] else {
            throw fault("it has no request or no response")
        }
        guard let method = request["method"]?.string, !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else {
            throw fault("it has no method")
        }
        guard let url = request["url"]?.string.flatMap(HTTPURL.init) else {
            throw fault("its URL is not http or https")
        }
        // Browsers write 0 for an exchange that was broken off.
        guard let status = answer["status"]?.integer, (200...999).contains(status) else {
            throw fault("it was not answered")
        }
        var fields = try Self.fields(request)
        let post = request["postData"]
        if !fields.contains(.contentType), let type = post?["mimeType"]?.string, !type.isEmpty, post?["text"] != nil {
            fields.add(.contentType, type)
        }
        let asked = TapeRequest(Method(method), url, fields: fields, content: try content(post, request))
        return TapeExchange(
            asked, TapeAnswer(status: status, fields: try Self.fields(answer), body: try body(answer, method)))
    }

    /// Why an entry is left out.
    private static func fault(_ message: String) -> TapeFault { TapeFault(.invalid, "", message) }

    private static func list(_ value: JSONValue?) -> [JSONValue] { value.map { Array($0.elements) } ?? [] }

    private static let dropped: FieldNameSet = ["Content-Length", "Content-Encoding", "Host"]

    private static func fields(_ message: JSONValue) throws(TapeFault) -> HeaderFields {
        var fields = HeaderFields()
        for line in list(message["headers"]) {
            guard let name = line["name"]?.string, let value = line["value"]?.string else {
                throw fault("a field has no name or no value")
            }
            // Chromium joins lines of one name by line ends. An archive has texts: those of other letters than
            // ISO 8859-1 stand for their UTF-8 bytes.
            for value in value.split(separator: "\n", omittingEmptySubsequences: false) {
                let isSingle = value.unicodeScalars.allSatisfy { $0.value < 0x100 }
                fields.add(name, isSingle ? String(value) : HeaderField.text(Bytes(text: String(value))))
            }
        }
        fields = HopByHop.endToEnd(fields.sendable)
        fields.remove(dropped)
        return fields
    }

    private static func content(_ post: JSONValue?, _ request: JSONValue) throws(TapeFault) -> Bytes {
        guard let post else {
            guard request["bodySize"]?.integer ?? 0 <= 0 else { throw fault("the content of its request is left out") }
            return []
        }
        if let text = post["text"]?.string, !text.isEmpty { return try bytes(text, post) }
        // A form may be given by its parameters only (HAR 1.2, postData).
        let pairs = list(post["params"]).map { pair in
            QueryParameters.Item(pair["name"]?.string ?? "", pair["value"]?.string ?? "")
        }
        return Bytes(text: QueryParameters(pairs).encoded)
    }

    private static func body(_ answer: JSONValue, _ method: String) throws(TapeFault) -> Bytes {
        guard let content = answer["content"] else { return [] }
        if let text = content["text"]?.string { return try bytes(text, content) }
        // Playwright and browsers leave contents out if told so, and then keep the size.
        let isWithout = method == "HEAD" || [204, 304].contains(answer["status"]?.integer)
        guard isWithout || content["size"]?.integer ?? 0 <= 0 else { throw fault("its body is left out") }
        return []
    }

    private static func bytes(_ text: String, _ place: JSONValue) throws(TapeFault) -> Bytes {
        let encoding = place["encoding"]?.string ?? place["_encoding"]?.string ?? ""
        guard encoding == "base64" else { return Bytes(text: text) }
        // The text may be broken into lines (RFC 2045 §6.8).
        var plain = Bytes()
        for byte in text.utf8 where byte > 0x20 && byte != 0x3D {
            plain.append(byte == 0x2B ? 0x2D : byte == 0x2F ? 0x5F : byte)
        }
        guard let bytes = Base64URL.decode(plain.lossyText) else { throw fault("its base64 is damaged") }
        return bytes
    }
}
