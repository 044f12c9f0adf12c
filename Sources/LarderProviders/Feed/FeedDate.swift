// The dates of feeds: those of mails in RSS (RFC 5322 §3.3 and, for old years and zones, §4.3), RFC 3339 in Atom.
import LarderCore

enum FeedDate {
    static func instant(_ text: String) -> WallTime? {
        if let time = DateText.parse(text) { return time }
        // "Sat, 07 Sep 2002 09:42:31 +0200"; the weekday and the seconds may be missing.
        var words = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        if let first = words.first, first.first?.isLetter == true { words.removeFirst() }
        guard words.count >= 4, let month = months.firstIndex(of: words[1].prefix(3).lowercased()),
            let day = Int(words[0]), let year = year(words[2])
        else { return nil }
        let clock = words[3].split(separator: ":").map(String.init)
        guard (2...3).contains(clock.count), clock.allSatisfy({ $0.utf8.count <= 2 && Int($0) != nil }) else {
            return nil
        }
        let time = (clock + ["00"]).prefix(3).map { two(Int($0) ?? 0) }.joined(separator: ":")
        let zone = words.count > 4 ? offset(words[4]) : "Z"
        return zone.flatMap { DateText.parse("\(year)-\(two(month + 1))-\(two(day))T\(time)\($0)") }
    }

    private static func two(_ number: Int) -> String { number < 10 && number >= 0 ? "0\(number)" : "\(number)" }

    /// Years of two digits are those of RFC 5322 §4.3.
    private static func year(_ text: String) -> Int? {
        guard let year = Int(text), year >= 0 else { return nil }
        return text.utf8.count == 2 ? year + (year < 50 ? 2000 : 1900) : text.utf8.count == 4 ? year : nil
    }

    private static func offset(_ zone: String) -> String? {
        if zone.first == "+" || zone.first == "-" { return zone }
        let hours = ["EST": 5, "EDT": 4, "CST": 6, "CDT": 5, "MST": 7, "MDT": 6, "PST": 8, "PDT": 7][zone.uppercased()]
        if let hours { return "-0\(hours):00" }
        // Other names are read as UTC (RFC 5322 §4.3).
        return "Z"
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
