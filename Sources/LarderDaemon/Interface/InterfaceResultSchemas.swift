// The results of each provider by kind, as schemas made from the provider's table of kinds. The member `kind` is a
// constant in each schema, and a reader of unions selects the schema by it. It is not an OpenAPI discriminator, which
// must always be present: `fields` may leave `kind` out.
import LarderProviders

enum InterfaceResultSchemas {
    /// All schemas with their names, grouped by provider.
    static func all(of providers: [any Provider]) -> [(name: String, schema: InterfaceSchema)] {
        providers.map(\.about).filter { !$0.kinds.isEmpty }.flatMap(schemas)
    }

    /// For example "ItunesEnvelope".
    static func envelopeName(_ about: ProviderAbout) -> String { name("envelope", of: about) }

    /// For example "ItunesSong".
    private static func name(_ word: String, of about: ProviderAbout) -> String {
        [about.routePrefix, word].map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func schemas(of about: ProviderAbout) -> [(name: String, schema: InterfaceSchema)] {
        var kinds = about.kinds.map { kind in
            (name(kind.name, of: about), result(about, .word(kind.name), attributes(kind)))
        }
        if about.hasFurtherKinds {
            kinds.append((name("other", of: about), result(about, .noneOf(about.kinds.map(\.name)), .map(.any))))
        }
        // Some readers do not accept a union of one schema.
        if kinds.count > 1 {
            kinds.append((name("result", of: about), .anyOf(kinds.map { .reference($0.0) })))
        }
        let one = kinds.last?.0 ?? ""
        return kinds + [(envelopeName(about), .object(InterfaceSchemas.envelope(of: .reference(one))))]
    }

    private static func result(
        _ about: ProviderAbout, _ kind: InterfaceSchema, _ attributes: InterfaceSchema
    ) -> InterfaceSchema {
        .object(
            InterfaceSchemas.result(
                provider: .word(about.name), kind: kind, kindLine: "What it is.", attributes: attributes))
    }

    private static func attributes(_ kind: ResultKind) -> InterfaceSchema {
        let members = kind.attributes.map { InterfaceSchema.Member.optional($0.name, schema(of: $0.form)) }
        return kind.isOpen ? .open(members) : .object(members)
    }

    private static func schema(of form: ResultAttribute.Form) -> InterfaceSchema {
        switch form {
        case .text: .text
        case .number: .number
        case .flag: .flag
        case .texts: .list(.text)
        case .numbers: .list(.number)
        case .price: .component(.price)
        case .any: .any
        }
    }
}
