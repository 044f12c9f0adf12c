// The results of each provider by kind, as schemas made from its table of kinds. A kind is told by `kind`, which is a constant in
// its schema; a reader of unions finds the right one by that. It is no discriminator of OpenAPI's, which has to be there:
// `fields` leaves `kind` out where it is not named.
import LarderProviders

enum InterfaceResultSchemas {
    /// Each with its name, those of a provider one after the other.
    static let all: [(name: String, schema: InterfaceSchema)] = ProviderRegistry.builtIn.map(\.about)
        .filter { !$0.kinds.isEmpty }.flatMap(schemas)

    /// "ItunesEnvelope".
    static func envelopeName(_ about: ProviderAbout) -> String { name("envelope", of: about) }

    /// "ItunesSong".
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
        // Some readers know no union of one.
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
