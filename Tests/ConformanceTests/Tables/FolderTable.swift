// What is below a resource that is deleted, moved or copied over (RFC 4918).

extension Tables {
    private static let storable = reply("Cache-Control: max-age=60")

    @Clauses static var folders: [Clause] {
        for (name, path) in [("with a slash", "/d/"), ("without a slash", "/d")] {
            Clause(
                "RFC 4918 §9.6.1 DELETE of a collection, \(name)", .must,
                "What was stored below a deleted collection is invalidated with it."
            ) {
                answers(storable)
                for stored in ["/d", "/d/", "/d/a", "/d/e/f?x=1", "/d?page=2"] {
                    get(at: stored)
                    hits("body 1", at: stored)
                }
                get(at: "/da")
                send("DELETE", at: path)
                for stored in ["/d/a", "/d/e/f?x=1", "/d?page=2"] { miss("body 2", at: stored) }
                for stored in ["/d", "/d/"] { get(at: stored, expect: forwarded()) }
                hits("body 1", at: "/da")
            }
        }
        Clause(
            "RFC 4918 §9.6.1 DELETE, spelling", .must,
            "What was stored below a deleted collection is invalidated, however its name is spelled."
        ) {
            answers(storable)
            get(at: "/%7Ejoe/a")
            hits("body 1", at: "/~joe/a")
            send("DELETE", at: "/~joe/")
            get(at: "/%7ejoe/a", expect: forwarded())
        }
        Clause(
            "RFC 4918 §9.6.1 DELETE of the root", .must,
            "What was stored of an API is invalidated when its root is deleted."
        ) {
            answers(storable)
            for stored in ["/", "/a", "/a/b?x=1"] {
                get(at: stored)
                hits("body 1", at: stored)
            }
            send("DELETE", at: "/")
            for stored in ["/", "/a", "/a/b?x=1"] { get(at: stored, expect: forwarded()) }
        }
        Clause(
            "RFC 4918 §9.6.1 DELETE, error", .may, "A collection that was not deleted keeps what is stored below it."
        ) {
            answers(reply("Cache-Control: max-age=60", at: "/d/a"), reply(status: "423 Locked", at: "/d/"))
            get(at: "/d/a")
            send("DELETE", at: "/d/", expect: status(423))
            hits("body 1", at: "/d/a")
        }
        Clause(
            "RFC 4918 §9.6.1 DELETE, callers and variants", .must,
            "What was stored below a deleted collection is invalidated for every caller and in every variant."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept"))
            get("X-Api-Key: one", "Accept: text/a", at: "/d/a")
            get("Accept: text/b", at: "/d/a")
            send("DELETE", at: "/d")
            miss("body 3", "X-Api-Key: one", "Accept: text/a", at: "/d/a")
            miss("body 4", "Accept: text/b", at: "/d/a")
        }
        Clause(
            "RFC 4918 §9.6.1 DELETE, under way", .must,
            "An answer from below a collection that is deleted meanwhile is not stored."
        ) {
            answers(
                reply("Cache-Control: max-age=60", at: "/d/a").held(at: "go"),
                reply("Cache-Control: max-age=60", at: "/d/a"))
            start("first", at: "/d/a")
            reaches(1)
            send("DELETE", at: "/d/")
            open("go")
            finish("first", body("body 1"))
            miss("body 2", at: "/d/a")
        }
        for method in ["MOVE", "COPY"] {
            Clause(
                "RFC 4918 §9.8.4 \(method)", .must,
                "\(method) invalidates what was stored at its destination and below it."
            ) {
                answers(storable)
                for stored in ["/a/x", "/b", "/b/x"] { get(at: stored) }
                send(method, "Destination: http://localhost/b", at: "/a", expect: status(200))
                miss("body 2", at: "/b")
                miss("body 2", at: "/b/x")
                if method == "COPY" { hits("body 1", at: "/a/x") } else { miss("body 2", at: "/a/x") }
            }
        }
        Clause(
            "RFC 4918 §9.8.5 another server", .may,
            "A destination on another server is refused before anything is sent."
        ) {
            send("MOVE", "Destination: http://elsewhere.example/b", at: "/a", expect: status(502))
            saw(0)
        }
    }
}
