// What tools make of the answers of routes: JSON for the model, the text behind a URL, and states and reasons as
// sentences.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings

enum MCPContent {
    /// In bytes.
    static let longestURL = 8000
    /// The most bytes of a route's JSON that are read, and of an API's answer, of which whole items are shown.
    private static let (longestAnswer, longestContent) = (64 << 20, 4 << 20)

    /// The JSON of a route's answer.
    static func json(
        _ target: String, _ parts: RouteParts, _ call: RouteCall
    ) async throws(ClientFacingError) -> JSONValue {
        let response = try await InnerRequest.ask(target, parts, call)
        let body = try await collected(response.body, atMost: longestAnswer)
        guard body.isWhole, let value = try? JSON.parse(body.bytes) else {
            throw ClientFacingError(status: 500, code: "internal", detail: "An answer could not be read.")
        }
        return value
    }

    private static func collected(
        _ body: ResponseBody, atMost limit: Int
    ) async throws(ClientFacingError) -> (bytes: Bytes, isWhole: Bool) {
        do throws(BodyFailure) {
            return try await body.collected(atMost: limit)
        } catch {
            throw ClientFacingError(
                status: 502, code: "broken", detail: "The answer broke off before its end.", retryable: true)
        }
    }

    /// The answer of an API to a URL, through the cache.
    static func get(
        _ arguments: MCPArguments, _ parts: RouteParts, _ call: RouteCall
    ) async throws(ClientFacingError) -> MCPResult {
        let limit = try arguments.maxBytes()
        let text = try arguments.required("url")
        guard text.utf8.count <= longestURL else { throw .invalid("url", "The URL has more than \(longestURL) bytes.") }
        let snapshot = parts.raws.engine.snapshot
        guard let place = try place(of: text, snapshot) else {
            throw .invalid(
                "url", "No API is configured for this URL.",
                allowed: snapshot.providers.all.flatMap(\.settings.baseURLs).map { "\($0)/…" })
        }
        // Such a request is that method (`MethodOverride`), and the tools only read.
        guard MethodOverride.method(fields: [:], query: place.request.query)?.isSafe != false else {
            throw .invalid("url", "The URL asks for a method that changes something, and this tool only reads.")
        }
        let isStoredOnly = try arguments.flag("storedOnly")
        let query = place.request.query.map { "?\($0)" } ?? ""
        let target = "/raw/\(place.provider)\(place.request.path)\(query)"
        guard Bytes(text: target).withUnsafeBufferPointer(RequestTarget.isWellFormed) else {
            throw .invalid("url", "The URL has characters that must be percent-encoded.")
        }
        // What belongs to the account of a person is not for a model, whoever runs it.
        guard snapshot.providers.named(place.provider)?.claim(for: place.request) == nil else {
            throw ClientFacingError(
                status: 403, code: "authorityNeeded", detail: "Answers for an account are not given to a model.")
        }
        var request = InnerRequest.request(target, call, isStoredOnly ? ["Cache-Control": "only-if-cached"] : [:])
        // What the host shows to Larder is not for the API.
        request.fields.remove(.authorization)
        let response = try await parts.raws.pass(
            request, provider: place.provider, path: place.request.path, route: call.name)
        let body = try await collected(response.body, atMost: longestContent)
        return told(response, body.bytes, isWhole: body.isWhole, atMost: limit)
    }

    /// The provider and the request that a URL stands for. Of nested base URLs the longest counts, as for the proxy.
    private static func place(
        of text: String, _ snapshot: Snapshot
    ) throws(ClientFacingError) -> (provider: String, request: UpstreamRequest)? {
        if let url = HTTPURL(text), let (provider, found) = snapshot.providers.owner(of: url) {
            var request = found
            // As the request is sent: an account is known by its path.
            request.path = UpstreamPath.withoutSingleDots(request.path)
            return (provider.name, request)
        }
        let places = try PurgeURL(text, providers: snapshot.providers, settings: snapshot.settings).places
        return places.first { !$0.provider.hasPrefix(ProxySettings.prefix) }.map { ($0.provider, $0.request) }
    }

    private static func told(
        _ response: ServerResponse, _ body: Bytes, isWhole: Bool, atMost limit: Int
    ) -> MCPResult {
        var words = "Status \(response.status)."
        // The members before Larder's own are the API's words, which are not Larder's to say (RFC 9211 §2).
        let status = response.fields.combined(.cacheStatus).flatMap { FieldList.members([$0]).last }
        if let status { words += " Cache-Status: \(status)." }
        if let age = response.fields.first(.age) { words += " Age: \(age) s." }
        if response.outcome == .stale { words += " The answer is stale and may be out of date." }
        let type = mediaType(response.fields.first(.contentType) ?? "")
        var data = Bytes()
        if response.fields.contains(.contentEncoding) || !isText(body) {
            words += " The content (\(type)) is no text and is not shown."
        } else if isWhole, body.count > limit, let value = try? JSON.parse(body), value.kind == .array {
            let items = Array(value.elements)
            let shown = MCPTrim.whole(items, atMost: limit)
            words += " \(items.count - shown.left) of \(items.count) items are shown: raise \"maxBytes\" for more."
            data = shown.array
        } else {
            data = MCPTrim.text(body, atMost: limit)
            if !isWhole || data.count < body.count {
                words += " Only the first \(data.count) bytes are shown: raise \"maxBytes\" for more."
            }
        }
        return MCPResult(words: words, data: data, isError: response.status >= 400)
    }

    /// A media type without its parameters, for a sentence of Larder's own.
    private static func mediaType(_ text: String) -> String {
        let type = ASCII.trimmed(text.prefix { $0 != ";" })
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        let isOne =
            parts.count == 2 && type.utf8.count <= 100
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }
        return isOne ? String(type) : "of unknown type"
    }

    /// Whether bytes are UTF-8 without control characters other than white space. The last character may be cut.
    private static func isText(_ bytes: Bytes) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
            && String(validating: MCPTrim.text(bytes, atMost: max(0, bytes.count - 3)), as: UTF8.self) != nil
    }

    /// The states and budgets of `/v1/status`, a line for each source.
    static func quota(_ status: JSONValue) -> MCPResult {
        let lines = (status["providers"].map { Array($0.elements) } ?? []).map { provider in
            var words = ["\(provider["name"]?.string ?? ""): \(provider["state"]?.string ?? "")"]
            if let reachability = provider["reachability"]?.string { words.append(reachability) }
            for member in provider["budget"].map({ Array($0.members) }) ?? [] {
                let budget = member.value
                let limit = budget["limit"]?.numberText.map { " of \($0)" } ?? ""
                let end = budget["resetsAt"]?.string.map { " until \($0)" } ?? ""
                words.append("\(member.name) \(budget["remaining"]?.numberText ?? "?")\(limit) calls left\(end)")
            }
            if let problem = provider["configurationProblem"]?.string { words.append(problem) }
            if let until = provider["suspendedUntil"]?.string { words.append("suspended until \(until)") }
            if let detail = provider["lastFailureDetail"]?.string, let at = provider["lastFailure"]?.string {
                words.append("last failure at \(at): \(detail)")
            }
            return words.joined(separator: "; ")
        }
        return MCPResult(words: lines.joined(separator: "\n"))
    }

    /// The sentences of `/v1/explain/{request}`.
    static func explanation(_ value: JSONValue) -> MCPResult {
        var lines = [
            "\(value["method"]?.string ?? "") \(value["path"]?.string ?? ""): status"
                + " \(value["status"]?.numberText ?? "")"
        ]
        if let detail = value["problem"]?["detail"]?.string { lines.append(detail) }
        for source in value["sources"].map({ Array($0.elements) }) ?? [] {
            lines.append("\(source["provider"]?.string ?? ""):")
            lines += (source["explanation"].map { Array($0.elements) } ?? []).compactMap(\.string)
        }
        return MCPResult(words: lines.joined(separator: "\n"))
    }
}
