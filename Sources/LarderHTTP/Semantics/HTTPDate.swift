// HTTP dates (RFC 9110 §5.6.7): one form is written, three are read. Names and zone are matched regardless of case, and
// only GMT counts as a zone, as RFC 9111 §4.2 asks of caches. A text that is no date gives nil, never a guess.
import LarderCore

/// Reads and writes HTTP dates in whole seconds, UTC. No calendar library is used.
public enum HTTPDate {
    /// The instant that a date names; nil if the text has none of the three forms.
    ///
    /// - Parameter now: decides the century of the two-digit year of the RFC 850 form. A date more than 50 years after
    ///   `now` lies in the past.
    public static func parse(_ text: String, now: WallTime) -> WallTime? {
        var text = text
        return text.withUTF8 { parse(bytes: $0, now: now) }
    }

    /// The same, from the bytes of a head.
    public static func parse(bytes: UnsafeBufferPointer<UInt8>, now: WallTime) -> WallTime? {
        var cursor = Cursor(bytes: bytes)
        cursor.skipSpaces()
        let date = cursor.date(now: now)
        cursor.skipSpaces()
        return cursor.isAtEnd ? date : nil
    }

    /// The preferred form: "Sun, 06 Nov 1994 08:49:37 GMT". Instants outside the years 0…9999 are clamped.
    public static func format(_ time: WallTime) -> String {
        let seconds = min(max(time.seconds, -62_167_219_200), 253_402_300_799)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = Int(seconds - days * 86_400)
        let (year, month, day) = WallTime.civil(fromDays: days)
        return String(unsafeUninitializedCapacity: 29) { out in
            var place = 0
            func put(_ byte: UInt8) {
                out[place] = byte
                place += 1
            }
            func put(_ text: StaticString) {
                for index in 0..<text.utf8CodeUnitCount { put(text.utf8Start[index]) }
            }
            func two(_ value: Int) {
                put(0x30 + UInt8(truncatingIfNeeded: value / 10))
                put(0x30 + UInt8(truncatingIfNeeded: value % 10))
            }
            // Day 0 of 1970 was a Thursday.
            put(Names.days[Int(((days + 4) % 7 + 7) % 7)])
            put(", ")
            two(Int(day))
            put(0x20)
            put(Names.months[Int(month) - 1])
            put(0x20)
            two(Int(year) / 100)
            two(Int(year) % 100)
            put(0x20)
            two(rest / 3600)
            put(0x3A)
            two(rest / 60 % 60)
            put(0x3A)
            two(rest % 60)
            put(" GMT")
            return place
        }
    }

    private enum Names {
        static let days: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        /// What the names of RFC 850 add to the short ones.
        static let longEndings: [StaticString] = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]
        static let months: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        /// The short names as numbers, for comparison in one step.
        static let dayLetters = days.map { letters(UnsafeBufferPointer(start: $0.utf8Start, count: 3)) }
        static let monthLetters = months.map { letters(UnsafeBufferPointer(start: $0.utf8Start, count: 3)) }

        /// Three letters as a number, regardless of case.
        static func letters(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
            bytes.reduce(0) { $0 << 8 | UInt32(ASCII.lowercased($1)) }
        }
    }

    /// A position in the text. Every step either advances or returns nil.
    private struct Cursor {
        let bytes: UnsafeBufferPointer<UInt8>
        var place = 0

        init(bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        var isAtEnd: Bool { place == bytes.count }

        mutating func skipSpaces() {
            while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
        }

        mutating func date(now: WallTime) -> WallTime? {
            guard let day = letters(among: Names.dayLetters) else { return nil }
            if take(0x2C) { return fixdate() }
            return takeLetters(Names.longEndings[day]) ? rfc850(now: now) : asctime()
        }

        /// " 06 Nov 1994 08:49:37 GMT"
        private mutating func fixdate() -> WallTime? {
            guard take(0x20), let day = number(2), take(0x20), let month = letters(among: Names.monthLetters),
                take(0x20),
                let year = number(4), take(0x20), let time = clock(), take(0x20), zone()
            else { return nil }
            return instant(year: year, month: month + 1, day: day, time: time)
        }

        /// ", 06-Nov-94 08:49:37 GMT"
        private mutating func rfc850(now: WallTime) -> WallTime? {
            guard take(0x2C), take(0x20), let day = number(2), take(0x2D),
                let month = letters(among: Names.monthLetters),
                take(0x2D),
                let short = number(2), take(0x20), let time = clock(), take(0x20), zone()
            else { return nil }
            // The latest year with those digits that is at most 50 years ahead (RFC 9110 §5.6.7).
            let days = now.seconds >= 0 ? now.seconds / 86_400 : (now.seconds - 86_399) / 86_400
            let present = WallTime.civil(fromDays: days).year
            var year = (present + 50) - ((present + 50) - short) % 100
            if year == present + 50, let date = instant(year: year, month: month + 1, day: day, time: time),
                let limit = fiftyYears(after: now, days: days), date > limit
            {
                year -= 100
            }
            return instant(year: year, month: month + 1, day: day, time: time)
        }

        /// " Nov  6 08:49:37 1994"
        private mutating func asctime() -> WallTime? {
            guard take(0x20), let month = letters(among: Names.monthLetters), take(0x20) else { return nil }
            guard let day = take(0x20) ? number(1) : number(2) else { return nil }
            guard take(0x20), let time = clock(), take(0x20), let year = number(4) else { return nil }
            return instant(year: year, month: month + 1, day: day, time: time)
        }

        private func fiftyYears(after now: WallTime, days: Int64) -> WallTime? {
            let (year, month, day) = WallTime.civil(fromDays: days)
            let start = WallTime.days(year: year + 50, month: month, day: day)
            return WallTime(seconds: start * 86_400 + (now.seconds - days * 86_400))
        }

        /// Seconds of the day. A leap second (60) counts as the first second of the next minute.
        private mutating func clock() -> Int64? {
            guard let hour = number(2), take(0x3A), let minute = number(2), take(0x3A), let second = number(2),
                hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        private mutating func zone() -> Bool {
            takeLetters("GMT")
        }

        private func instant(year: Int64, month: Int, day: Int64, time: Int64) -> WallTime? {
            let days = WallTime.days(year: year, month: Int64(month), day: day)
            // A day that the month does not have would come back as another date.
            guard day >= 1, WallTime.civil(fromDays: days) == (year, Int64(month), day) else { return nil }
            return WallTime(seconds: days * 86_400 + time)
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
            return true
        }

        private mutating func number(_ digits: Int) -> Int64? {
            guard place + digits <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[place..<place + digits] {
                guard ASCII.isDigit(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            place += digits
            return value
        }

        /// Which of the names of three letters is at the current position.
        private mutating func letters(among names: [UInt32]) -> Int? {
            guard place + 3 <= bytes.count else { return nil }
            let here = Names.letters(UnsafeBufferPointer(rebasing: bytes[place..<place + 3]))
            guard let number = names.firstIndex(of: here) else { return nil }
            place += 3
            return number
        }

        /// Takes the letters if they are at the current position, regardless of case.
        private mutating func takeLetters(_ letters: StaticString) -> Bool {
            let count = letters.utf8CodeUnitCount
            guard place + count <= bytes.count else { return false }
            for index in 0..<count
            where ASCII.lowercased(bytes[place + index]) != ASCII.lowercased(letters.utf8Start[index]) { return false }
            place += count
            return true
        }
    }
}
