// Cache-Status (RFC 9211), sharing of responses between requests, and targeted fields (RFC 9213).

extension Tables {
    @Clauses static var cacheStatus: [Clause] {
        Clause("RFC 9211 §2.2 uri-miss", .must, "The reason is uri-miss if nothing is stored for the URL.") {
            answers(reply("Cache-Control: max-age=60"))
            get(expect: forwarded("uri-miss", status: 200, stored: true, collapsed: false))
        }
        Clause(
            "RFC 9211 §2.2 vary-miss", .must,
            "The reason is vary-miss if responses are stored for the URL, but none for these request fields."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a", expect: forwarded("uri-miss", status: 200, stored: true))
            get("X-Who: b", expect: forwarded("vary-miss", status: 200, stored: true))
        }
        Clause("RFC 9211 §2.2 stale", .must, "The reason is stale if the stored response is stale.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            pass(60)
            get(expect: forwarded("stale", status: 304, stored: false))
        }
        Clause(
            "RFC 9211 §2.2 request", .must,
            "The reason is request if the stored response is fresh but the request forbids its use."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            get("Cache-Control: no-cache", expect: forwarded("request", status: 200, stored: true))
        }
        Clause("RFC 9211 §2.2 method", .must, "The reason is method if the method requires forwarding.") {
            answers(reply(status: "201 Created"))
            send("POST", body: "x", expect: forwarded("method", status: 201, stored: false))
        }
        Clause(
            "RFC 9211 §2.1 hit", .must,
            "A response from the store is a hit, and ttl gives its remaining freshness in seconds."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            hits("body 1", also: hit(ttl: 60))
            pass(20)
            hits("body 1", also: hit(ttl: 40))
        }
        Clause("RFC 9211 §2.4 ttl of a stale answer", .must, "The ttl of a stale response is negative.") {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(100)
            get("Cache-Control: max-stale", expect: hit(ttl: -40))
        }
        Clause("RFC 9211 §2.3 fwd-status of an error", .must, "fwd-status is the status code that the upstream sent.") {
            answers(reply("Cache-Control: no-store", status: "404 None"))
            get(expect: forwarded("uri-miss", status: 404, stored: false))
        }
        Clause("RFC 9211 §2.5 stored", .must, "The parameter stored is present if and only if the response was stored.")
        {
            answers(
                reply("Cache-Control: max-age=60", at: "/yes"), reply("Cache-Control: private", at: "/no"))
            get(at: "/yes", expect: forwarded("uri-miss", stored: true))
            get(at: "/no", expect: forwarded("uri-miss", stored: false))
        }
        Clause(
            "RFC 9211 §2 behind the upstream's", .must,
            "The member of this cache comes after those of caches nearer to the origin."
        ) {
            answers(
                reply(
                    "Cache-Control: max-age=60", "Cache-Status: Near; hit; ttl=5",
                    "Cache-Status: \"Next, one\"; fwd=miss"))
            for _ in 0..<4 {
                get(expect: cacheStatusBegins("Near; hit; ttl=5, \"Next, one\"; fwd=miss, larder; "))
            }
        }
        Clause("RFC 9211 §2 no member of ours twice", .must, "A response has exactly one member of this cache.") {
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
            "A generated response for which nothing was stored or forwarded has neither hit nor fwd."
        ) {
            get(
                "Cache-Control: only-if-cached", expect: status(504), excludes("Cache-Status", "hit"),
                excludes("Cache-Status", "fwd="))
        }
        Clause("RFC 9211 §2.2 upstream gone", .must, "A forwarded request that got no response has no fwd-status.") {
            answers(disconnection())
            get(
                expect: .either(status(502), status(504)), excludes("Cache-Status", "hit"),
                excludes("Cache-Status", "fwd-status"))
        }
        Clause("RFC 9211 §2.2 credentials", .must, "A request that bypasses the cache is reported as such.") {
            answers(reply("Cache-Control: max-age=60"))
            get(
                "Authorization: Basic YTpi",
                expect: .either(forwarded("bypass", stored: false), forwarded("uri-miss", stored: false)))
        }
    }

    @Clauses static var collapsing: [Clause] {
        Clause("RFC 9111 §4 twenty at once", .may, "Concurrent requests for one storable response share a fetch.") {
            answers(reply("Cache-Control: max-age=60").held(at: "all wait"))
            crowd(20, gate: "all wait", each: status(200), body("body 1"), forwarded("uri-miss"))
            saw(1)
            hits("body 1")
        }
        Clause(
            "RFC 9211 §2.6 collapsed", .must,
            "Responses from a shared fetch are marked collapsed, except that of the first request."
        ) {
            answers(reply("Cache-Control: max-age=60").held(at: "all wait"))
            crowd(5, gate: "all wait")
        }
        Clause(
            "RFC 9111 §4 twenty validations at once", .may,
            "Concurrent requests that need the same validation share it."
        ) {
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
                "A response that must be validated is not given to a request that arrived after its fetch was sent."
            ) {
                answers(reply("Cache-Control: \(control)", "ETag: \"a\"").held(at: "wait"))
                start("anna")
                reaches(1)
                pass(1)
                start("bert")
                start("cleo")
                joins(2)
                open("wait")
                finish("anna", body("body 1"))
                finish("bert", body("body 2"))
                finish("cleo", body("body 2"))
                saw(2)
            }
        }
        Clause(
            "RFC 9111 §5.2.1.4 asked before", .should,
            "A reload is not answered by a fetch that was sent before the reload."
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
                "A waiting request does not get a response that is not for it."
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
            "After a response that could not be shared, later requests do not wait for each other."
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
            "The response to a request with no-store is given to no other client."
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
            "The response to a request with Authorization is given to no other client."
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
            "A request with no-cache is not answered by a response stored earlier."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get()
            pass(10)
            get("Cache-Control: no-cache", expect: body("body 2"), has("Age", "0"))
            hits("body 2")
        }
    }

    @Clauses static var targeted: [Clause] {
        Clause("RFC 9213 §2.2 longer than Cache-Control", .must, "Larder-Cache-Control overrides Cache-Control.") {
            answers(reply("Larder-Cache-Control: max-age=60", "Cache-Control: no-store"))
            get()
            pass(59)
            hits("body 1", also: hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 stricter than Cache-Control", .must, "Larder-Cache-Control overrides Cache-Control."
        ) {
            answers(reply("Cache-Control: max-age=60", "Larder-Cache-Control: no-store"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 lifetime only in Cache-Control", .must,
            "Beside Larder-Cache-Control, the lifetime in Cache-Control does not count."
        ) {
            answers(reply("Cache-Control: max-age=60", "Larder-Cache-Control: must-revalidate"))
            get()
            miss("body 2")
        }
        Clause("RFC 9213 §2.2 over Expires", .must, "Larder-Cache-Control overrides Expires.") {
            answers(reply("Larder-Cache-Control: max-age=60", "Expires: 0", "Pragma: no-cache"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2.2 Expires does not count", .must, "Larder-Cache-Control overrides Expires.") {
            answers(reply("Larder-Cache-Control: public", "Expires: {now+600}"))
            get()
            miss("body 2")
        }
        for value in [
            "max-age=60, @", "max-age=60,, s-maxage=60", "Max-Age=60", "\"max-age=60\"", "max-age=60,", "max-age=6 0",
        ] {
            Clause(
                "RFC 9213 §2.2 unreadable: \(value)", .must,
                "A targeted field that cannot be parsed is ignored completely."
            ) {
                answers(reply("Larder-Cache-Control: \(value)", "Cache-Control: no-store"))
                get()
                miss("body 2")
            }
            Clause(
                "RFC 9213 §2.2 unreadable, others count: \(value)", .must,
                "If the targeted field cannot be parsed, Cache-Control counts."
            ) {
                answers(reply("Larder-Cache-Control: \(value)", "Cache-Control: max-age=600"))
                get()
                pass(599)
                hits("body 1")
            }
        }
        Clause("RFC 9213 §2.2 empty", .must, "An empty targeted field is ignored.") {
            answers(reply("Larder-Cache-Control:", "Cache-Control: max-age=60"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2.1 several lines", .must, "Several lines of one targeted field form one dictionary.") {
            answers(reply("Larder-Cache-Control: max-age=60", "Larder-Cache-Control: private", "Cache-Control: public"))
            get()
            miss("body 2")
        }
        Clause("RFC 9213 §2.1 parameters", .must, "Parameters of directives are ignored.") {
            answers(reply("Larder-Cache-Control: max-age=60;x=1;no-store", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §2.1 the last of a repeated key", .must,
            "The last value of a repeated dictionary key counts (RFC 9651 §4.2.2)."
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
        Clause(
            "RFC 9213 §2.2 stale rules", .must, "Directives about stale responses are taken from the targeted field."
        ) {
            answers(
                reply(
                    "Larder-Cache-Control: max-age=60, must-revalidate", "Cache-Control: max-age=60, stale-if-error=600"
                ),
                disconnection())
            get()
            pass(61)
            get(expect: status(504))
        }
        Clause("RFC 9213 §2.2 windows", .must, "The stale windows of the targeted field count.") {
            answers(
                reply("Larder-Cache-Control: max-age=60, stale-if-error=60", "Cache-Control: no-store"),
                reply(status: "500 Broken"))
            get()
            pass(100)
            get(expect: status(200), body("body 1"))
        }
        Clause("RFC 9213 §2.1 passed on", .may, "Targeted fields are passed on to the client.") {
            answers(
                reply(
                    "Larder-Cache-Control: max-age=60", "CDN-Cache-Control: max-age=5", "Other-Cache-Control: no-store")
            )
            get(expect: has("Larder-Cache-Control", "max-age=60"), has("CDN-Cache-Control", "max-age=5"))
            hits("body 1", also: has("Larder-Cache-Control", "max-age=60"), has("Other-Cache-Control", "no-store"))
        }
        Clause("RFC 9213 §3.1 CDN-Cache-Control is not ours", .must, "Fields that target other caches are ignored.") {
            answers(reply("CDN-Cache-Control: no-store", "Cache-Control: max-age=60"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §3.1 CDN-Cache-Control by choice", .may,
            "CDN-Cache-Control counts if the configuration enables it.",
            settings: ", cdnCacheControl: true"
        ) {
            answers(reply("CDN-Cache-Control: max-age=60", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9213 §2.2 the most specific", .must, "The first field of the target list that is present counts.",
            settings: ", cdnCacheControl: true"
        ) {
            answers(
                reply("CDN-Cache-Control: max-age=60", "Larder-Cache-Control: no-store", "Cache-Control: max-age=60"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9213 §2.2 the next where the first is unreadable", .must,
            "If the first field of the target list cannot be parsed, the next one counts.",
            settings: ", cdnCacheControl: true"
        ) {
            answers(reply("CDN-Cache-Control: max-age=60", "Larder-Cache-Control: @", "Cache-Control: no-store"))
            get()
            hits("body 1")
        }
        Clause("RFC 9213 §2 of a request", .must, "A targeted field has no effect in a request.") {
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
