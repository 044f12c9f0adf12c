// One-time links with which the owner of the machine opens the console. `larder console` gets a code, which only those who
// may change the daemon's state get. The page that the link leads to gives the code back for a token, which is as good as
// `admin.token` until the daemon ends. The code is in the fragment of the URL, which no request carries (RFC 3986 §3.5).
import LarderCore

final class OwnerLinks: Sendable {
    /// How long a code is good, and the most that wait to be used.
    private static let (life, most) = (Duration.seconds(120), 16)
    /// The token of this run.
    static let token = random()

    private let codes = Lock<[(code: String, end: MonotonicTime)]>([])

    /// A new code. The oldest one gives way to it.
    func make(at now: MonotonicTime) -> String {
        let code = Self.random()
        codes.withLock { codes in
            codes.removeAll { $0.end <= now }
            if codes.count == Self.most { codes.removeFirst() }
            codes.append((code, now + Self.life))
        }
        return code
    }

    /// The token for a code; nil if there is no such code, or if it was used or is too old.
    func token(for code: String, at now: MonotonicTime) -> String? {
        codes.withLock { codes in
            let found = codes.firstIndex { Secrets.equal(Bytes(text: $0.code), Bytes(text: code)) }
            guard let found else { return nil }
            return codes.remove(at: found).end > now ? Self.token : nil
        }
    }

    /// 256 random bits.
    private static func random() -> String {
        Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}
