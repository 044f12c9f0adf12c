// What the cache says about itself (RFC 9211), who may share an answer, and fields for particular caches (RFC 9213).

extension Tables {
    @Clauses static var cacheStatus: [Clause] {
        Clause("RFC 9211 §2.2 uri-miss", .must, "Nothing was stored for the address.") {
            answers(reply("Cache-Control: max-age=60"))
            get(expect: forwarded("uri-miss", status: 200, stored: true, collapsed: false))
        }
        Clause("RFC 9211 §2.2 vary-miss", .must, "Something was stored for the address, nothing for these fields.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a", expect: forwarded("uri-miss", status: 200, stored: true))
            get("X-Who: b", expect: forwarded("vary-miss", status: 200, stored: true))
        }
        Clause("RFC 9211 §2.2 stale", .must, "What was stored is stale.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            pass(60)
            get(expect: forwarded("stale", status: 304, stored: false))
        }
        Clause("RFC 9211 §2.2 request", .must, "What was stored is fresh, but the request forbids it.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            get("Cache-Control: no-cache", expect: forwarded("request", status: 200, stored: true))
        }
        Clause("RFC 9211 §2.2 method", .must, "The method demands that the request goes forward.") {
            answers(reply(status: "201 Created"))
            send("POST", body: "x", expect: forwarded("method", status: 201, stored: false))
        }
        Clause("RFC 9211 §2.1 hit", .must, "An answer from the store is a hit, with the seconds it stays fresh.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            hits("body 1", also: hit(ttl: 60))
            pass(20)
            hits("body 1", also: hit(ttl: 40))
        }
        Clause("RFC 9211 §2.4 ttl of a stale answer", .must, "The ttl of a stale answer is negative.") {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(100)
            get("Cache-Control: max-stale", expect: hit(ttl: -40))
        }
        Clause("RFC 9211 §2.3 fwd-status of an error", .must, "The status is the one that the upstream sent.") {
            answers(reply("Cache-Control: no-store", status: "404 None"))
            get(expect: forwarded("uri-miss", status: 404, stored: false))
        }
        Clause("RFC 9211 §2.5 stored", .must, "stored is said exactly where the answer was stored.") {
            answers(
                reply("Cache-Control: max-age=60", at: "/yes"), reply("Cache-Control: private", at: "/no"))
            get(at: "/yes", expect: forwarded("uri-miss", stored: true))
            get(at: "/no", expect: forwarded("uri-miss", stored: false))
        }
        Clause(
            "RFC 9211 §2 behind the upstream's", .must, "Our member stands behind those of caches nearer to the origin."
        ) {
            answers(
                reply(
                    "Cache-Control: max-age=60", "Cache-Status: Near; hit; ttl=5",
                    "Cache-Status: \"Next, one\"; fwd=miss"))
            for _ in 0..<4 {
                get(expect: cacheStatusBegins("Near; hit; ttl=5, \"Next, one\"; fwd=miss, larder; "))
            }
        }
        Clause("RFC 9211 §2 no member of ours twice", .must, "Each answer has one member of ours.") {
            answers(
                reply("Cache-Control: max-age=60", "Cache-Status: Near; hit", "ETag: \"a\""), notModified("ETag: \"a\"")
            )
            get(expect: membersOfOurs(1))
            hits("body 1", also: membersOfOurs(1))
            pass(60)
            get(expect: membersOfOurs(1))
            hits("body 1", also: membersOfOurs(1))
        }
        Clause(
            "RFC 9211 §2 not on our own answers from nowhere", .mustNot,
            "An answer that no cache was asked for has neither hit nor fwd."
        ) {
            get(
                "Cache-Control: only-if-cached", expect: status(504), excludes("Cache-Status", "hit"),
                excludes("Cache-Status", "fwd="))
        }
        Clause("RFC 9211 §2.2 upstream gone", .must, "A request that went forward in vain has no fwd-status.") {
            answers(disconnection())
            get(
                expect: .either(status(502), status(504)), excludes("Cache-Status", "hit"),
                excludes("Cache-Status", "fwd-status"))
        }
        Clause("RFC 9211 §2.2 credentials", .must, "Where the cache has no part in a request, it says so.") {
            answers(reply("Cache-Control: max-age=60"))
            get(
                "Authorization: Basic YTpi",
                expect: .either(forwarded("bypass", stored: false), forwarded("uri-miss", stored: false)))
        }
    }

    @Clauses static var collapsing: [Clause] {
        Clause("RFC 9111 §4 twenty at once", .may, "Requests that wait for one storable answer share a fetch.") {
            answers(reply("Cache-Control: max-age=60").held(at: "all wait"))
            crowd(20, gate: "all wait", each: status(200), body("body 1"), forwarded("uri-miss"))
            saw(1)
            hits("body 1")
        }
        Clause("RFC 9211 §2.6 collapsed", .must, "Answers from another's fetch say so, and the first does not.") {
            answers(reply("Cache-Control: max-age=60").held(at: "all wait"))
            crowd(5, gate: "all wait")
        }
        Clause("RFC 9111 §4 twenty validations at once", .may, "Requests that wait for one validation share it.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""), notModified("ETag: \"a\"").held(at: "all wait"))
            get()
            pass(60)
            crowd(20, gate: "all wait", each: status(200), body("body 1"), forwarded("stale"))
            saw(2)
        }
        for (clause, control) in [("§5.2.2.4", "no-cache"), ("§4.2.4", "max-age=0")] {
            Clause(
                "RFC 9111 \(clause) asked before: \(control)", .mustNot,
                "An answer that must be validated is not given to a request that came after its call was sent."
            ) {
                answers(reply("Cache-Control: \(control)", "ETag: \"a\"").held(at: "wait"))
                start("anna")
                reaches(1)
                pass(1)
                start("bert")
                start("cleo")
                open("wait")
                finish("anna", body("body 1"))
                finish("bert", body("body 2"))
                finish("cleo", body("body 2"))
                saw(2)
            }
        }
        Clause(
            "RFC 9111 §5.2.1.4 asked before", .should,
            "A reload is not answered by a call that was sent before it."
        ) {
            answers(reply("Cache-Control: max-age=60").held(at: "wait"))
            start("anna")
            reaches(1)
            pass(1)
            start("bert", "Cache-Control: no-cache")
            open("wait")
            finish("anna", body("body 1"))
            finish("bert", body("body 2"))
            saw(2)
        }
        for fields in [
            "Cache-Control: no-store", "Cache-Control: private, max-age=60",
            "Cache-Control: max-age=60\r\nSet-Cookie: id={n}",
            "Cache-Control: max-age=60\r\nVary: *", "Cache-Control: max-age=60\r\nVary: X-Who",
        ] {
            Clause(
                "RFC 9111 §3 not shared: \(fields.replacing("\r\n", with: ", "))", .mustNot,
                "Who waits for an answer that is not theirs does not get it."
            ) {
                answers(
                    reply(fields, body: "for {got:X-Who}").held(at: "wait"))
                start("anna", "X-Who: anna")
                reaches(1)
                start("bert", "X-Who: bert")
                start("cleo", "X-Who: cleo")
                open("wait")
                finish("anna", body("for anna"))
                finish("bert", body("for bert"))
                finish("cleo", body("for cleo"))
                saw(3)
            }
        }
        Clause(
            "RFC 9111 §4 known not to be shared", .may,
            "After an answer that could not be shared nobody waits for another's."
        ) {
            answers(reply("Cache-Control: no-store"), reply("Cache-Control: no-store").held(at: "slow"))
            get()
            start("slow")
            reaches(2)
            answers(reply("Cache-Control: no-store"))
            get(expect: body("body 3"), forwarded("uri-miss", collapsed: false))
            open("slow")
            finish("slow", body("body 2"))
        }
        Clause(
            "RFC 9111 §5.2.1.5 no-store is not shared", .mustNot,
            "The answer to a request with no-store goes to nobody else."
        ) {
            answers(
                reply("Cache-Control: max-age=60").held(at: "slow"), reply("Cache-Control: max-age=60"))
            start("slow", "Cache-Control: no-store")
            reaches(1)
            get(expect: body("body 2"), forwarded("uri-miss", stored: true, collapsed: false))
            open("slow")
            finish("slow", body("body 1"))
            hits("body 2")
        }
        Clause(
            "RFC 9111 §3.5 credentials are not shared", .mustNot,
            "The answer to a request with Authorization goes to nobody else."
        ) {
            answers(reply("Cache-Control: max-age=60", body: "for {got:Authorization}").held(at: "wait"))
            start("anna", "Authorization: Basic anna")
            reaches(1)
            start("nobody")
            reaches(2)
            start("bert", "Authorization: Basic bert")
            reaches(3)
            open("wait")
            finish("anna", body("for Basic anna"))
            finish("nobody", body("for "))
            finish("bert", body("for Basic bert"))
        }
        Clause(
            "RFC 9111 §5.2.1.4 no-cache behind a fetch", .mustNot,
            "A client's no-cache is not answered by what was stored before it."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get()
            pass(10)
            get("Cache-Control: no-cache", expect: body("body 2"), has("Age", "0"))
            hits("body 2")
        }
    }

    @Clauses static var targeted: [Clause] {
        Clause("RFC 9213 §2.2 longer than Cache-Control", .must, "Our targeted field takes the place of Cache-Control.")
        {
            answers(reply("Larder-Cache-Control: max-age=60", "Cache-Control: no-store"))
            get()
            pass(59)
            hits("body 1", also: hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 stricter than Cache-Control", .must, "Our targeted field takes the place of Cache-Control."
        ) {
            answers(reply("Cache-Control: max-age=60", "Larder-Cache-Control: no-store"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 lifetime only in Cache-Control", .must,
            "Beside our targeted field the lifetime of Cache-Control does not count."
        ) {
            answers(reply("Cache-Control: max-age=60", "Larder-Cache-Control: must-revalidate"))
            get()
            miss("body 2")
        }
        Clause("RFC 9213 §2.2 over Expires", .must, "Our targeted field takes the place of Expires.") {
            answers(reply("Larder-Cache-Control: max-age=60", "Expires: 0", "Pragma: no-cache"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2.2 Expires does not count", .must, "Our targeted field takes the place of Expires.") {
            answers(reply("Larder-Cache-Control: public", "Expires: {now+600}"))
            get()
            miss("body 2")
        }
        for value in [
            "max-age=60, @", "max-age=60,, s-maxage=60", "Max-Age=60", "\"max-age=60\"", "max-age=60,", "max-age=6 0",
        ] {
            Clause(
                "RFC 9213 §2.2 unreadable: \(value)", .must,
                "A targeted field that cannot be read is ignored as a whole."
            ) {
                answers(reply("Larder-Cache-Control: \(value)", "Cache-Control: no-store"))
                get()
                miss("body 2")
            }
            Clause("RFC 9213 §2.2 unreadable, others count: \(value)", .must, "Then Cache-Control counts.") {
                answers(reply("Larder-Cache-Control: \(value)", "Cache-Control: max-age=600"))
                get()
                pass(599)
                hits("body 1")
            }
        }
        Clause("RFC 9213 §2.2 empty", .must, "A targeted field that says nothing is ignored.") {
            answers(reply("Larder-Cache-Control:", "Cache-Control: max-age=60"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2.1 several lines", .must, "Lines of one targeted field are one dictionary.") {
            answers(reply("Larder-Cache-Control: max-age=60", "Larder-Cache-Control: private", "Cache-Control: public"))
            get()
            miss("body 2")
        }
        Clause("RFC 9213 §2.1 parameters", .must, "Parameters of directives say nothing.") {
            answers(reply("Larder-Cache-Control: max-age=60;x=1;no-store", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §2.1 the last of a repeated key", .must,
            "Of a repeated key of a dictionary the last counts (RFC 9651 §4.2.2)."
        ) {
            answers(reply("Larder-Cache-Control: max-age=600, max-age=10", "Cache-Control: no-store"))
            get()
            pass(10)
            miss("body 2")
        }
        Clause("RFC 9213 §2.1 unknown directives", .must, "Unknown directives of a targeted field are ignored.") {
            answers(reply("Larder-Cache-Control: max-age=60, frob=(a b), x=:YQ==:", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2.2 stale rules", .must, "Rules about stale use are those of the targeted field too.") {
            answers(
                reply(
                    "Larder-Cache-Control: max-age=60, must-revalidate", "Cache-Control: max-age=60, stale-if-error=600"
                ),
                disconnection())
            get()
            pass(61)
            get(expect: status(504))
        }
        Clause("RFC 9213 §2.2 windows", .must, "Windows of the targeted field count.") {
            answers(
                reply("Larder-Cache-Control: max-age=60, stale-if-error=60", "Cache-Control: no-store"),
                reply(status: "500 Broken"))
            get()
            pass(100)
            get(expect: status(200), body("body 1"))
        }
        Clause("RFC 9213 §2.1 passed on", .may, "Targeted fields are passed on with the rest.") {
            answers(
                reply(
                    "Larder-Cache-Control: max-age=60", "CDN-Cache-Control: max-age=5", "Other-Cache-Control: no-store")
            )
            get(expect: has("Larder-Cache-Control", "max-age=60"), has("CDN-Cache-Control", "max-age=5"))
            hits("body 1", also: has("Larder-Cache-Control", "max-age=60"), has("Other-Cache-Control", "no-store"))
        }
        Clause("RFC 9213 §3.1 CDN-Cache-Control is not ours", .must, "Fields for other caches are ignored.") {
            answers(reply("CDN-Cache-Control: no-store", "Cache-Control: max-age=60"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §3.1 CDN-Cache-Control by choice", .may, "Where it is configured, CDN-Cache-Control counts.",
            settings: ", cdnCacheControl: true"
        ) {
            answers(reply("CDN-Cache-Control: max-age=60", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §2.2 the most specific", .must, "The first of the target list that is there counts.",
            settings: ", cdnCacheControl: true"
        ) {
            answers(
                reply("CDN-Cache-Control: max-age=60", "Larder-Cache-Control: no-store", "Cache-Control: max-age=60"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 the next where the first is unreadable", .must,
            "Where the first cannot be read, the next counts.", settings: ", cdnCacheControl: true"
        ) {
            answers(reply("CDN-Cache-Control: max-age=60", "Larder-Cache-Control: @", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2 of a request", .must, "A targeted field is of answers only.") {
            answers(reply("Cache-Control: max-age=60"))
            get("Larder-Cache-Control: no-store")
            get("Larder-Cache-Control: no-cache", expect: hit())
        }
    }

    private static func cacheStatusBegins(_ text: String) -> Check {
        Check("Cache-Status begins \"\(text)\"") { message in
            let value = message.all("Cache-Status").joined(separator: ", ")
            return value.hasPrefix(text) ? nil : value
        }
    }

    private static func membersOfOurs(_ count: Int) -> Check {
        Check("Cache-Status has \(count) member of ours") { message in
            let value = message.all("Cache-Status").joined(separator: ", ")
            let found = value.split(separator: ",").filter { $0.drop { $0 == " " }.hasPrefix("larder") }.count
            return found == count ? nil : value
        }
    }
}
