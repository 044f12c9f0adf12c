// Docs/conformance.md as the tables make it. A clause that fails fails its test, so the page needs no result.
import Glibc
import Testing

enum ConformancePage {
    static func markdown() -> String {
        let count = Tables.pages.map(\.clauses.count).reduce(0, +)
        var out = """
            # Conformance

            What the standards require of a shared cache, clause by clause, and the scenario that proves each one for the
            pass-through of providers of kind `passthrough` with `semantics: rfc`. Client and origin of the scenarios speak
            raw bytes; the clock is set by hand. The page is made from the tables in `Tests/ConformanceTests/Tables`
            (`make conformance`), and every row is a test that fails when the requirement is not met: \(count) clauses.

            """
        for table in Tables.pages {
            out +=
                "\n## \(table.title)\n\n| Clause | Level | Requirement | Scenario | Result |\n|---|---|---|---|---|\n"
            for clause in table.clauses {
                let cells = [
                    "\(clause.standard) \(clause.section)", clause.level.rawValue, clause.text, clause.scenario,
                    "passes",
                ]
                out += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
            }
        }
        return out + "\n" + differences
    }

    /// What is not as the standards would allow, and why.
    private static let differences = """
        ## Deliberately different

        Stricter than required, which costs a call now and then and is never wrong:

        - `Cookie` in a request counts like `Authorization`, on storing and on reuse (RFC 9111 §7.3 leaves it open).
        - A request with `Authorization` or `Cookie` is answered from the store only where the stored answer says that
          it is for everybody (`public`, `s-maxage` or `must-revalidate`).
        - Unless `cookies` says otherwise, an answer that sets a cookie is stored only where it says `public` or `s-maxage`, and
          without the cookie. The client that caused the fetch gets the cookie; nobody else does.
        - An answer whose `Connection` lists `Cache-Control`, `Vary` or a targeted field is not stored.
        - With a qualified `private` or `no-cache` the named fields are left out of what is stored.
        - A 304, or an answer to HEAD, to a request with `Authorization` or `Cookie` updates a stored answer only if the updated answer
          is still marked as shared (RFC 9111 §3.5). With `no-store` it updates nothing.
        - An error of the server is not stored in the place of an answer that may still cover for it.

        Simpler than allowed:

        - Where an answer is invalidated, others of its groups stay unless `Cache-Group-Invalidation` names them
          (RFC 9875 §2.2.1).
        - Parts (206) are stored where one range was asked for and the complete length is known. They are combined only where they
          have the same strong validator; a part without one answers ranges within it and is combined with no other (RFC 9111 §3.3,
          §3.4). When nothing is stored, a range that begins within the first 1 MiB is cut from the whole answer.
        - `Repr-Digest` of a representation that is combined of parts is passed on and not checked. `Content-Digest` of a part is checked
          before the part is stored.
        - Trailers are not passed on, neither stored nor fresh (RFC 9110 §6.5.1 lets a recipient drop them).
        - With GET, HEAD, QUERY and declared POST, and with every request where a key is configured, the upstream gets one of two
          `Accept-Encoding` values, `gzip` or `identity`. Any other request keeps its own value. Answers are stored in the coding
          they came in, and decoded for a client that does not accept it.
        - Of one address 32 variants are kept; the oldest leave.
        - Guessed lifetimes are a tenth of the time since the last change, a day at most, and only with `Last-Modified`.
        - TRACE is refused with 405 (RFC 9110 §9.3.8: its answer would show fields that are nobody else's business), and CONNECT
          with 501 (§9.3.6: Larder opens no tunnels).
        - `Cache-Status` never tells the key (RFC 9211 §6).
        - `Access-Control-*` of an upstream is passed on at the root of the provider's own listener only: below `/raw` it would
          let any page read what this user may read. `Timing-Allow-Origin` and `X-Request-Id` are never passed on.
        - `No-Vary-Search` is used only if nothing is stored for the exact URL. The other answer must be fresh and received since the
          daemon started and since the provider's last change. Limits: 64 paths per provider; 64 queries and 4 rules per path; fields
          of 4 KiB with 64 names; queries of 1 KiB.
        - A stored variant answers because of its language only if exactly one language has the highest weight in `Accept-Language`.
          The request's fields did not select the variant, so this departs from RFC 9111 §4.1; RFC 9110 §12.5.4 suggests it.
        - Every answer has `Age`, also one that was just fetched or validated, where RFC 9111 §5.1 lets the field imply that it was
          not; `Cache-Status` tells which it was.
        - Several requests may be answered by one call, also where its answer would have to be validated for the next request (`no-cache`,
          `max-age=0`, no freshness left), but only requests that came before the call was sent: for each of them the origin was
          asked after it came (RFC 9111 §4, §5.2.2.4). A request that came later is answered by a call that is sent later.
        - `No-Vary-Search` is read as the draft of the working group says, `except` without `params` included; `params` without a list, which
          browsers know from older drafts, counts as well.
        - A POST that the configuration declares to read is never sent with a condition of the cache's own. One with a condition of its client
          (`If-Match`, `If-None-Match`, `If-Unmodified-Since`) is passed on: only the origin knows what it holds for (RFC 9110 §13.2.1).
        - An unsafe request that was sent and brought no answer (its client left, a timeout, a reset) invalidates its URL, since the origin may
          have carried it out; RFC 9111 §4.4 asks for that only after an answer.
        - Below `/raw`, where all providers share one origin, fields that act on a whole origin or host are not passed
          on (`Strict-Transport-Security`, `Alt-Svc`, `Clear-Site-Data`, `NEL`, `Report-To` and the like); a cookie that is
          set gets a `Path` below `/raw/NAME/` and no `Domain`; cookies of requests are not passed on unless
          `forwardCookies` says so.
        - On a listener of a provider's own, cookies of a browser are passed on only with `Sec-Fetch-Site: same-origin`.

        Not by the standard at all, since the configuration decides there: providers with `semantics: ttl`, as the built-in
        ones have unless set. Their lifetimes are the configured ones whatever the answer says, and stale answers serve
        within the configured window (Docs/configuration.md). A built-in provider with `semantics: rfc` takes the lifetimes
        from the answer, within that window; its results are made here, so that the rest of the standard has no part in it.

        """

    static var path: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/Docs/conformance.md"
    }
}

@Suite struct ConformancePageTests {
    @Test func theCommittedPageIsWhatTheTablesSay() throws {
        let made = ConformancePage.markdown()
        if let name = getenv("LARDER_WRITE_CONFORMANCE") {
            let file = try #require(fopen(String(cString: name), "w"))
            fputs(made, file)
            fclose(file)
        }
        #expect(read(ConformancePage.path) == made, "run: make conformance")
    }

    @Test func noTwoClausesHaveTheSameName() {
        var seen: Set<String> = []
        let twice = Tables.pages.flatMap(\.clauses).map(\.id).filter { !seen.insert($0).inserted }
        #expect(twice == [])
    }

    @Test func everyClauseNamesStandardAndSection() {
        let nameless = Tables.pages.flatMap(\.clauses).filter {
            !$0.standard.hasPrefix("RFC ") && $0.standard != "No-Vary-Search draft" || !$0.section.hasPrefix("§")
                || $0.scenario.isEmpty
                || !$0.text.hasSuffix(".")
        }
        #expect(nameless.map(\.id) == [])
    }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
