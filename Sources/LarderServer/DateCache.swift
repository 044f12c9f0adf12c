// Renders `Date` once per second instead of once per response.
import LarderCore

/// The current second as text, in the preferred format of RFC 9110 §5.6.7 (IMF-fixdate).
struct DateCache {
    private var second = Int64.min
    private var text = ""

    mutating func text(at now: WallTime) -> String {
        let seconds = now.seconds
        if seconds != second {
            second = seconds
            text = Self.render(seconds)
        }
        return text
    }

    static func render(_ seconds: Int64) -> String {
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let rest = seconds - days * 86_400
        let (year, month, day) = WallTime.civil(fromDays: days)
        // 1970-01-01 was a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int((days % 7 + 7) % 7)]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(weekday), \(two(day)) \(months[Int(month) - 1]) \(year) "
            + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }
}
