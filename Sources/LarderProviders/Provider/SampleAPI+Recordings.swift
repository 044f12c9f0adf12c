// What a folder of recordings takes from the API's own records: where an answer has its id, which parameters
// distinguish answers, and which of Larder's routes asks for a recorded answer.
import LarderCore

extension SampleAPI {
    /// A path that is requested along with every question because its response is needed to read the others. It never
    /// selects the recording itself.
    public var beside: String? { index["beside"]?.string }

    /// Lists of ids that are recorded together with their records: the end of a list's path, and the path below which
    /// its records are.
    public var records: (list: String, path: String)? {
        index["records"].flatMap { records in
            records["list"]?.string.flatMap { list in records["path"]?.string.map { (list, $0) } }
        }
    }

    /// The API's default values of parameters. A parameter with its default value does not distinguish recordings.
    public var defaults: [String: String] {
        let usual = spec.questions.flatMap(\.parameters).compactMap { parameter in
            parameter.sending.apiDefault.map { (parameter.sentName, $0.lowercased()) }
        }
        return Dictionary(usual) { first, _ in first }
    }

    /// The path under which the answers of another path are recorded; nil if that has none.
    public func recordedPath(of path: String) -> String? {
        let question = spec.questions.first { $0.otherPaths.contains { $0.names.isEmpty && $0.text == path } }
        return question?.path.text
    }

    /// The id in a body that answers a path.
    public func id(in body: Bytes, at path: String) -> String? {
        guard let place = question(at: path)?.answer.identity?.path else { return nil }
        return (try? JSON.parse(body)).flatMap { place.first(in: $0)?.string }
    }

    /// The Larder route that asks for a recorded response; nil if no typed route can ask for it. Parameters that the
    /// route does not have are left out.
    /// - Parameter key: the key of one body, if the file holds many.
    public func route(of recording: RecordedRequest, key: String?) -> String? {
        let paths = key.map { ["\(recording.path)/\($0)", "\(recording.path)/\($0).json"] } ?? [recording.path]
        guard recording.method == .get, let path = paths.first(where: { question(at: $0) != nil }),
            var question = question(at: path), let query = try? QueryParameters(parsing: recording.query)
        else { return nil }
        let isRefused = recording.status != 200
        if isRefused, question.terms.isEmpty, question.route.names.isEmpty,
            let search = spec.questions.first(where: { $0.name == spec.search })
        {
            question = search
        }
        var values = question.values(in: path) ?? [:]
        for parameter in question.asked {
            if let value = query[parameter.sentName].flatMap(parameter.canonicalValue) {
                values[parameter.name] = value
            }
        }
        // Old recordings did not keep the search term. A refused request gets a term of its own, so that no stored
        // response covers it.
        let isAsked = question.terms.contains { values[$0.name] != nil }
        if let term = question.terms.first, term.isRequired && !isAsked || isRefused {
            values[term.name] = isRefused ? recording.name : term.example
        }
        for (name, value) in index["asking"]?[question.name]?.texts ?? [] { values[name] = value }
        guard question.route.names.allSatisfy({ values[$0] != nil }) else { return nil }
        let items = question.asked.compactMap { parameter in
            values[parameter.name].map { QueryParameters.Item(parameter.name, $0) }
        }
        let route = "/v1/\(spec.facts.routePrefix)/\(question.route.path(values))"
        return items.isEmpty ? route : "\(route)?\(QueryParameters(items).encoded)"
    }
}
