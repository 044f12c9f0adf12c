// Reads the remaining calls from `RateLimit` and `RateLimit-Policy` (the HTTP API working group's draft "RateLimit
// header fields for HTTP"): `RateLimit: "hour";r=12;t=300`, `RateLimit-Policy: "hour";q=100;w=3600`. They may lower a
// provider's budget and never raise it.
import LarderCore
import LarderHTTP

extension Credits {
    /// The largest number of policies read from one response.
    private static let most = 4
    /// The longest accepted time until a reset, in seconds.
    private static let longestReset: Int64 = 86_400

    /// Reads both fields. Returns nil if they report nothing or break the grammar of structured fields.
    ///
    /// - Parameter now: the time at which the response arrived.
    public init?(rateLimit fields: HeaderFields, now: WallTime) {
        let said = fields.all(.rateLimit)
        guard !said.isEmpty, let limits = StructuredField.list(said) else { return nil }
        let policies = StructuredField.list(fields.all(.rateLimitPolicy)) ?? []
        var found: [Allowance] = []
        for case .item(let limit) in limits where found.count < Self.most {
            guard case .string(let name) = limit.value, Self.isName(name), !found.contains(where: { $0.name == name }),
                let remaining = Self.number(limit, "r")
            else { continue }
            let policy = policies.lazy.compactMap { Self.item($0, named: name) }.first
            // Without a reset time, nothing tells when calls are available again.
            guard let reset = Self.number(limit, "t") ?? policy.flatMap({ Self.number($0, "w") }) else { continue }
            found.append(
                Allowance(
                    name: name, limit: policy.flatMap { Self.number($0, "q") }.map { Int(clamping: $0) },
                    remaining: Int(clamping: remaining), resetsAt: now + .seconds(min(reset, Self.longestReset))))
        }
        guard !found.isEmpty else { return nil }
        self.init(found)
    }

    private static func item(_ member: StructuredField.Member, named name: String) -> StructuredField.Item? {
        guard case .item(let item) = member, item.value == .string(name) else { return nil }
        return item
    }

    /// Whether a name is safe to show in a report.
    private static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
    }

    private static func number(_ item: StructuredField.Item, _ key: String) -> Int64? {
        guard case .integer(let number)? = item.parameters[key], number >= 0 else { return nil }
        return number
    }
}
