// An example of a route: a target that the stand-in's samples answer, made from the examples of the route's parameters.
import LarderCore
import LarderProviders

extension Route {
    /// The path with its captures filled in, and the required parameters. Nil if a capture has no example, because its
    /// value comes from an earlier response.
    var exampleTarget: String? {
        var target = path
        for parameter in parameters where parameter.place == .path {
            let record = parameter.record
            guard !record.example.isEmpty else { return nil }
            target = target.replacing("{\(record.name)}", with: PercentCoding.encode(record.example))
        }
        let query = exampleQuery.map { "\($0.name)=\(PercentCoding.encode($0.value))" }
        return query.isEmpty ? target : "\(target)?\(query.joined(separator: "&"))"
    }

    private var exampleQuery: [(name: String, value: String)] {
        let queries = parameters.filter { $0.place == .query }.map(\.record)
        var shown = queries.filter(\.isRequired)
        // One of several parameters is needed. The first is the usual one.
        if shown.isEmpty, refusals.contains(.missingParameter), let first = queries.first { shown = [first] }
        return shown.filter { !$0.example.isEmpty }.map { ($0.name, $0.example) }
    }
}
