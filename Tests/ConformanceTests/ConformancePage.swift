// Generates Docs/conformance.md from the tables. A clause that fails fails its test, so the page needs no result.
import Glibc
import Testing

enum ConformancePage {
    static func markdown() -> String {
        let count = Tables.pages.map(\.clauses.count).reduce(0, +)
        var out = """
            # Conformance

            This page lists what the standards require of a shared cache, clause by clause, and the scenario that proves each
            requirement for providers of kind `passthrough` with `semantics: rfc`. Client and origin of the scenarios speak raw
            bytes; the clock is set by hand. The page is made from the tables in `Tests/ConformanceTests` (`make conformance`).
            Every row is a test that fails if the requirement is not met: \(count) clauses.

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

    /// The deliberate differences from the standards, and the reasons.
    private static let differences = """
        ## Deliberately different

        Stricter than required, which costs a call now and then and is never wrong:

        - `Cookie` in a request counts like `Authorization`, on storing and on reuse (RFC 9111 §7.3 leaves it open).
        - A request with `Authorization` or `Cookie` is answered from the store only if the stored response is marked as shared
          (`public`, `s-maxage` or `must-revalidate`).
        - Unless `cookies` says otherwise, a response that sets a cookie is stored only if it says `public` or `s-maxage`, and
          without the cookie. Only the client that caused the fetch gets the cookie.
        - A response whose `Connection` lists `Cache-Control`, `Vary` or a targeted field is not stored.
        - With a qualified `private` or `no-cache` the named fields are left out of what is stored.
        - A 304 or a HEAD response to a request with `Authorization` or `Cookie` updates a stored response only if the updated response
          is still marked as shared (RFC 9111 §3.5). With `no-store` in the request it updates nothing.
        - A server error is not stored in place of a response that may still be used instead of it.
        - The tags of other variants are offered for validation only if harmless fields select the variants
          ([0036](Decisions/0036-tags-of-other-variants.md)).

        Simpler than allowed:

        - If a response is invalidated, other responses of its groups stay, unless `Cache-Group-Invalidation` names the groups
          (RFC 9875 §2.2.1).
        - Parts (206) are stored if one range was requested and the complete length is known. They are combined only if they have the
          same strong validator. A part without a strong validator answers ranges within it and is not combined with others (RFC 9111
          §3.3, §3.4). If nothing is stored, a range that begins within the first 1 MiB is cut from the whole response.
        - `Vary` selects by the fields that the origin gets. Conditions, `Range`, `Expect` and `TE` are answered by Larder or belong
          to one connection, so a `Vary` that names them is as if it did not.
        - `Content-Digest` of a part is checked before the part is stored. `Repr-Digest` of a representation that is combined from
          parts is checked while all of it is sent; parts that do not match are removed and the client can check the digest itself.
          SHA-256 and SHA-512 are checked, no other algorithm (RFC 9530 §5).
        - Trailers are not passed on, neither stored nor fresh (RFC 9110 §6.5.1 lets a recipient drop them).
        - With GET, HEAD, QUERY and declared POST, and with every request if a key is configured, the upstream gets one of two
          `Accept-Encoding` values, `gzip` or `identity`. Any other request keeps its own value. Responses are stored and sent in the
          coding in which they arrived. Gzip that was asked for varies by `Accept-Encoding`, also if the origin does not say so
          ([0037](Decisions/0037-codings-are-not-undone.md)).
        - Some request fields change what a condition, a range or an answer means. `A-IM` (RFC 3229) is sent only where the client's own
          conditions are sent, and a 226 goes to its client alone. A request with `Prefer`, `Accept-Datetime`, or a field that names
          another host or URL (`Forwarded`, `X-Forwarded-Host`, `X-Original-URL`) shares answers only with requests of the same
          value, and its answer varies by it. A request with `If` (RFC 4918) or `Last-Event-ID` is passed on
          alone. `RequestFieldTable` gives the reasons.
        - At most 32 variants of a URL are kept; the oldest are dropped.
        - Guessed lifetimes are a tenth of the time since the last change, a day at most, and only with `Last-Modified`.
        - TRACE is refused with 405, because its response would show fields with secrets (RFC 9110 §9.3.8), and CONNECT with 501,
          because Larder opens no tunnels (§9.3.6).
        - `Authorization` with NTLM or Negotiate, which authenticate a connection and not a request (RFC 4559 §6), is refused with 501
          if it would go upstream: connections to an upstream serve all clients. Their challenges are left out of a response that
          offers another scheme, although a proxy must not modify `WWW-Authenticate` (RFC 9110 §11.6.1).
        - White space before the colon of a response's field is removed (RFC 9112 §5.1). Before the colon of `Content-Length` or
          `Transfer-Encoding` it makes the response malformed, because other readers do not know the field then.
        - `Cache-Status` never contains the key (RFC 9211 §6).
        - `Access-Control-*` of an upstream is passed on only at the root of the provider's own listener. Below `/raw` it would let
          any page read what this user may read. `Timing-Allow-Origin` and `X-Request-Id` are never passed on.
        - `No-Vary-Search` is used only if nothing is stored for the exact URL. The other response must be fresh, and received since the
          daemon started and since the provider's last change. Limits: 64 paths per provider; 64 queries and 4 rules per path; fields
          of 4 KiB with 64 names; queries of 1 KiB.
        - A stored variant answers because of its language only if exactly one language has the highest weight in `Accept-Language`.
          The request's fields did not select the variant, so this departs from RFC 9111 §4.1; RFC 9110 §12.5.4 suggests it.
        - Every response has `Age`, even if it was just fetched or validated. RFC 9111 §5.1 lets the field imply that it was not;
          `Cache-Status` says which it was.
        - One call may answer several requests, even if its response must be validated for the next request (`no-cache`, `max-age=0`, no
          freshness left). It answers only requests that came before the call was sent, so the origin was asked after each of them came
          (RFC 9111 §4, §5.2.2.4). A request that came later is answered by a call that is sent later.
        - `No-Vary-Search` is read as the draft of the working group says, including `except` without `params`. `params` without a list,
          which browsers know from older drafts, is accepted too.
        - A POST that the configuration declares to read is never sent with a condition of the cache. If its client sent a condition
          (`If-Match`, `If-None-Match`, `If-Unmodified-Since`), it is passed on: only the origin knows the state that the condition is
          about (RFC 9110 §13.2.1).
        - An unsafe request that was sent and got no response (its client left, a timeout, a reset) invalidates its URL, because the origin
          may have carried it out. RFC 9111 §4.4 requires that only after a response.
        - Below `/raw` all providers share one origin. Fields that act on a whole origin are not passed on there (`Alt-Svc`,
          `Service-Worker-Allowed` and others). Fields that act on a whole host are passed on nowhere (`Strict-Transport-Security`,
          `Clear-Site-Data`, `NEL`, `Report-To` and others). A `Location` of another place of this daemon is removed. A cookie that is set
          below `/raw` gets a `Path` below `/raw/NAME/` and no `Domain`. Cookies of requests are passed on only with `forwardCookies`.
        - On a provider's own listener, cookies of a browser are passed on only with `Sec-Fetch-Site: same-origin`.

        Providers with `semantics: ttl` do not follow the standard: the configuration decides. The built-in providers have these
        semantics unless set otherwise. Their lifetimes are the configured ones whatever the response says, and stale responses are used
        within the configured window (Docs/configuration.md). A built-in provider with `semantics: rfc` takes the lifetimes from the
        response, within that window. Its results are made by Larder, so the rest of the standard does not apply.

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
            !$0.standard.hasPrefix("RFC ") && !["No-Vary-Search draft", "WHATWG HTML"].contains($0.standard)
                || !$0.section.hasPrefix("§")
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
