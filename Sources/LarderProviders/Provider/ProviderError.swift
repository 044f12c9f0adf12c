// Errors and texts that all providers share: unknown routes, and responses that are not JSON.
import LarderCore

enum ProviderError {
    /// 404 for a path below the provider's prefix that names no route.
    static func noRoute(_ path: [String], provider: ProviderAbout) -> ClientFacingError {
        let prefix = provider.routePrefix.isEmpty ? "/raw/\(provider.name)" : "/v1/\(provider.routePrefix)"
        return ClientFacingError(
            status: 404, code: "noSuchRoute",
            detail: "There is no route \(prefix)/\(path.joined(separator: "/")). /openapi.json lists all routes.",
            provider: provider.name)
    }
}

/// Describes a body that should be JSON and is not, without quoting it.
enum Impostor {
    static func describe(_ body: Bytes, _ error: JSONError) -> String {
        let start = body.prefix(512).drop { $0 <= 0x20 }
        if start.isEmpty { return "The answer is empty instead of JSON." }
        if start.first == 0x3C { return "The answer is HTML or XML instead of JSON." }
        return "The answer is not valid JSON: \(error.description)."
    }
}

extension Impostor {
    /// An upstream's message in a form that may be shown: one line, at most 300 characters.
    static func shown(_ message: String) -> String {
        let line = TextCleaning.line(message) ?? "no message"
        return line.count <= 300 ? line : line.prefix(299) + "…"
    }
}

extension ClientFacingError {
    /// 400 for a repeated parameter, of which only one value would be used.
    public static func repeated(_ name: String) -> ClientFacingError {
        ClientFacingError(
            status: 400, code: "repeatedParameter", detail: "\"\(name)\" is given more than once.", parameter: name)
    }
}

extension QueryParameters {
    /// The same parameters with each list in a single one. Many generated clients write a list as a repeated name
    /// (`source=a&source=b`), which means the same as commas.
    public func joining(lists: some Collection<String>) -> QueryParameters {
        var joined: [Item] = []
        for item in items {
            guard lists.contains(item.name), let place = joined.firstIndex(where: { $0.name == item.name }) else {
                joined.append(item)
                continue
            }
            joined[place].value = "\(joined[place].value ?? ""),\(item.value ?? "")"
        }
        return QueryParameters(joined)
    }

    /// Checks that the route knows every parameter and that each is given once.
    /// - Throws: 400 that names the first unknown or repeated parameter.
    public func check(only allowed: [String]) throws(ClientFacingError) {
        var seen: Set<String> = []
        for item in items {
            guard allowed.contains(item.name) else { throw .unknown(item.name, allowed: allowed) }
            guard seen.insert(item.name).inserted else { throw .repeated(item.name) }
        }
    }
}
