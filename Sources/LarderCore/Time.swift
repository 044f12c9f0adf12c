// Two kinds of time. Wall time is stored and compared across restarts; monotonic time drives timers and measurements.
// Rooms that only decide read no clock: instants are passed in as parameters.
import Glibc

/// Milliseconds since 1970-01-01 UTC. Stored in databases and shown in responses.
public struct WallTime: Sendable, Hashable, Comparable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a time from whole seconds since 1970.
    @inlinable
    public init(seconds: Int64) {
        self.milliseconds = seconds &* 1000
    }

    /// Whole seconds since 1970, rounded down.
    @inlinable
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    @inlinable
    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    /// Adds a duration. Saturates instead of wrapping.
    @inlinable
    public static func + (left: WallTime, right: Duration) -> WallTime {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return WallTime(milliseconds: overflow ? (right < .zero ? .min : .max) : sum)
    }

    /// The time from the right instant to the left one; negative if the left one is earlier. Saturates instead of
    /// wrapping.
    @inlinable
    public static func - (left: WallTime, right: WallTime) -> Duration {
        let (span, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return .milliseconds(overflow ? (left < right ? .min : .max) : span)
    }

    /// Later than any stored time.
    public static let distantFuture = WallTime(milliseconds: .max)
    /// Earlier than any stored time.
    public static let distantPast = WallTime(milliseconds: .min)

    /// The first and the last second that RFC 3339 can express. Its years have four digits.
    private static let firstNamed: Int64 = -62_167_219_200
    private static let lastNamed: Int64 = 253_402_300_799

    /// RFC 3339 in UTC, in whole seconds: "2026-11-20T12:00:00Z". A time before the year 0 is shown as its beginning, a
    /// time after the year 9999 as its end.
    public var rfc3339: String {
        let seconds = min(max(seconds, Self.firstNamed), Self.lastNamed)
        let (year, month, day) = Self.civil(fromDays: seconds.flooredQuotient(by: 86_400))
        let rest = seconds - seconds.flooredQuotient(by: 86_400) * 86_400
        // Every result has such a text, and one made of parts of text takes 3,000 instructions.
        return String(unsafeUninitializedCapacity: 20) { bytes in
            var place = 0
            func add(_ value: Int64, digits: Int, then mark: UInt8) {
                var value = value
                for digit in stride(from: place + digits - 1, through: place, by: -1) {
                    bytes[digit] = 0x30 + UInt8(value % 10)
                    value /= 10
                }
                bytes[place + digits] = mark
                place += digits + 1
            }
            add(year, digits: 4, then: 0x2D)
            add(month, digits: 2, then: 0x2D)
            add(day, digits: 2, then: 0x54)
            add(rest / 3600, digits: 2, then: 0x3A)
            add(rest / 60 % 60, digits: 2, then: 0x3A)
            add(rest % 60, digits: 2, then: 0x5A)
            return place
        }
    }

    /// RFC 3339 in UTC with milliseconds, for the details of one request: "2026-11-20T12:00:00.250Z".
    public var rfc3339Milliseconds: String {
        let rest = milliseconds - seconds * 1000
        let digits = String(rest)
        return "\(rfc3339.dropLast()).\(String(repeating: "0", count: 3 - digits.count))\(digits)Z"
    }

    /// Year, month (1…12) and day (1…31) of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
    public static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Days are counted from 0000-03-01, so the leap day ends the year. Eras of 400 years repeat exactly.
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The day, counted from 1970-01-01, of a date in the proleptic Gregorian calendar. Month 1…12, day 1…31.
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    @inlinable
    public var milliseconds: Int64 {
        // 10^15 is 2^15 · 5^15. After the shift a duration of up to three days fits a word; 128 bits divide slowly.
        if self >= .zero, let short = Int64(exactly: attoseconds >> 15) { return short / 30_517_578_125 }
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded towards zero.
    @inlinable
    public var wholeSeconds: Int64 { components.seconds }
}

/// Nanoseconds of a clock that never steps back and also counts while the machine sleeps (CLOCK_BOOTTIME).
public struct MonotonicTime: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Earlier than any remembered instant.
    public static let distantPast = MonotonicTime(nanoseconds: .min)

    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adds a duration. Saturates instead of wrapping.
    @inlinable
    public static func + (left: MonotonicTime, right: Duration) -> MonotonicTime {
        // 10^9 is 2^9 · 5^9. After the shift a duration of up to an hour fits a word; 128 bits divide slowly.
        if right >= .zero, let short = Int64(exactly: right.attoseconds >> 9) {
            let (sum, overflow) = left.nanoseconds.addingReportingOverflow(short / 1_953_125)
            if !overflow { return MonotonicTime(nanoseconds: sum) }
        }
        let (product, overflow) = right.milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let end = right < .zero ? MonotonicTime(nanoseconds: .min) : MonotonicTime(nanoseconds: .max)
        if overflow { return end }
        let rest = right.components.attoseconds / 1_000_000_000 % 1_000_000
        let (sum, sumOverflow) = left.nanoseconds.addingReportingOverflow(product &+ rest)
        return sumOverflow ? end : MonotonicTime(nanoseconds: sum)
    }

    /// The time from the right instant to the left one; negative if the left one is earlier. Saturates instead of
    /// wrapping.
    @inlinable
    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        let (span, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return .nanoseconds(overflow ? (left < right ? .min : .max) : span)
    }
}

/// The source of time for rooms that act. Rooms that only decide never use one. A test passes a source that it sets by
/// hand.
public protocol TimeSource: Sendable {
    func wall() -> WallTime
    func monotonic() -> MonotonicTime
    /// A mark of the machine's start from which the monotonic clock counts; 0 if it is not known.
    var boot: UInt32 { get }
}

extension TimeSource {
    public var boot: UInt32 { 0 }
}

/// The system's clocks.
public struct SystemTime: TimeSource {
    public init() {}

    public var boot: UInt32 { BootID.present }

    @inlinable
    public func wall() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
    }

    @inlinable
    public func monotonic() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
