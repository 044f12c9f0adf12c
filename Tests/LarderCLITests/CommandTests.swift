// Commands against a scripted daemon: what they ask, what they show, and their exit status.
import Foundation
import LarderCore
import Testing

@testable import LarderCLI

private let envelope = """
    {"state":"results","query":{},"sources":[{"provider":"itunes","state":"results","count":2,"stale":false}],"count":2,
    "results":[{"id":"itunes:song:1","provider":"itunes","kind":"song","title":"Banana \\u001b[2JPancakes",
    "creator":"Jack Johnson","collection":"In Between Dreams","price":{"amount":1.2,"currency":"USD"},
    "publishedAt":"2005-03-01T08:00:00Z","artwork":{"small":"/v1/artwork/abc"}},
    {"id":"itunes:song:2","provider":"itunes","kind":"song","title":"Upside Down"}]}
    """

struct CommandTests {
    @Test func aSearchIsATableOnATerminal() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, envelope, ["Cache-Status: larder; hit; ttl=42", "Age: 12"]) }
        let shown = await larder(
            "search", "jack", "johnson", "--source=itunes", "--limit", "2", "--url", daemon.url, isTerminal: true,
            width: 100)
        #expect(shown.status == .done)
        let lines = shown.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].contains("TITLE") && !lines[0].contains("SOURCE"))
        #expect(
            lines[1].contains("Banana  [2JPancakes") && lines[1].contains("1.20 USD") && lines[1].contains("2005-03-01")
        )
        #expect(lines[3].hasPrefix("itunes 2 · hit, 12 s old · "))
        #expect(
            daemon.heads.first?.hasPrefix("GET /v1/search?q=jack%20johnson&source=itunes&limit=2 HTTP/1.1\r\n") == true)
    }

    @Test func aSearchIsTheDaemonsJSONInAPipe() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, envelope) }
        let shown = await larder("search", "x", "--url", daemon.url)
        #expect(shown.text == envelope + "\n")
        #expect(shown.err.isEmpty)
    }

    @Test func membersAndRecordsAreAskedForByOptions() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, envelope) }
        let shown = await larder(
            "search", "x", "--fields", "title,url", "--include", "source", "--url", daemon.url)
        #expect(shown.status == .done)
        #expect(
            daemon.heads.first?.hasPrefix("GET /v1/search?q=x&fields=title%2Curl&include=source HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [
        (#"{"state":"noResults","sources":[],"results":[]}"#, CommandStatus.noResults),
        (#"{"state":"allDropped","sources":[],"results":[]}"#, .noResults),
        (#"{"state":"partial","sources":[],"results":[]}"#, .partial),
        (#"{"state":"failed","sources":[{"provider":"a","state":"failed","error":{"class":"limited"}}]}"#, .limited),
        ("not JSON", .broken),
    ])
    func theStateOfAnAnswerIsTheExitStatus(_ body: String, _ status: CommandStatus) async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, body) }
        #expect(await larder("search", "x", "--url", daemon.url).status == status)
    }

    @Test(arguments: FailureClass.allCases)
    func everyFailureClassHasItsExitStatus(_ failure: FailureClass) async throws {
        let body =
            #"{"type":"/problems/x","title":"T","status":503,"detail":"D","provider":"itunes","class":"\#(failure.rawValue)"}"#
        let daemon = try ScriptedDaemon { _ in answer(503, body) }
        let shown = await larder("search", "x", "--url", daemon.url)
        #expect(shown.status == CommandStatus(failure))
        #expect(shown.err == "larder: itunes: D\n")
        #expect(shown.out.isEmpty)
    }

    @Test func aProblemTellsWhatIsAllowedAndWhenToTryAgain() async throws {
        let body = #"{"status":400,"detail":"No such category.","parameter":"category","allowed":["all","music"]}"#
        let daemon = try ScriptedDaemon { _ in answer(400, body, ["Retry-After: 90"]) }
        let shown = await larder("search", "x", "--category", "musik", "--url", daemon.url)
        #expect(shown.status == .usage)
        #expect(shown.err == "larder: No such category.\ncategory may be: all, music\nTry again in 90s.\n")
    }

    @Test func withoutADaemonTheStatusIsNine() async {
        let shown = await larder("status")
        #expect(shown.status == .noDaemon)
        #expect(shown.err.contains("no daemon answers at http://127.0.0.1:1") && shown.err.contains("larder serve"))
        #expect(await larder("status", "--quiet").status == .noDaemon)
    }

    @Test func anAnswerThatIsCutOffIsNone() async throws {
        let daemon = try ScriptedDaemon { _ in Bytes(text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal") }
        #expect(await larder("get", "/x", "--url", daemon.url).status == .noDaemon)
    }

    @Test(arguments: [("get", "/x"), ("explain", "/abc"), ("search", "x"), ("status", "--json")])
    func aDaemonThatDoesNotAnswerInTimeIsThereAllTheSame(_ command: String, _ operand: String) async throws {
        let daemon = try ScriptedDaemon(keepsOpen: { _ in true }) { _ in
            Bytes(text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal")
        }
        let shown = await larder(command, operand, "--timeout", "100ms", "--url", daemon.url)
        #expect(shown.status == .unreachable, "\(shown)")
        #expect(shown.err.contains("no whole answer within 100ms"), "\(shown)")
    }

    @Test func getPrintsBytesAsTheyAre() async throws {
        let daemon = try ScriptedDaemon { head in
            head.contains("missing") ? answer(404, #"{"status":404}"#) : answer(200, "b\u{0}dy", ["X-A: b"])
        }
        #expect(await larder("get", "/raw/itunes/search?term=ü x", "--url", daemon.url).out == Bytes(text: "b\u{0}dy"))
        #expect(daemon.heads.last?.hasPrefix("GET /raw/itunes/search?term=%C3%BC%20x HTTP/1.1\r\n") == true)
        let included = await larder("get", "-i", "v1/status", "-H", "Cache-Control: no-cache", "--url", daemon.url)
        #expect(included.text == "HTTP/1.1 200 Some\r\nX-A: b\r\nContent-Length: 4\r\n\r\nb\u{0}dy")
        #expect(daemon.heads.last?.contains("\r\nCache-Control: no-cache\r\n") == true)
        let missing = await larder("get", "/missing", "--url", daemon.url)
        #expect(missing.status == .noResults && missing.text == #"{"status":404}"#)
        #expect(await larder("get", "-H", "bad", "/x", "--url", daemon.url).status == .usage)
        #expect(await larder("get", "-H", "A: b\r\nC: d", "/x", "--url", daemon.url).status == .usage)
        #expect(await larder("get", "http://elsewhere/", "--url", daemon.url).status == .usage)
    }

    @Test func marksOfAPurgeGoTogether() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, #"{"purged":1}"#) }
        let environment = ["LARDER_URL": daemon.url]
        let purged = await larder(
            "purge", "--prefix", "https://a.example/", "--kind", "artwork", "--older-than", "7d", "--provider",
            "itunes",
            environment: environment, isTerminal: true)
        #expect(purged.text == "1 entry removed.\n")
        let query = "kind=artwork&olderThan=7d&prefix=https%3A%2F%2Fa.example%2F&provider=itunes"
        #expect(daemon.heads.last?.hasPrefix("DELETE /v1/cache?\(query) HTTP/1.1\r\n") == true, "\(daemon.heads)")
        let count = daemon.heads.count
        #expect(await larder("purge", "--kind", "raw", "--term", "x", environment: environment).status == .usage)
        #expect(await larder("purge", "--all", "--dry-run", environment: environment).status == .usage)
        #expect(daemon.heads.count == count)
    }

    @Test func theTokenGoesWithChangesOnly() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, #"{"purged":3}"#) }
        let environment = ["LARDER_URL": daemon.url, "LARDER_TOKEN": "0123456789abcdef"]
        let purged = await larder(
            "purge", "--provider", "itunes", "--term", "a b", "--soft", environment: environment, isTerminal: true)
        #expect(purged.text == "3 entries made stale.\n")
        let query = "provider=itunes&term=a%20b&soft=1"
        #expect(daemon.heads.last?.hasPrefix("DELETE /v1/cache?\(query) HTTP/1.1\r\n") == true)
        #expect(daemon.heads.last?.contains("\r\nAuthorization: Bearer 0123456789abcdef\r\n") == true)
        _ = await larder("resume", "itunes", environment: environment)
        #expect(daemon.heads.last?.hasPrefix("POST /v1/providers/itunes/resume HTTP/1.1\r\n") == true)
        #expect(daemon.heads.last?.contains("\r\nContent-Length: 0\r\n") == true)
        _ = await larder("status", environment: environment)
        #expect(daemon.heads.last?.contains("Authorization") == false)
        let count = daemon.heads.count
        #expect(await larder("purge", environment: environment).status == .usage)
        #expect(await larder("purge", "--all", "--term", "x", environment: environment).status == .usage)
        #expect(daemon.heads.count == count)
    }

    @Test func aURLIsPurgedWhereItHasAPathAndElseIsTheDaemons() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, #"{"purged":0,"reason":"Nothing is\u009b there."}"#) }
        for (url, asked) in [
            ("https://itunes.apple.com/search?term=x", "https%3A%2F%2Fitunes.apple.com%2Fsearch%3Fterm%3Dx"),
            ("/raw/itunes/search?term=x", "%2Fraw%2Fitunes%2Fsearch%3Fterm%3Dx"),
            ("\(daemon.url)/raw/api/a", PercentCoding.encode("\(daemon.url)/raw/api/a")),
        ] {
            let shown = await larder("purge", "--url", url, "--url", daemon.url, isTerminal: true)
            #expect(shown.status == .done && shown.text == "0 entries removed. Nothing is  there.\n", "\(shown)")
            #expect(
                daemon.heads.last?.hasPrefix("DELETE /v1/cache?url=\(asked) HTTP/1.1\r\n") == true, "\(daemon.heads)")
        }
        let both = await larder("purge", "--url", "/raw/a/b", "--url", "/raw/c/d", "--url", daemon.url)
        #expect(both.status == .usage)
        #expect(await larder("purge", "--url", daemon.url).status == .usage, "an address alone purges nothing")
        #expect(daemon.heads.count == 3)
    }

    @Test func noBytesOfAnAnswerDriveTheTerminal() async throws {
        let body = Bytes(text: "a\u{1b}[2J\u{9b}31m") + [0x9B, 0x0A]
        let daemon = try ScriptedDaemon { _ in
            Bytes(text: "HTTP/1.1 200 OK\r\nX-Odd: a") + [0x9B, 0x62]
                + Bytes(text: "\r\nContent-Length: \(body.count)\r\n\r\n") + body
        }
        let shown = await larder("get", "-i", "/x", "--url", daemon.url, isTerminal: true)
        let controls = shown.text.unicodeScalars.filter { $0.isControl && !["\n", "\r", "\t"].contains($0) }
        #expect(controls.isEmpty && shown.out.strictText != nil, "\(shown.text)")
        #expect(await larder("get", "/x", "--url", daemon.url).out == body, "a pipe gets the bytes")
    }

    @Test func artworkGoesToAFileWholeOrNotAtAll() async throws {
        let daemon = try ScriptedDaemon { head in
            head.contains("/v1/artwork/good ") ? answer(200, "PNG", ["Content-Type: image/png"]) : answer(404, "{}")
        }
        try await withScratchDirectory { directory in
            let good = await larder("artwork", "/v1/artwork/good", "-o", "\(directory)/a.png", "--url", daemon.url)
            #expect(good.status == .done)
            let written = try String(contentsOfFile: "\(directory)/a.png", encoding: .utf8)
            #expect(written == "PNG")
            let bad = await larder("artwork", "gone", "-o", "\(directory)/b.png", "--url", daemon.url)
            #expect(bad.status == .noResults)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files == ["a.png"])
            #expect(await larder("artwork", "good", "--url", daemon.url).text == "PNG")
            #expect(await larder("artwork", "good", "--url", daemon.url, isTerminal: true).status == .usage)
            #expect(await larder("artwork", "a b", "--url", daemon.url).status == .usage)
            #expect(
                await larder("artwork", "good", "-o", "/nowhere/x", "--url", daemon.url).status == .failed)
        }
    }

    @Test(arguments: [("suspended", true), ("notConfigured", false), ("off", false)])
    func statusNamesAnEndOnlyOfARestThatEndsByItself(_ state: String, _ isNamed: Bool) async throws {
        let body = """
            {"version":"1","providers":[{"name":"itunes","state":"\(state)","suspendedUntil":"2026-11-20T12:00:00Z"}]}
            """
        let daemon = try ScriptedDaemon { head in head.contains("/healthz") ? answer(200, "ok") : answer(200, body) }
        let shown = await larder("status", "--url", daemon.url, isTerminal: true, width: 120)
        #expect(shown.text.contains(state), "\(shown)")
        #expect(shown.text.contains("until") == isNamed, "\(shown)")
    }

    @Test func statusAndQuotaShowBudgets() async throws {
        let body = """
            {"version":"0.1.0","uptimeSeconds":7300,"store":{"entries":12,"liveBytes":1048576,"maxBytes":2097152},
            "memory":{"bytes":1024,"entries":3},
            "providers":[{"name":"itunes","state":"suspended","reachability":"reachable","suspendedUntil":"2026-11-20T12:00:00Z",
            "answers":{"hit":4,"memoryHit":38,"miss":7},"budget":{"rate":{"limit":20,"windowSeconds":60,"remaining":17,"resetsAt":"2026-11-20T12:00:30Z"},
            "userCredits":{"limit":500,"remaining":488},"clientCredits":{"remaining":9000}}}]}
            """
        let daemon = try ScriptedDaemon { head in head.contains("/healthz") ? answer(200, "ok") : answer(200, body) }
        let shown = await larder("status", "--url", daemon.url, isTerminal: true, width: 120)
        #expect(
            shown.text.hasPrefix("larder 0.1.0, up 2h\nstore   12 entries, 1 MiB of 2 MiB\nmemory  3 answers, 1 KiB\n"))
        #expect(shown.text.contains("suspended until 2026-11-20 12:00:00 UTC"))
        #expect(shown.text.split(separator: "\n").last?.hasSuffix("  42       7") == true)
        let quota = await larder("quota", "--url", daemon.url, isTerminal: true, width: 120)
        #expect(
            quota.text.contains("17 of 20 per minute left, full at 12:00:30Z") && quota.text.contains("no limit"))
        #expect(
            await larder("quota", "--url", daemon.url).text.hasPrefix(#"[{"provider":"itunes","rate":{"limit":20,"#))
        #expect(quota.text.contains("user 488 of 500, client 9000"), "what the API itself says")
        for (command, width) in [("status", 90), ("quota", 80)] {
            let narrow = await larder(command, "--url", daemon.url, isTerminal: true, width: width)
            #expect(narrow.text.contains("17 of 20/min  "), "\(narrow.text)")
            #expect(!narrow.text.contains("…"), "what has no room is left out whole: \(narrow.text)")
        }
        let quiet = await larder("status", "--quiet", "--url", daemon.url)
        #expect(quiet.status == .done && quiet.out.isEmpty)
    }

    @Test func statusTellsTunnelsAndTheRunsUnderWay() async throws {
        let body = """
            {"version":"1","proxy":{"tunnels":1,"tunnelBytes":2048,"refused":3,
            "runs":[{"process":4711,"since":"2026-11-20T12:00:00Z","requests":12,"hits":10}]}}
            """
        let daemon = try ScriptedDaemon { head in head.contains("/healthz") ? answer(200, "ok") : answer(200, body) }
        let shown = await larder("status", "--url", daemon.url, isTerminal: true, width: 120)
        #expect(shown.text.contains("proxy   1 tunnel open, 2 KiB passed, 3 refused, 1 run under way\n"), "\(shown)")
        #expect(shown.text.contains("run of process 4711, since 2026-11-20 12:00:00 UTC: 12 requests, 10 hits"))
    }

    @Test func anAPIThatIsNotReachedSaysSoInItsState() async throws {
        let daemon = try ScriptedDaemon { _ in
            answer(
                200, #"{"version":"1","providers":[{"name":"a","state":"ready","reachability":"unreachable"}]}"#)
        }
        let shown = await larder("status", "--url", daemon.url, isTerminal: true).text
        #expect(shown.contains("not reached") && !shown.contains("ready"), "\(shown)")
    }

    @Test func theStatusOfAnotherServerIsNone() async throws {
        for body in ["<html>", "{}"] {
            let daemon = try ScriptedDaemon { _ in answer(200, body) }
            let shown = await larder("status", "--url", daemon.url)
            #expect(shown.status == .broken && shown.err.contains("\(daemon.url) is not a Larder"), "\(shown.err)")
        }
    }

    @Test func withoutAuthorityTheConsoleIsNamedAndTheSocketToo() async throws {
        let daemon = try ScriptedDaemon { _ in
            answer(403, #"{"type":"/problems/authorityNeeded","status":403,"detail":"Changes need the Unix socket."}"#)
        }
        let shown = await larder("console", "--url", daemon.url, environment: ["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(shown.status == .refused && shown.err.contains("the console is at \(daemon.url)/."), "\(shown.err)")
        #expect(shown.err.contains("LARDER_URL=unix:"), "\(shown.err)")
        let purge = await larder("purge", "--all", "--url", daemon.url, environment: ["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(purge.err.contains("Changes need the Unix socket.\n") && purge.err.contains("LARDER_URL=unix:"))
    }

    @Test func withoutABrowserTheLinkIsPrinted() async throws {
        let daemon = try ScriptedDaemon { _ in answer(201, #"{"url":"http://127.0.0.1:9/#owner=x"}"#) }
        let shown = await larder("console", "--url", daemon.url)
        #expect(shown.status == .done && shown.text == "http://127.0.0.1:9/#owner=x\n", "\(shown.err)")
    }

    @Test func theFileOfACheckMayBeAnOption() async throws {
        try await withScratchDirectory { directory in
            let file = "\(directory)/larder.yaml"
            try "providers: { itunes: { ttl: 1h } }\n".write(toFile: file, atomically: false, encoding: .utf8)
            let shown = await larder("config", "check", "--config", file)
            #expect(shown.status == .done && shown.text.contains("\(file): valid"), "\(shown)")
            #expect(await larder("config", "check", "--config", file, file).status == .usage)
        }
    }

    @Test func aNarrowStatusKeepsStateRateAndQuotaWhole() async throws {
        func columns(_ width: Int, _ state: String) async throws -> String {
            let body = """
                {"version":"1","providers":[
                {"name":"hackernews","state":"notConfigured","reachability":"unknown","budget":{},
                "answers":{"hit":1234,"miss":567,"revalidated":12}},
                {"name":"itunes",\(state),"reachability":"reachable",
                "answers":{"hit":1234,"miss":567,"revalidated":12},"budget":{
                "rate":{"limit":200,"windowSeconds":60,"remaining":197,"resetsAt":"2026-11-20T12:00:30Z"},
                "quota":{"limit":10000,"windowSeconds":86400,"remaining":9983,"resetsAt":"2026-11-21T12:00:00Z"}}}]}
                """
            let daemon = try ScriptedDaemon { _ in answer(200, body) }
            let table = await larder("status", "--url", daemon.url, isTerminal: true, width: width).text
            #expect(!table.contains("…") && table.contains("notConfigured"), "\(width): \(table)")
            #expect(table.contains("197 of 200/min") && table.contains("9983 of 10000/day"), "\(width): \(table)")
            return table
        }
        let ready = #""state":"ready""#
        #expect(try await columns(110, ready).contains("REVALIDATED"))
        let eighty = try await columns(80, ready)
        #expect(eighty.contains("MISSES") && eighty.contains("ready"), "\(eighty)")
        let resting = try await columns(80, #""state":"suspended","suspendedUntil":"2026-11-20T12:00:00Z""#)
        #expect(resting.contains("suspended until 12:00:00Z"), "\(resting)")
    }

    @Test func warmAsksEachLineOnceAndTallies() async throws {
        let daemon = try ScriptedDaemon { head in
            if head.contains("q=bad") { return answer(502, #"{"status":502,"detail":"D","class":"broken"}"#) }
            let outcome = head.contains("q=old") ? "hit; ttl=9" : "fwd=uri-miss; stored"
            return answer(200, #"{"state":"results","results":[]}"#, ["Cache-Status: larder; \(outcome)"])
        }
        try await withScratchDirectory { directory in
            try "# a comment\nold one\n\n  new one  \nbad\n".write(
                toFile: "\(directory)/list", atomically: false, encoding: .utf8)
            let shown = await larder(
                "warm", "\(directory)/list", "--source", "itunes", "--pause", "0", "--url", daemon.url)
            #expect(shown.text == "1 already there, 1 fetched (0 of all without results), 1 failed\n")
            #expect(shown.status == .partial)
            #expect(
                daemon.heads.map { $0.prefix { $0 != "&" } } == [
                    "GET /v1/search?q=old%20one", "GET /v1/search?q=new%20one", "GET /v1/search?q=bad",
                ])
        }
    }

    @Test func configCheckTellsWhichFieldsGoToAnAPIUnderTTL() async throws {
        try await withScratchDirectory { directory in
            let file = "\(directory)/larder.yaml"
            let own = "kind: passthrough, baseURL: \"https://a\", semantics: ttl, keyFields: [X-Tenant]"
            try "providers: { mine: { \(own) } }\n".write(toFile: file, atomically: false, encoding: .utf8)
            let told = await larder("config", "check", file)
            #expect(told.text.contains("note: mine gets of a client's GET: Accept, Accept-Language"), "\(told.text)")
            #expect(told.text.contains("and X-Tenant; others need keyFields"), "\(told.text)")
        }
    }

    @Test func configCheckTellsEveryMistake() async throws {
        try await withScratchDirectory { directory in
            let file = "\(directory)/larder.yaml"
            try "cache:\n  maxsize: 1\n  jitter: 99\n".write(toFile: file, atomically: false, encoding: .utf8)
            let bad = await larder("config", "check", file)
            #expect(bad.status == .usage)
            #expect(bad.text.split(separator: "\n").count == 2)
            #expect(
                bad.text.contains("\(file):2:3: cache.maxsize: there is no such setting; did you mean \"maxSize\"?"))
            #expect(bad.err == "larder: 2 mistakes\n")
            try "cache:\n  maxSize: 1 GiB\n".write(toFile: file, atomically: false, encoding: .utf8)
            let good = await larder("config", "check", file)
            #expect(good.status == .done && good.text == "\(file): valid; 1 setting differs from its default\n")
            let changed = await larder("params", "--changed", "--config", file, isTerminal: true)
            #expect(changed.text.contains("cache.maxSize") && changed.text.split(separator: "\n").count == 2)
        }
    }
}
