// The target of a pass-through request, as explanations tell it: names, and no value that may be private.
import LarderCore
import LarderSettings

/// The target of a pass-through request, for explanations.
public final class PassTarget: Sendable {
    let base: String
    let path: String
    let query: String?
    let coding: String?
    /// What an explanation tells of content that is part of the key: its length.
    let content: String?
    /// The names of the request's fields that are part of the key. Their values may be secret.
    let fields: String?

    /// A target. By default it has no query, no content, no coding and no fields.
    public init(
        base: String, path: String, query: String? = nil, coding: String? = nil, content: String? = nil,
        fields: String? = nil
    ) {
        self.content = content
        self.fields = fields
        self.base = base
        self.path = path
        self.query = query
        self.coding = coding
    }

    /// The target of a request with these parts.
    convenience init(
        _ provider: ConfiguredProvider, _ path: String, _ query: String?, _ forwarded: HeaderFields,
        _ content: QueryContent?, _ keyFields: KeyFields
    ) {
        self.init(
            base: provider.settings.baseURL, path: path, query: query, coding: forwarded.first(.acceptEncoding),
            content: content.map { $0.body.count == 1 ? "1 byte" : "\($0.body.count) bytes" },
            fields: keyFields.names.isEmpty ? nil : keyFields.names.joined(separator: ", "))
    }

    /// The parts of the key. The values of a query may be private, so only its names are told. A component without a
    /// name may be a secret as a whole, so it is hidden.
    public var keyParts: [KeyParameter] {
        let names = query.map { query in
            query.split(separator: "&").map { $0.contains("=") ? $0.prefix { $0 != "=" } + "=…" : "…" }
                .joined(separator: "&")
        }
        return [
            KeyParameter("base", base), KeyParameter("path", path), KeyParameter("query", names),
            KeyParameter("coding", coding),
        ] + (content.map { [KeyParameter("content", $0)] } ?? [])
            + (fields.map { [KeyParameter("fields", $0)] } ?? [])
    }
}
