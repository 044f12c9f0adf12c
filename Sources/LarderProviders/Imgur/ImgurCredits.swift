// Imgur limits calls per application and per user, and reports the remaining calls in each response. Its documentation
// says that the reset time is a Unix time; current responses contain a number of seconds.
import LarderCore
import LarderHTTP

enum ImgurCredits {
    static let function = CreditsFunction("imgur.credits") { fields, now in credits(in: fields, now: now) }

    /// The record with the instant of the user's reset.
    static let expansion = ExpansionFunction("imgur.resets") { record, response, add in
        guard let reset = Numbers.lenient(record["UserReset"]).flatMap({ Int64($0) }) else {
            return add(record, record)
        }
        var writer = JSONWriter()
        writer.object { writer in
            for member in record.members { writer.member(member.name, raw: member.value.raw) }
            writer.member("userResetsAt", Self.reset(reset, now: response.responseTime).rfc3339)
        }
        add((try? JSON.parse(writer.bytes)) ?? record, record)
    }

    /// The wait after a call that found the limit exhausted, if the reset time is unknown.
    private static let unknownReset: Duration = .seconds(3600)
    /// The longest accepted time until a reset.
    private static let longestReset: Duration = .seconds(86_400)

    private static func credits(in fields: HeaderFields, now: WallTime) -> Credits? {
        let found = [("user", "User"), ("client", "Client")].compactMap { name, word -> Credits.Allowance? in
            guard let remaining = Self.number(fields, "X-RateLimit-\(word)Remaining") else { return nil }
            return Credits.Allowance(
                name: name, limit: Self.number(fields, "X-RateLimit-\(word)Limit").map { Int(clamping: $0) },
                remaining: Int(clamping: remaining),
                resetsAt: Self.number(fields, "X-RateLimit-\(word)Reset").map { Self.reset($0, now: now) }
                    ?? now + Self.unknownReset)
        }
        return found.isEmpty ? nil : Credits(found)
    }

    /// The instant of a reset. A figure below one billion cannot be a current Unix time, so it is a number of seconds.
    private static func reset(_ figure: Int64, now: WallTime) -> WallTime {
        let latest = now + longestReset
        if figure < 1_000_000_000 { return now + .seconds(min(max(0, figure), 86_400)) }
        return min(max(WallTime(seconds: min(figure, 253_402_300_799)), now), latest)
    }

    /// The instant from which a call may succeed after one that was limited; nil if the response does not tell.
    static func limitedUntil(_ response: UpstreamResponse, wait: Int?) -> WallTime? {
        let now = response.responseTime
        let spent = credits(in: response.fields, now: now)?.allowances.filter { $0.remaining == 0 } ?? []
        var ends = spent.map(\.resetsAt)
        if let end = RetryAfter.instant(response) { ends.append(end) }
        if let wait { ends.append(now + .seconds(min(max(0, wait), 86_400))) }
        return ends.max()
    }

    private static func number(_ fields: HeaderFields, _ name: String) -> Int64? {
        guard let text = fields.first(name), (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return Int64(text)
    }
}
