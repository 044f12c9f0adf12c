// What a client of a built-in provider sent to say who it is. The same key of an application is the same thing wherever
// it stands: in a field of its own, in `Authorization` or in the query.
//
// Credentials of a client are never forwarded where Larder has a key of its own. Otherwise they are sent, and their hash
// is the identity of the answer.
import LarderCore
import LarderProviders
import LarderServer
import LarderSettings

struct ClientCredentials: Sendable {
    /// An application's key.
    private(set) var key: String?
    /// It speaks for a person, or for nobody that is known: the answer is for this client alone.
    private(set) var isPersonal = false
    /// The fields of credentials as they came, where they are a person's.
    private(set) var fields: HeaderFields = [:]

    /// - Parameter ownKey: the configured one. It is an application's, however it looks.
    init(_ request: ServerRequest, _ provider: any Provider, _ about: ProviderAbout, ownKey: String?) {
        let authorizations = request.fields.all("Authorization")
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
        for name in about.credentialFieldNames + ["Authorization"] where !fields.contains(name) {
            for value in request.fields.all(name) { fields.add(name, value) }
        }
    }

    private static func holder(
        _ value: String, _ provider: any Provider, _ ownKey: String?
    ) -> CredentialHolder {
        if let ownKey, provider.credentialFields(key: ownKey).first("Authorization") == value {
            return .application(key: ownKey)
        }
        return provider.holder(ofAuthorization: value)
    }

    /// Whether a query may name a credential of that provider. Nothing is written down of such a target as it came.
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

    /// Tells keys apart without holding one; empty where there is none.
    var identity: Bytes { key.map { Digest(of: Bytes(text: "key:\($0)")).bytes } ?? [] }
}
