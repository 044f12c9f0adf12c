// larder tape diff against an upstream of the test's own.
import LarderCore
import LarderTape
import LarderTestSupport
import Testing

@testable import LarderCLI

@Suite struct TapeDiffTests {
    private let ground = TapeGround()

    /// Runs the body with an upstream that answers by path.
    private func withUpstream(
        _ answers: [String: String], _ body: (ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin { request in
            [.send(answers[String(request.target.prefix { $0 != "?" })] ?? ok("", status: "404 Not Found"))]
        }
        defer { origin.stop() }
        try await body(origin)
    }

    private func json(_ body: String, fields: String = "") -> String {
        ok(body, fields: "Content-Type: application/json\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\(fields)")
    }

    @Test func whatIsTheSameIsNoDifference() async throws {
        try await withUpstream(["/a": json(#"{ "items": [1, 2.0] }"#)]) { origin in
            try ground.record("\(origin.base)/a?q=x", fields: ["Accept": "application/json"])
            let outcome = await ground.runConfigured("diff", ground.tape)
            #expect(outcome.status == .done && outcome.out.isEmpty)
            #expect(outcome.err == "same: 1, different: 0, no answer: 0, not asked again: 0\n")
            let seen = try #require(origin.requests.first)
            #expect(seen.target == "/a?q=x" && seen.field("Accept") == "application/json")
        }
    }

    @Test func statusFieldsAndJSONThatChangedAreToldByPlace() async throws {
        let changed = ["/a": json(#"{"items":[1,3]}"#, fields: "ETag: \"2\"\r\n"), "/b": json("{}")]
        try await withUpstream(changed) { origin in
            try ground.record("\(origin.base)/a", answer: ["Content-Type": "application/json", "ETag": "\"1\""])
            try ground.record("\(origin.base)/b", status: 404, body: "{}")
            let outcome = await ground.runConfigured("diff", ground.tape)
            #expect(outcome.status == .failed)
            for line in [
                "/a: - field etag: \"1\"", "/a: + field etag: \"2\"", "/a: - $.items[1]: 2", "/a: + $.items[1]: 3",
                "/b: - status: 404", "/b: + status: 200",
            ] { #expect(outcome.text.contains(line + "\n"), "\(outcome.text)") }
            #expect(outcome.err == "same: 0, different: 2, no answer: 0, not asked again: 0\n")
        }
    }

    @Test func whatTheRulesIgnoreIsNotCompared() async throws {
        try await withUpstream(["/a": json(#"{"items":[1,2],"at":9}"#)]) { origin in
            try ground.record("\(origin.base)/a", body: #"{"items":[1,2],"at":1}"#)
            ground.directory.write("tape/tape.yaml", "version: 1\nignore: { json: [$.at] }\n")
            #expect(await ground.runConfigured("diff", ground.tape).status == .done)
        }
    }

    @Test func whatCannotBeAskedAgainIsNamedAndNotAsked() async throws {
        try await withUpstream(["/a": json(#"{"items":[1,2]}"#)]) { origin in
            try ground.record("\(origin.base)/a")
            try ground.record("\(origin.base)/a", body: #"{"items":[1,2]}"#)
            try ground.record("\(origin.base)/p", .post)
            try ground.record("\(origin.base)/k?access_token=abcdefgh")
            ground.directory.write("tape/tape.yaml", "version: 1\nerrors: keep\n")
            try ground.record("\(origin.base)/e", status: 503)
            let outcome = await ground.runConfigured("diff", ground.tape)
            #expect(outcome.status == .done, "\(outcome)")
            for reason in [
                "a later answer to it is compared", "POST may change something", "a secret was cut",
                "the recorded answer is an error, 503",
            ] { #expect(outcome.err.contains("not asked again: \(reason)"), "\(outcome.err)") }
            #expect(origin.requests.map(\.target) == ["/a"])
        }
    }

    @Test func anAPIThatGivesNoAnswerIsNoDifference() async throws {
        let origin = ScriptedOrigin(answering: "")
        origin.stop()
        try ground.record("\(origin.base)/a")
        let outcome = await ground.runConfigured("diff", ground.tape)
        #expect(outcome.status == .unreachable && outcome.err.contains("no answer: "), "\(outcome.err)")
    }

    @Test func aRedirectIsAnAnswerAndIsNotFollowed() async throws {
        let moved = ok("", status: "302 Found", fields: "Location: /b\r\n")
        try await withUpstream(["/a": moved]) { origin in
            try ground.record("\(origin.base)/a", status: 302, answer: ["Location": "/b"], body: "")
            #expect(await ground.runConfigured("diff", ground.tape).status == .done)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aCredentialIsSentToOneHostOnlyAndIsNotPrinted() async throws {
        try await withUpstream(["/a": json(#"{"you":"sesame-4711"}"#)]) { origin in
            let words = ["tape", "diff", ground.tape, "--config", ground.configuration]
            let sent = words + ["-H", "Authorization: Bearer sesame-4711"]
            try ground.record("\(origin.base)/a")
            let outcome = await larder(words: sent)
            #expect(origin.requests.first?.field("Authorization") == "Bearer sesame-4711")
            #expect(outcome.text.contains("+ $.you: \"(hidden)\""), "\(outcome.text)")
            #expect(!outcome.text.contains("4711\""))
            try ground.record("http://other.test/a")
            let refused = await larder(words: sent)
            #expect(refused.status == .usage && refused.err.contains("the tape has several"), "\(refused.err)")
            #expect(origin.requests.count == 1)
        }
    }
}
