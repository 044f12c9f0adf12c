// What a shared cache may keep (RFC 9111 §3).

extension Tables {
    @Clauses static var storing: [Clause] {
        Clause("RFC 9111 §4.2.1 max-age", .must, "An answer is used while it is younger than its max-age.") {
            answers(reply("Cache-Control: max-age=60"))
            get(expect: status(200), body("body 1"), forwarded("uri-miss", status: 200, stored: true))
            pass(59)
            hits("body 1", also: has("Age", "59"), hit(ttl: 1))
            pass(1)
            miss("body 2")
            saw(2)
        }
        Clause("RFC 9111 §5.2.2.5 no-store", .mustNot, "An answer with no-store is not stored.") {
            answers(reply("Cache-Control: no-store, max-age=60"))
            get(expect: body("body 1"), forwarded("uri-miss", stored: false))
            miss("body 2")
        }
        Clause("RFC 9111 §4 collapsing storable answers", .may, "Requests for one storable answer share a fetch.") {
            answers(reply("Cache-Control: max-age=60").held(at: "all wait"))
            crowd(20, gate: "all wait", each: body("body 1"))
            saw(1)
        }
    }
}
