// How long a response with an explicit lifetime is fresh (RFC 9111 §4.2.1, §5.2, §5.3).

extension Tables {
    @Clauses static var lifetime: [Clause] {
        Clause("RFC 9111 §4.2.1 max-age", .must, "A response is fresh while its age is below max-age.") {
            answers(reply("Cache-Control: max-age=60"))
            get(expect: status(200), body("body 1"), forwarded("uri-miss", status: 200, stored: true))
            pass(59)
            hits("body 1", also: has("Age", "59"), hit(ttl: 1))
            pass(1)
            miss("body 2")
            saw(2)
        }
        Clause("RFC 9111 §4.2.1 s-maxage longer than max-age", .must, "In a shared cache, s-maxage overrides max-age.")
        {
            answers(reply("Cache-Control: max-age=10, s-maxage=60"))
            get()
            pass(59)
            hits("body 1", also: hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.1 s-maxage shorter than max-age", .must, "In a shared cache, s-maxage overrides max-age.")
        {
            answers(reply("Cache-Control: s-maxage=10, max-age=60"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause("RFC 9111 §5.2.2.10 s-maxage over Expires", .must, "s-maxage overrides Expires.") {
            answers(reply("Cache-Control: s-maxage=60", "Expires: {now-100}"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause("RFC 9111 §5.3 max-age over a past Expires", .must, "Expires is ignored if max-age is present.") {
            answers(reply("Cache-Control: max-age=60", "Expires: {now-100}", "Date: {now}"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause("RFC 9111 §5.3 max-age over a future Expires", .must, "Expires is ignored if max-age is present.") {
            answers(reply("Cache-Control: max-age=10", "Expires: {now+600}", "Date: {now}"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.1 Expires less Date", .must, "Without max-age, the lifetime is Expires minus Date.") {
            answers(reply("Date: {now}", "Expires: {now+60}"))
            get()
            pass(59)
            hits("body 1", also: hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 Expires of a fast clock", .must,
            "The lifetime is Expires minus Date, both as the origin sent them."
        ) {
            answers(reply("Date: {now+3600}", "Expires: {now+3660}"))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 Expires without Date", .must,
            "Without Date, the lifetime is Expires minus the time of receipt."
        ) {
            answers(reply("Expires: {now+60}"))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §5.3 Expires equal to Date", .must, "A response whose Expires equals its Date is not fresh.") {
            answers(reply("Date: {now}", "Expires: {now}"))
            get()
            miss("body 2")
        }
        for value in [
            "0", "-1", "never", "{now+600} +0100", "2027-01-01T00:00:00Z", "Fri, 32 Jan 2027 00:00:00 GMT", "",
            "Fri, 01 Jan 2027 01:00:00 UTC", "Friday, 01-Jan-27 01:00:00 UTC", "Fri, 01 Jan 2027 01:00:00",
            "Fri, 1 Jan 2027 01:00:00 GMT", "Fri 01 Jan 2027 01:00:00 GMT", "Fri, 01-Jan-2027 01:00:00 GMT",
            "Fri, 01 Jan 2027 1:00:00 GMT", "Fri, 01 Jan 2027 01.00.00 GMT", "Fri, 01 Jan 27 01:00:00 GMT",
            "Fri, 01 Jan 2027 01:00:00 GMT, Fri, 01 Jan 2027 01:00:00 GMT", "Fri, 01 Jan 2027  01:00:00 GMT",
        ] {
            Clause("RFC 9111 §5.3 Expires \"\(value)\"", .must, "An invalid Expires counts as a time in the past.") {
                answers(reply("Expires: \(value)", "Last-Modified: {now-100000}"))
                get()
                miss("body 2")
            }
        }
        for value in ["fri, 01 jan 2027 01:00:00 gmt", "FRIDAY, 01-JAN-27 01:00:00 GMT", "fri jan  1 01:00:00 2027"] {
            Clause("RFC 9111 §4.2 Expires \"\(value)\"", .should, "Dates are not case-sensitive.") {
                answers(reply("Expires: \(value)"))
                get()
                hits("body 1")
            }
        }
        for form in ["now", "rfc850", "asctime"] {
            Clause("RFC 9110 §5.6.7 Expires as \(form)", .must, "All three date forms are accepted.") {
                answers(reply("Date: {\(form)}", "Expires: {\(form)+60}"))
                get()
                pass(59)
                hits("body 1")
                pass(1)
                miss("body 2")
            }
        }
        Clause(
            "RFC 9110 §5.6.7 two-digit year far ahead", .must,
            "A two-digit year more than 50 years ahead is a year of the past century."
        ) {
            answers(reply("Expires: Friday, 01-Jan-99 00:00:00 GMT"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9110 §5.6.7 two-digit year ahead", .must, "A two-digit year at most 50 years ahead is in the future."
        ) {
            answers(reply("Expires: Tuesday, 01-Jan-75 00:00:00 GMT"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.2.1 max-age twice", .should,
            "The first value of a repeated directive counts, or the response is stale."
        ) {
            answers(reply("Cache-Control: max-age=10, max-age=600"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 max-age in two lines", .should,
            "The first value of a repeated directive counts, or the response is stale."
        ) {
            answers(reply("Cache-Control: max-age=10", "Cache-Control: max-age=600"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 s-maxage twice", .should,
            "The first value of a repeated directive counts, or the response is stale."
        ) {
            answers(reply("Cache-Control: s-maxage=10, s-maxage=600"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 two Expires", .should,
            "The first of several different Expires lines counts, or the response is stale."
        ) {
            answers(reply("Expires: {now+10}", "Expires: {now+600}"))
            get()
            pass(10)
            miss("body 2")
        }
        for value in ["-1", "abc", "1.5", "60s", "0x3c", "+60", "", "\"-1\"", "6 0"] {
            Clause(
                "RFC 9111 §4.2.1 max-age=\(value)", .should,
                "A response whose lifetime is not a number of seconds is stale."
            ) {
                answers(reply("Cache-Control: max-age=\(value)", "Last-Modified: {now-100000}"))
                get()
                pass(1)
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2.1 max-age without a value", .should, "A response whose lifetime has no number is stale.")
        {
            answers(reply("Cache-Control: max-age", "Expires: {now+600}"))
            get()
            pass(1)
            miss("body 2")
        }
        for value in ["2147483648", "4294967297", "9223372036854775808", "99999999999999999999999999"] {
            Clause(
                "RFC 9111 §1.2.2 max-age=\(value)", .must,
                "A number of seconds that is too large to represent stands for a very long time."
            ) {
                answers(reply("Cache-Control: max-age=\(value)"))
                get()
                pass(365 * 86_400)
                hits("body 1", also: has("Age", "31536000"))
            }
        }
        Clause("RFC 9111 §1.2.2 leading zeros", .must, "Seconds are decimal digits and may have leading zeros.") {
            answers(reply("Cache-Control: max-age=0060"))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2 quoted argument", .should, "A quoted argument is accepted like an unquoted one."
        ) {
            answers(reply("Cache-Control: max-age=\"60\""))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §5.2 case of names", .must, "Directive names are not case-sensitive.") {
            answers(reply("cache-CONTROL: Max-AGE=60"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause("RFC 9111 §5.2.3 unknown directives", .must, "Unknown directives are ignored.") {
            answers(reply("Cache-Control: frob, max-age=60, x=y, z=\"a, b\", community=\"UCI\""))
            get()
            pass(59)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §5.2 directive inside a quoted string", .mustNot,
            "Text inside a quoted string is not a directive."
        ) {
            answers(reply("Cache-Control: frob=\"a, no-store, b\\\", private\", max-age=60"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9111 §5.2 lifetime inside a quoted string", .mustNot, "Text inside a quoted string is not a directive."
        ) {
            answers(reply("Cache-Control: frob=\"x, max-age=600, y\", max-age=10"))
            get()
            pass(10)
            miss("body 2")
        }
        for value in ["max-age=60, x=\"a, no-store", "max-age=60, x=a\", private", "x=\"a, max-age=60"] {
            Clause(
                "RFC 9111 §5.2 \(value)", .should,
                "An unterminated quoted string neither hides a restriction nor permits anything."
            ) {
                answers(reply("Cache-Control: \(value)"))
                get()
                pass(1)
                miss("body 2")
            }
        }
        Clause("RFC 9110 §5.6.1 empty list elements", .must, "Empty list elements are skipped.") {
            answers(reply("Cache-Control: , ,max-age=60,, ,"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause("RFC 9110 §5.3 several lines", .must, "Several lines of one field form one list.") {
            answers(reply("Cache-Control: public", "X-Between: 1", "Cache-Control: max-age=60"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.2.1 conflict of no-store and max-age", .should,
            "The strictest of conflicting directives counts."
        ) {
            answers(reply("Cache-Control: max-age=600", "Cache-Control: no-store"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.1 conflict of public and private", .should, "The strictest of conflicting directives counts."
        ) {
            answers(reply("Cache-Control: public, private, max-age=600"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §5.4 Pragma of an answer", .may, "Pragma in a response has no effect.") {
            answers(reply("Cache-Control: max-age=60", "Pragma: no-cache"))
            get()
            hits("body 1", also: has("Pragma", "no-cache"))
        }
        Clause(
            "RFC 9111 §5.4 Pragma beside Cache-Control", .may,
            "Pragma in a request is ignored if Cache-Control is present."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            get("Cache-Control: max-age=30", "Pragma: no-cache", expect: body("body 1"), hit())
        }
    }
}
