// `/openapi.json` is an OpenAPI 3.1 document by the rules that its readers rely on.
import LarderCore
import LarderProviders
import Testing

@testable import LarderDaemon

@Suite struct InterfaceDocumentTests {
    private let document: JSONValue

    init() throws { document = try JSON.parse(InterfaceDescription.document()) }

    /// Every operation with its place, such as "get /v1/search".
    private var operations: [(place: String, operation: JSONValue)] {
        (document["paths"]?.members.map { $0 } ?? []).flatMap { path in
            path.value.members.map { ("\($0.name) \(path.name)", $0.value) }
        }
    }

    /// Calls `visit` for the value, if it is an object, and for every object below it.
    private func walk(_ value: JSONValue, _ visit: (JSONValue) -> Void) {
        if value.kind == .object {
            visit(value)
            for member in value.members { walk(member.value, visit) }
        } else if value.kind == .array {
            for element in value.elements { walk(element, visit) }
        }
    }

    @Test func everyRouteOfTheTableIsAnOperation() {
        let told = operations.map(\.place)
        for route in RouteTable.builtIn.all where route.isDescribed {
            let method = (route.methods.first ?? .get).name.lowercased()
            #expect(told.contains("\(method) \(route.path)"))
        }
        #expect(told.count == RouteTable.builtIn.all.count(where: \.isDescribed))
    }

    @Test func everyReferenceLeadsToASchema() {
        let names = Set((document["components"]?["schemas"]?.members.map { $0 } ?? []).map(\.name))
        walk(document) { object in
            guard let reference = object["$ref"]?.string else { return }
            #expect(names.contains(reference.replacing("#/components/schemas/", with: "")), "\(reference)")
        }
        #expect(
            names
                == Set(
                    InterfaceComponent.allCases.map(\.rawValue)
                        + InterfaceResultSchemas.all(of: ProviderRegistry.builtIn).map(\.name)))
    }

    @Test func noTwoOperationsHaveOneIdentifier() {
        let identifiers = operations.compactMap { $0.operation["operationId"]?.string }
        #expect(identifiers.count == operations.count)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test func everyTagOfAnOperationIsDescribed() {
        let tags = Set((document["tags"]?.elements.map { $0 } ?? []).compactMap { $0["name"]?.string })
        for (place, operation) in operations {
            #expect(operation["tags"]?.elements.allSatisfy { tags.contains($0.string ?? "") } == true, "\(place)")
        }
    }

    @Test func everyParameterHasASchemaAndASentence() {
        for (place, operation) in operations {
            for parameter in operation["parameters"]?.elements.map({ $0 }) ?? [] {
                let name = parameter["name"]?.string ?? ""
                #expect(parameter["schema"]?["type"]?.string != nil, "\(place) \(name)")
                #expect(parameter["description"]?.string?.hasSuffix(".") == true, "\(place) \(name)")
            }
        }
    }

    @Test func everyAnswerOfJSONHasASchema() {
        for (place, operation) in operations {
            for response in operation["responses"]?.members.map({ $0 }) ?? [] {
                #expect(response.value["description"]?.string?.isEmpty == false, "\(place)")
                for content in response.value["content"]?.members.map({ $0 }) ?? [] where content.name.contains("json")
                {
                    #expect(content.value["schema"]?["$ref"]?.string != nil, "\(place) \(response.name)")
                }
            }
        }
    }

    @Test func everyOperationTellsWhatAnyOfThemMayAnswer() {
        for (place, operation) in operations {
            let told = Set((operation["responses"]?.members.map { $0 } ?? []).map(\.name))
            #expect(Set(InterfaceDescription.common.map { String($0.status) }).isSubset(of: told), "\(place)")
        }
    }

    @Test func whatNeedsAuthorityNamesItsSecurityScheme() {
        for route in RouteTable.builtIn.all where route.isDescribed {
            let method = (route.methods.first ?? .get).name.lowercased()
            let operation = operations.first { $0.place == "\(method) \(route.path)" }?.operation
            #expect(
                (operation?["security"]?.elements.contains { $0["token"] != nil } == true) == route.needsAuthority,
                "\(route.path)")
        }
        #expect(document["components"]?["securitySchemes"]?["token"]?["scheme"]?.string == "bearer")
    }

    @Test func aListIsOneValueWithCommas() throws {
        let search = try #require(operations.first { $0.place == "get /v1/search" }?.operation)
        for name in ["source", "fields", "include"] {
            let parameter = search["parameters"]?.elements.first { $0["name"]?.string == name }
            #expect(parameter?["style"]?.string == "form", "\(name)")
            #expect(parameter?["explode"]?.bool == false, "\(name)")
            #expect(parameter?["schema"]?["type"]?.string == "array", "\(name)")
        }
    }

    /// A provider accepts every documented parameter, or documents the refusal.
    @Test func everyExampleOfAParameterIsAccepted() throws {
        for provider in ProviderRegistry.builtIn {
            for endpoint in provider.about.endpoints {
                let path = endpoint.route.split(separator: "/").map(String.init).map { segment in
                    endpoint.captures.first { "{\($0.name)}" == segment }?.example ?? segment
                }
                for parameter in endpoint.parameters {
                    var items = endpoint.parameters.filter { $0.isRequired && $0.name != parameter.name }
                    items.append(parameter)
                    let query = QueryParameters(items.map { QueryParameters.Item($0.name, $0.example) })
                    do throws(ClientFacingError) {
                        _ = try provider.endpoint(path: path, query: query)
                    } catch {
                        // The parameter may need another one, or may conflict with the defaults of others.
                        let isTold =
                            error.isConflict && endpoint.refusals.contains(.conflict)
                            || endpoint.refusals.contains { $0.rawValue == error.code }
                        #expect(isTold, "\(provider.about.name)/\(endpoint.name) \(parameter.name): \(error.detail)")
                    }
                }
            }
        }
    }
}
