// The credentials that a client of a built-in provider sent. The same application key counts as the same credential in
// each place: in its own field, in `Authorization` or in the query.
//
// A client's credentials are never forwarded if Larder has its own key. Otherwise they are forwarded, and their hash is
// part of the identity of the answer.
import LarderCore
import LarderProviders
import LarderServer
import LarderSettings

struct ClientCredentials: Sendable {
    /// The key of an application.
    private(set) var key: String?
    /// Whether a credential belongs to a person, or to an unknown holder. The answer is then for this client only.
    private(set) var isPersonal = false
    /// Whether the personal credentials are one bearer token (RFC 6750 §2.1).
    private(set) var isBearer = false
    /// The credential fields as they came, if the credentials are personal.
    private(set) var fields: HeaderFields = [:]

    /// - Parameter ownKey: the configured key. It counts as an application's, whatever it looks like.
    init(_ request: ServerRequest, _ provider: any Provider, _ about: ProviderAbout, ownKey: String?) {
        let authorizations = request.fields.all(.authorization)
        var keys: [String] = []
        for name in about.credentialFieldNames where !ASCII.equalFolded(name, "Authorization") {
            keys += request.fields.all(name).prefix(1)
        }
        for value in authorizations {
            guard case .application(let key) = Self.holder(value, provider, ownKey), authorizations.count == 1 else {
                isPersonal = true
                continue
            }
            keys.append(key)
        }
        keys += Self.keys(in: request.query, about.credentialParameters)
        key = keys.first { SecretPlaces.isKey($0) }
        guard isPersonal else { return }
        isBearer = authorizations.count == 1 && authorizations[0].prefix(7).lowercased() == "bearer "
        for name in about.credentialFieldNames + ["Authorization"] where !fields.contains(name) {
            for value in request.fields.all(name) { fields.add(name, value) }
        }
    }

    private static func holder(
        _ value: String, _ provider: any Provider, _ ownKey: String?
    ) -> CredentialHolder {
        if let ownKey, provider.credentialFields(key: ownKey).first(.authorization) == value {
            return .application(key: ownKey)
        }
        return provider.holder(ofAuthorization: value)
    }

    /// Whether a query may name a credential of that provider. Such a target is not written down unchanged.
    static func mayName(_ query: String?, _ about: ProviderAbout) -> Bool {
        guard let query, !about.credentialParameters.isEmpty else { return false }
        guard let items = try? QueryParameters(parsing: query).items else { return true }
        return items.contains { item in
            about.credentialParameters.contains { ASCII.equalFolded($0, item.name) }
        }
    }

    private static func keys(in query: String?, _ names: [String]) -> [String] {
        guard let query, !names.isEmpty, let items = try? QueryParameters(parsing: query).items else { return [] }
        return items.compactMap { item in
            names.contains { ASCII.equalFolded($0, item.name) } ? item.value : nil
        }
    }

    /// Distinguishes keys without holding one: a hash of the key, or empty if there is none.
    var identity: Bytes { key.map { Digest(of: Bytes(text: "key:\($0)")).bytes } ?? [] }
}
