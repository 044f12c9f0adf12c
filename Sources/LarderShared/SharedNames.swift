// The names of keys in the engine. Each begins with the prefix, and a value's is a digest: no name says what was asked. The scope is
// part of it, so that two hosts that call different APIs by one name, or keep to other rules, never read each other's answers.
import LarderCore

struct SharedNames: Sendable {
    let prefix: String

    /// Of a value.
    func value(_ key: Digest, scope: Digest) -> Bytes {
        Bytes(text: "\(prefix):v1:" + Base64URL.encode(Digest(of: scope.bytes + key.bytes).bytes))
    }

    /// Of the lease of a value.
    static func lease(of value: Bytes) -> Bytes { value + Bytes(text: ":l") }

    /// Of the generation of all values.
    var global: Bytes { Bytes(text: "\(prefix):g") }

    /// Of the stream of removals.
    var stream: Bytes { Bytes(text: "\(prefix):x") }

    /// Of the ledger of a budget.
    func quota(_ budget: Digest) -> Bytes { Bytes(text: "\(prefix):q:" + Base64URL.encode(budget.bytes)) }

    /// Of the table of hosts.
    var hosts: Bytes { Bytes(text: "\(prefix):h") }

    /// Of that of a provider's.
    func generation(of provider: String) -> Bytes { Bytes(text: "\(prefix):g:\(provider)") }
}
