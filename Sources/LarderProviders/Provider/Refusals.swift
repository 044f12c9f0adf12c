// What every provider says alike: routes it lacks, and answers that are no JSON.
import LarderCore

enum ProviderError {
    /// 404 for a path below the provider's prefix that names nothing.
    static func noRoute(_ path: [String], provider: ProviderAbout) -> ClientFacingError {
        let prefix = provider.routePrefix.isEmpty ? "/raw/\(provider.name)" : "/v1/\(provider.routePrefix)"
        return ClientFacingError(
            status: 404, code: "noSuchRoute",
            detail: "There is no \(prefix)/\(path.joined(separator: "/")); /openapi.json lists what there is.",
            provider: provider.name)
    }
}

/// What a body that should be JSON is instead, said without quoting it.
enum Impostor {
    static func describe(_ body: Bytes, _ error: JSONError) -> String {
        let start = body.prefix(512).drop { $0 <= 0x20 }
        if start.isEmpty { return "The answer is empty where JSON belongs." }
        if start.first == 0x3C { return "The answer is a page of HTML or XML where JSON belongs." }
        return "The answer is no whole JSON text: \(error.description)."
    }
}

extension Impostor {
    /// An upstream's message as it may be shown: one line, at most 300 characters.
    static func shown(_ message: String) -> String {
        let line = TextCleaning.line(message) ?? "no message"
        return line.count <= 300 ? line : line.prefix(299) + "…"
    }
}

extension ClientFacingError {
    /// A parameter of which one value would be looked at and the other not.
    static func repeated(_ name: String) -> ClientFacingError {
        ClientFacingError(
            status: 400, code: "repeatedParameter", detail: "\"\(name)\" is given more than once.", parameter: name)
    }
}

extension QueryParameters {
    /// The same with each list in one parameter: a repeated name (`source=a&source=b`), as many generated clients write
    /// lists, means what commas mean.
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

    /// Whether a route knows every parameter, and each is given once.
    /// - Throws: 400 that names the first which is unknown or repeated.
    public func check(only allowed: [String]) throws(ClientFacingError) {
        var seen: Set<String> = []
        for item in items {
            guard allowed.contains(item.name) else { throw .unknown(item.name, allowed: allowed) }
            guard seen.insert(item.name).inserted else { throw .repeated(item.name) }
        }
    }
}
