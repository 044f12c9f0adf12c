// Computes the age of a response on arrival (RFC 9111 §4.2.3), in milliseconds. A field that is not a valid age or date
// is left out of the sum (RFC 9111 §5.1 for `Age`). A missing `Date` counts as the time of arrival (RFC 9110 §6.6.1).
import LarderCore
import LarderHTTP

/// Age arithmetic. Pure.
public enum Age {
    /// The corrected_initial_age: the larger of the age by the clocks and the age by `Age` plus the response delay.
    /// `Date` has no fractions, so the clocks are compared in whole seconds. Otherwise every response would arrive
    /// aged.
    public static func initial(fields: HeaderFields, requestTime: WallTime, responseTime: WallTime) -> Int64 {
        let date = date(fields, responseTime: responseTime)
        let apparent = max(0, responseTime.seconds - date.seconds) * 1000
        let delay = max(0, (responseTime - requestTime).milliseconds)
        return max(apparent, value(fields) * 1000 + delay)
    }

    /// The seconds in `Age`: the first value if there are several, 0 if there is none or it is not a number (RFC 9111
    /// §5.1).
    static func value(_ fields: HeaderFields) -> Int64 {
        guard let text = FieldList.members(fields.all(.age)).first else { return 0 }
        return DeltaSeconds.parse(text) ?? 0
    }

    /// The time in `Date`, or the time of arrival if there is no readable date.
    static func date(_ fields: HeaderFields, responseTime: WallTime) -> WallTime {
        fields.first(.date).flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
    }
}
