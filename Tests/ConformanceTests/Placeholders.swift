// Fills in values that are known only when a message is sent: dates by the scenario's clock, numbers and lengths.

struct Placeholders: Sendable {
    /// The time of the scenario, in seconds since 1970.
    var now: Int
    /// The address of the origin: "http://127.0.0.1:port".
    var origin: String
    /// The number of the request that is answered, from 1.
    var number = 0
    /// The request that is answered.
    var request: Message?

    func fill(_ text: String) -> String {
        var out = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = Self.end(of: rest[open...]) {
            out += rest[..<open]
            let inner = String(rest[rest.index(after: open)..<close])
            out += value(inner) ?? "{\(fill(inner))}"
            rest = rest[rest.index(after: close)...]
        }
        return out + rest
    }

    /// The brace that closes the first one. Nested braces, as of a JSON body inside a length, are counted too.
    private static func end(of text: Substring) -> Substring.Index? {
        var depth = 0
        for place in text.indices {
            if text[place] == "{" { depth += 1 }
            if text[place] == "}" {
                depth -= 1
                if depth == 0 { return place }
            }
        }
        return nil
    }

    private func value(_ name: String) -> String? {
        if name == "n" { return "\(number)" }
        if name == "origin" { return origin }
        if name == "host" { return String(origin.dropFirst(7)) }
        if name.hasPrefix("length:") { return "\(fill(String(name.dropFirst(7))).utf8.count)" }
        if name.hasPrefix("got:") { return request?.all(String(name.dropFirst(4))).joined(separator: ", ") ?? "-" }
        for (form, write) in [("now", Dates.fixed), ("rfc850", Dates.rfc850), ("asctime", Dates.asctime)] {
            guard name.hasPrefix(form) else { continue }
            let offset = name.dropFirst(form.count)
            if offset.isEmpty { return write(now) }
            if let seconds = Int(offset) { return write(now + seconds) }
        }
        return nil
    }
}

/// Writes the three date forms (RFC 9110 §5.6.7) without the code under test.
enum Dates {
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func fixed(_ seconds: Int) -> String {
        let date = parts(seconds)
        return "\(date.day.prefix(3)), \(two(date.number)) \(months[date.month]) \(date.year) \(date.time) GMT"
    }

    static func rfc850(_ seconds: Int) -> String {
        let date = parts(seconds)
        return "\(date.day), \(two(date.number))-\(months[date.month])-\(two(date.year % 100)) \(date.time) GMT"
    }

    static func asctime(_ seconds: Int) -> String {
        let date = parts(seconds)
        let number = date.number < 10 ? " \(date.number)" : "\(date.number)"
        return "\(date.day.prefix(3)) \(months[date.month]) \(number) \(date.time) \(date.year)"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func parts(_ seconds: Int) -> (day: String, number: Int, month: Int, year: Int, time: String) {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let clock = seconds - days * 86_400
        // 1970-01-01 was a Thursday.
        let name = Self.days[((days + 4) % 7 + 7) % 7]
        var year = 1970
        var left = days
        func length(_ year: Int) -> Int { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        while left < 0 {
            year -= 1
            left += length(year)
        }
        while left >= length(year) {
            left -= length(year)
            year += 1
        }
        let lengths = [31, length(year) == 366 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 0
        while left >= lengths[month] {
            left -= lengths[month]
            month += 1
        }
        let time = [clock / 3600, clock / 60 % 60, clock % 60].map(two).joined(separator: ":")
        return (name, left + 1, month, year, time)
    }
}
