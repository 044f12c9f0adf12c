// The age of an answer on arrival (RFC 9111 §4.2.3), in milliseconds. A field that is no age or no date is left out of
// the sum (RFC 9111 §5.1 for `Age`; a missing `Date` counts as the time of arrival, RFC 9110 §6.6.1).
import LarderCore
import LarderHTTP

/// Age arithmetic.
public enum Age {
    /// corrected_initial_age: the larger of what the clocks say and what `Age` plus the time under way says. `Date` has
    /// no fractions, so the clocks are compared by whole seconds: else every answer would arrive aged.
    public static func initial(fields: HeaderFields, requestTime: WallTime, responseTime: WallTime) -> Int64 {
        let date = date(fields, responseTime: responseTime)
        let apparent = max(0, responseTime.seconds - date.seconds) * 1000
        let delay = max(0, (responseTime - requestTime).milliseconds)
        return max(apparent, value(fields) * 1000 + delay)
    }

    /// The seconds in `Age`: the first of several, 0 where there is none or it is no number (RFC 9111 §5.1).
    static func value(_ fields: HeaderFields) -> Int64 {
        guard let text = FieldList.members(fields.all("Age")).first else { return 0 }
        return DeltaSeconds.parse(text) ?? 0
    }

    /// The instant in `Date`, or that of arrival where there is none that can be read.
    static func date(_ fields: HeaderFields, responseTime: WallTime) -> WallTime {
        fields.first("Date").flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
    }
}
