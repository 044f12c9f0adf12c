// The names of keys in the engine. Each begins with the prefix, and a value's is a digest: no name says what was asked. The scope is
// part of it, so that two hosts that call different APIs by one name, or keep to other rules, never read each other's answers.
import LarderCache
import LarderCore

struct SharedNames: Sendable {
    let prefix: String

    /// Of a value.
    /// - Parameter epoch: of its URL, where request fields select one of several (`SharedURL`).
    func value(_ key: Digest, scope: Digest, under epoch: SharedGeneration? = nil) -> Bytes {
        let text = scope.bytes + key.bytes + (epoch?.text ?? [])
        return Bytes(text: "\(prefix):v1:" + Base64URL.encode(Digest(of: text).bytes))
    }

    /// Of a URL (`SharedURL`); the same for all scopes, since a removal counts for all.
    func url(_ target: Digest, provider: String) -> Bytes { url(Self.end(of: target, provider: provider)) }

    /// - Parameter end: see below.
    func url(_ end: Bytes) -> Bytes { Bytes(text: "\(prefix):u:") + end }

    /// The end of a URL's name, which no prefix is part of.
    static func end(of target: Digest, provider: String) -> Bytes {
        Bytes(text: Base64URL.encode(Digest(of: Bytes(text: provider + "\n") + target.bytes).bytes))
    }

    /// Of the lease of a value.
    static func lease(of value: Bytes) -> Bytes { value + Bytes(text: ":l") }

    /// Of the generation of all values.
    var global: Bytes { Bytes(text: "\(prefix):g") }

    /// Of the stream of removals.
    var stream: Bytes { Bytes(text: "\(prefix):x") }

    /// Of the ledger of a budget.
    func quota(_ budget: Digest) -> Bytes { Bytes(text: "\(prefix):q:" + Base64URL.encode(budget.bytes)) }

    /// Of a suspension.
    func suspension(_ code: String) -> Bytes { Bytes(text: "\(prefix):s:" + code) }

    /// Of the table of hosts.
    var hosts: Bytes { Bytes(text: "\(prefix):h") }

    /// Of that of a provider's.
    func generation(of provider: String) -> Bytes { Bytes(text: "\(prefix):g:\(provider)") }
}
