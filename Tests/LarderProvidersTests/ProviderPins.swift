// What a provider makes of questions, requests and answers, each as one line of text, so that tests can hold all of it:
// the identity and the request of a question, a refusal, the class of an answer, results, and the facts.
import LarderCore
import LarderHTTP

@testable import LarderProviders

struct ProviderPins {
    let provider: any Provider
    let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    init(_ provider: any Provider) { self.provider = provider }

    func endpoint(_ route: String) throws -> Endpoint {
        let parts = route.split(separator: "?", maxSplits: 1).map(String.init)
        return try provider.endpoint(
            path: parts[0].split(separator: "/").map(String.init),
            query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
    }

    static func response(_ body: String, _ status: Int = 200, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    /// The question's name, identity and request, and how many other answers may hold its own, with the last of them.
    func question(_ route: String) -> String { told { try endpoint(route) } }

    func search(_ request: SearchRequest) -> String { told { try provider.search(request) } }

    private func told(_ endpoint: () throws -> Endpoint) -> String {
        do {
            let endpoint = try endpoint()
            let query = endpoint.query.lossyText
            let identity = endpoint.parameters.map { "\($0.name)=\($0.value ?? "")" }
            let told = try JSON.parse(endpoint.query).members.map {
                "\($0.name)=\($0.value.string ?? $0.value.raw.lossyText)"
            }
            let isSame =
                identity == told && provider.canonical(endpoint.upstream) == endpoint.upstream
                && provider.endpointName(for: endpoint.upstream) == endpoint.name
            let wider = endpoint.wider().map(\.request.target)
            return "\(isSame ? "" : "DIFFERENT ")\(endpoint.name) \(query) \(endpoint.upstream.target)"
                + (wider.last.map { " \(wider.count) \($0)" } ?? "")
        } catch let error as ClientFacingError {
            return "\(error.code) \(error.parameter ?? "-")\(error.isConflict ? " conflict" : "") \(error.detail)"
                + (error.allowed.isEmpty ? "" : " \(error.allowed.count) \(error.allowed.joined(separator: ","))")
        } catch {
            return "\(error)"
        }
    }

    /// A raw request's name and canonical form.
    func request(_ target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = UpstreamRequest(path: parts.first ?? "", query: parts.count > 1 ? parts[1] : nil)
        return "\(provider.endpointName(for: request)) \(provider.canonical(request).target)"
    }

    func answer(_ route: String, _ body: String) -> String {
        do {
            return Self.told(try endpoint(route).normalise(Self.response(body), signer))
        } catch let error as NormaliseError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    static func told(_ answer: NormalisedAnswer) -> String {
        let reasons = answer.droppedReasons.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(answer.count) \(reasons.joined(separator: ",")) total=\(answer.totalUpstream ?? -1) "
            + "leftOut=\(answer.leftOut) \(answer.results.lossyText)"
    }

    /// The titles that other answers with this body yield, by their requests; "-" where an answer does not hold all.
    func wider(_ route: String, _ body: String) -> String {
        do {
            return try endpoint(route).wider().map { wider in
                let read = try wider.read(Self.response(body), signer)
                let titles = try read.map { try JSON.parse($0.results).elements.compactMap { $0["title"]?.string } }
                return
                    "\(wider.request.target) \(titles.map { $0.isEmpty ? "none" : $0.joined(separator: ",") } ?? "-")"
            }.joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }

    /// The facts, without what no one but Larder sees.
    var about: String {
        var about = provider.about
        let endpoints = about.endpoints
        (about.endpoints, about.kinds) = ([], [])
        let fields = about.uploads?.fields.map { field in
            "\(Self.told(field.record)) \(field.option.map { "\($0.name) \($0.value ?? "-") \($0.line)" } ?? "-")"
        }
        about.uploads?.fields = []
        let kinds = provider.about.kinds.map { kind in
            "\(kind.name) \(kind.isOpen) \(kind.attributes.map { "\($0.name):\($0.form)" }.sorted())"
        }
        return (["\(about)"] + (fields ?? []) + endpoints.map(Self.told) + kinds).joined(separator: "\n")
    }

    private static func told(_ endpoint: EndpointAbout) -> String {
        let parameters = (endpoint.captures + endpoint.parameters).map(told)
        let refusals = endpoint.refusals.map(\.rawValue)
        return "\(endpoint.name) \(endpoint.route) \(endpoint.ttl) \(endpoint.summary) \(refusals)\n"
            + parameters.joined(separator: "\n")
    }

    private static func told(_ one: QuestionParameter) -> String {
        "\(one.name) \(one.form) \(one.line) \(one.example) \(one.defaultText ?? "-") \(one.isRequired) "
            + "\(one.isList) \(one.mostValues ?? 0) \(one.isAbsentIfEmpty) \(one.aliases)"
    }
}

extension ProviderPins {
    /// The class of an answer to an endpoint, with its waiting time.
    /// - Parameter fields: names and values in turn.
    func judgement(_ status: Int, _ endpoint: String, _ body: String, _ fields: [String] = []) -> String {
        "\(provider.classify(Self.response(body, status, Self.fields(fields)), endpoint: endpoint))"
    }

    private static func fields(_ texts: [String]) -> HeaderFields {
        HeaderFields(stride(from: 0, to: texts.count - 1, by: 2).map { HeaderField(texts[$0], texts[$0 + 1]) })
    }

    /// The steps of a question's plan, and its results.
    /// - Parameter answers: an object of the calls' answers by their targets: JSON, "failed", or a text that is no JSON. A
    ///   call that it does not name is absent.
    func plan(_ route: String, _ answers: String) -> String {
        do {
            let table = try JSON.parse(Bytes(text: answers))
            guard let plan = try endpoint(route).plan else { return "no plan" }
            let walked = try walk(plan) { call in
                guard let answer = table[call.request.target] else { return .absent }
                if answer.string == "failed" { return .failed(.timedOut) }
                return answered(answer.string ?? answer.raw.lossyText)
            }
            let steps = walked.steps.map { $0.joined(separator: " ") }
            return "\(steps.joined(separator: " | ")) => \(Self.told(walked.answer))"
        } catch let error as NormaliseError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    /// Whether an answer holds the record that a raw request names; "-" if the request names none.
    func check(_ endpoint: String, _ target: String, _ body: String) -> String {
        let request = UpstreamRequest(path: target)
        guard let check = provider.recordCheck(for: request, endpoint: endpoint) else { return "-" }
        return (try? JSON.parse(Bytes(text: body))).map { "\(check($0))" } ?? "no JSON"
    }

    func lifetime(_ endpoint: String, _ body: String) -> String {
        var response = Self.response(body)
        response.responseTime = WallTime(seconds: 1_800_000_000)
        return provider.contentLifetime(of: endpoint).map { $0(response).map { "\($0)" } ?? "usual" } ?? "-"
    }

    func credits(_ fields: [String]) -> String {
        provider.credits(in: Self.fields(fields), now: WallTime(seconds: 1000)).map { "\($0)" } ?? "-"
    }
}
