// The values of a request to one of the daemon's own routes, read by the records that `/openapi.json` is written from.
// What the description forbids is therefore refused, and nothing else is (`InterfaceValuesScenarios`).
import LarderCore

/// Values in their canonical spelling, by the parameters' names.
public struct ParameterValues: Sendable {
    private var values: [String: String] = [:]

    /// - Throws: 400 that names an unknown, repeated, missing or invalid parameter.
    public init(_ query: QueryParameters, by records: [QuestionParameter]) throws(ClientFacingError) {
        var query = query
        // A flag without "=" is set.
        let flags = records.filter { $0.form == .flag }.map(\.name)
        for index in query.items.indices where query.items[index].value == nil {
            if flags.contains(query.items[index].name) { query.items[index].value = "yes" }
        }
        let reader = try QuestionReader(query, allowed: records)
        for record in records {
            let value: String?
            do throws(ClientFacingError) {
                value = try record.value(reader)
            } catch {
                var error = error
                if case .choice(let words) = record.form, error.allowed.isEmpty { error.allowed = words }
                throw error
            }
            if let value {
                values[record.name] = value
            } else if record.isRequired {
                throw .missing(record.name, record.sending.missing ?? "\"\(record.name)\" is missing.")
            }
        }
    }

    /// The value of that name; nil if the request gives none.
    public subscript(_ name: String) -> String? { values[name] }

    /// The values of a list, in the order given; nil if the request gives none.
    public func list(_ name: String) -> [String]? { values[name]?.split(separator: ",").map(String.init) }

    /// A number, whose range was checked.
    public func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// A flag; nil if the request gives none.
    public func flag(_ name: String) -> Bool? { values[name].map { $0 == "yes" } }

    /// A duration.
    /// - Throws: 400 for one that cannot be read. A purge must not go on without its condition.
    public func duration(_ name: String) throws(ClientFacingError) -> Duration? {
        guard let text = values[name] else { return nil }
        do throws(UnitError) {
            return try Units.duration(text)
        } catch {
            throw .invalid(name, "\"\(name)\": \(error.message)")
        }
    }
}

extension QuestionParameter {
    /// The same parameter, with a sentence for a value that has not its form, and one for a missing value.
    public func saying(_ mismatch: String? = nil, missing: String? = nil) -> QuestionParameter {
        sent {
            $0.mismatch = mismatch
            $0.missing = missing
        }
    }

    /// Checks the value of a request field.
    /// - Throws: 400 that names the field.
    public func check(field value: String) throws(ClientFacingError) {
        _ = try self.value(QuestionReader(capture: name, value))
    }
}
