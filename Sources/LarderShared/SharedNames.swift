// The names of keys in the engine. Each begins with the prefix. The names of values and URLs are digests, so they do
// not show what was asked. The scope is part of a value's name: two hosts that call different APIs by one name, or
// follow different rules, never read each other's responses.
import LarderCache
import LarderCore

struct SharedNames: Sendable {
    let prefix: String

    /// The name of a value.
    /// - Parameter epoch: the epoch of its URL, if request fields select one of several responses (`SharedURL`).
    func value(_ key: Digest, scope: Digest, under epoch: SharedGeneration? = nil) -> Bytes {
        let text = scope.bytes + key.bytes + (epoch?.text ?? [])
        return Bytes(text: "\(prefix):v1:" + Base64URL.encode(Digest(of: text).bytes))
    }

    /// The name of a URL (`SharedURL`). It is the same for all scopes, because a removal applies to all.
    func url(_ target: Digest, provider: String) -> Bytes { url(Self.end(of: target, provider: provider)) }

    /// - Parameter end: the end of the name, from `end(of:provider:)`.
    func url(_ end: Bytes) -> Bytes { Bytes(text: "\(prefix):u:") + end }

    /// The end of a URL's name. It does not contain the prefix.
    static func end(of target: Digest, provider: String) -> Bytes {
        Bytes(text: Base64URL.encode(Digest(of: Bytes(text: provider + "\n") + target.bytes).bytes))
    }

    /// The name of a value's lease.
    static func lease(of value: Bytes) -> Bytes { value + Bytes(text: ":l") }

    /// The name of the generation of all values.
    var global: Bytes { Bytes(text: "\(prefix):g") }

    /// The name of the stream of removals.
    var stream: Bytes { Bytes(text: "\(prefix):x") }

    /// The name of the nonce of this fleet's last entry in the stream. It is not read from the stream, where others may
    /// write too.
    var chain: Bytes { Bytes(text: "\(prefix):x:n") }

    /// The name of a budget's ledger.
    func quota(_ budget: Digest) -> Bytes { Bytes(text: "\(prefix):q:" + Base64URL.encode(budget.bytes)) }

    /// The name of a suspension.
    func suspension(_ code: String) -> Bytes { Bytes(text: "\(prefix):s:" + code) }

    /// The name of the table of hosts.
    var hosts: Bytes { Bytes(text: "\(prefix):h") }

    /// The name of a provider's generation.
    func generation(of provider: String) -> Bytes { Bytes(text: "\(prefix):g:\(provider)") }
}
