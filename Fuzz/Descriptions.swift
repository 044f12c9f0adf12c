// A description of an API from any bytes, and an answer that it reads. Each mistake has a place inside the file; what was read
// makes each of its questions, classifies the answer and normalises it, the same each time.
// Fuzzes: LarderProviders/Spec LarderCore/YAMLNode.swift LarderCore/NearestName.swift
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

/// The provider that a file describes; nil if it is refused, each time with reasons.
private func read(_ text: Bytes) -> SpecProvider? {
    let lines = text.reduce(1) { $1 == 0x0A || $1 == 0x0D ? $0 + 1 : $0 }
    do {
        let settings = try SettingsLoader().load(
            text: nil, named: "", environment: ["HOME": "/nowhere"],
            providerFiles: [ProviderFile(path: "f.yaml", provider: "mine", text: text)])
        guard let own = settings.providers["mine"], case .described(let description) = own.kind else { return nil }
        return SpecProvider(description, baseURL: own.baseURL, keyIn: own.keyIn)
    } catch {
        precondition(!error.issues.isEmpty, "refused without a reason")
        for case .file(_, let line, let column) in error.issues.map(\.origin) {
            precondition(line >= 1 && column >= 1 && line <= lines + text.count)
        }
        return nil
    }
}

/// A question of each route, asked with the examples of its parameters.
private func questions(of provider: SpecProvider) -> [Endpoint] {
    provider.about.endpoints.compactMap { about in
        let values = Dictionary(about.captures.map { ($0.name, $0.example) }) { first, _ in first }
        let path = about.route.split(separator: "/").map { segment in
            values.reduce(String(segment)) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        let items = about.parameters.map { QueryParameters.Item($0.name, $0.example) }
        return try? provider.endpoint(path: path, query: QueryParameters(items))
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Bytes(UnsafeBufferPointer(start: start, count: count))
    // The file ends at the first zero, the answer follows.
    let text = Bytes(input.prefix { $0 != 0 })
    // A file named by a secret would be read; which one is the file system's affair and not this parser's.
    if text.lossyText.contains("file:") { return 0 }
    guard let provider = read(text) else { return 0 }
    let instant = WallTime(seconds: 1_795_176_000)
    let response = UpstreamResponse(
        status: 200, fields: ["Content-Type": "application/json"], body: Bytes(input.dropFirst(text.count + 1)),
        requestTime: instant, responseTime: instant)
    _ = try? provider.search(SearchRequest(term: "lantern", limit: 5, sort: .date))
    for endpoint in questions(of: provider) {
        let canonical = provider.canonical(endpoint.upstream)
        precondition(provider.canonical(canonical) == canonical, "the canonical form is not canonical")
        _ = provider.classify(response, endpoint: endpoint.name)
        guard let answer = try? endpoint.normalise(response, signer) else { continue }
        precondition((try? endpoint.normalise(response, signer)) == answer, "an answer read twice reads differently")
        guard let results = try? JSON.parse(answer.results) else { preconditionFailure("results that are no JSON") }
        precondition(results.kind == .array && results.count == answer.count)
    }
    return 0
}
