// Requests whose fields tell callers or methods apart: credentials of any name, and fields that ask for another method.

extension Tables {
    private static let storable = reply("Cache-Control: max-age=60")

    @Clauses static var callers: [Clause] {
        for name in ["X-Api-Key", "Private-Token", "X-Auth-Token"] {
            Clause(
                "RFC 9111 §2 caller, \(name)", .may,
                "A field that looks like a credential is part of the cache key: each caller has answers of its own."
            ) {
                answers(storable)
                get("\(name): one")
                hits("body 1", "\(name): one")
                miss("body 2", "\(name): two")
                miss("body 3")
                hits("body 1", "\(name): one")
                hits("body 2", "\(name): two")
                hits("body 3")
                received(1, has(name, "one"))
            }
        }
        Clause(
            "RFC 9111 §2 caller, variants", .may, "The answers of one caller are selected by Vary among each other."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept"))
            get("X-Api-Key: one", "Accept: text/a")
            miss("body 2", "X-Api-Key: two", "Accept: text/a")
            miss("body 3", "X-Api-Key: one", "Accept: text/b")
            hits("body 1", "X-Api-Key: one", "Accept: text/a")
            hits("body 3", "X-Api-Key: one", "Accept: text/b")
        }
        Clause(
            "RFC 9111 §4.4 caller", .must,
            "An unsafe request of one caller invalidates what is stored for every caller."
        ) {
            answers(storable)
            get("X-Api-Key: one")
            get("X-Api-Key: two")
            get()
            send("PUT", "X-Api-Key: one", body: "x")
            miss("body 5", "X-Api-Key: one")
            miss("body 6", "X-Api-Key: two")
            miss("body 7")
        }
        Clause(
            "RFC 9111 §2 keyCredentials: no", .may, "With keyCredentials: false, all callers share the stored answers.",
            settings: ", keyCredentials: false"
        ) {
            answers(storable)
            get("X-Api-Key: one")
            hits("body 1", "X-Api-Key: two")
            hits("body 1")
        }
        Clause(
            "RFC 9111 §2 keyFields", .may, "A field that keyFields names is part of the cache key.",
            settings: ", keyFields: [X-Tenant]"
        ) {
            answers(storable)
            get("X-Tenant: a")
            miss("body 2", "X-Tenant: b")
            miss("body 3")
            hits("body 1", "x-tenant: a")
            hits("body 3")
        }
        Clause(
            "RFC 9111 §3.3 caller", .may, "The stored parts of one caller serve no other.",
        ) {
            answers(
                reply(
                    "Content-Range: bytes 0-5/100", "Cache-Control: max-age=60", "ETag: \"a\"",
                    status: "206 Partial Content"))
            get("X-Api-Key: one", "Range: bytes=0-5", expect: status(206), body("body 1"))
            get("X-Api-Key: one", "Range: bytes=0-5", expect: status(206), body("body 1"), hit())
            get("X-Api-Key: two", "Range: bytes=0-5", expect: status(206), body("body 2"))
        }
    }

    @Clauses static var overrides: [Clause] {
        for name in ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"] {
            for method in ["GET", "POST", "QUERY"] {
                Clause(
                    "RFC 9110 §9.2.1 \(name), \(method)", .shouldNot,
                    "A request that a field makes another, unsafe method is neither answered from the store nor stored.",
                    settings: ", readOnlyPosts: [{ path: /a, ttl: 60s, kind: any }]"
                ) {
                    answers(storable)
                    get()
                    hits("body 1")
                    send(method, "\(name): DELETE", body: method == "GET" ? nil : "x", expect: body("body 2"))
                    received(2, has(name, "DELETE"))
                    miss("body 3")
                }
            }
        }
        Clause(
            "RFC 9111 §4.4 X-HTTP-Method-Override, ttl", .must,
            "A successful request that asks for an unsafe method by a field invalidates its target.",
            settings: ", semantics: ttl, ttl: 60s"
        ) {
            answers(storable)
            get()
            hits("body 1")
            get("X-HTTP-Method-Override: PATCH", "X-Other: 1", expect: body("body 2"))
            received(2, has("X-HTTP-Method-Override", "PATCH"), has("X-Other", "1"))
            miss("body 3")
        }
        Clause(
            "RFC 9111 §4.4 X-HTTP-Method-Override, error", .may,
            "A request that asks for an unsafe method and gets an error invalidates nothing."
        ) {
            answers(storable, reply(status: "403 Forbidden"), storable)
            get()
            get("X-HTTP-Method-Override: DELETE", expect: status(403))
            hits("body 1")
        }
        Clause(
            "RFC 9110 §9.2.1 X-HTTP-Method-Override: GET", .may,
            "A field that names the request's own method changes nothing."
        ) {
            answers(storable)
            get("X-HTTP-Method-Override: GET")
            hits("body 1", "X-HTTP-Method-Override: GET")
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.4 _method", .must,
            "A parameter of the URL that asks for an unsafe method invalidates the URL without it."
        ) {
            answers(storable)
            get()
            hits("body 1")
            get(at: "/a?_method=DELETE", expect: body("body 1"))
            get(at: "/a?_method=DELETE", expect: body("body 2"), forwarded("method"))
            miss("body 2")
        }
    }
}
