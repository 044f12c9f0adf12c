// A search on a terminal: the command begins it without waiting, follows it, and shows what a waiting client would see.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCLI

private let envelope = """
    {"id":"abc","events":"/v1/searches/abc/events","state":"partial","query":{},"sources":[
    {"provider":"itunes","state":"results","count":1,"stale":false},
    {"provider":"dnd5e","state":"failed","error":{"class":"timedOut","detail":"dnd5e was late."}}],"count":1,
    "results":[{"id":"itunes:song:1","provider":"itunes","kind":"song","title":"Banana Pancakes"}]}
    """

private let loading =
    #"{"state":"loading","sources":[{"provider":"itunes","state":"loading"},{"provider":"dnd5e","state":"loading"}]}"#

/// A chunked answer with chunks of the given size.
private func stream(_ bytes: Bytes, of size: Int = 10) -> Bytes {
    var out = Bytes(text: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = rest.prefix(size)
        out += Bytes(text: String(piece.count, radix: 16) + "\r\n") + piece + Bytes(text: "\r\n")
        rest = rest.dropFirst(size)
    }
    return out + Bytes(text: "0\r\n\r\n")
}

private func events(end: String = #"{"state":"partial"}"#) -> Bytes {
    EventText.event("state", id: "1", data: Bytes(text: loading))
        + EventText.event("source", id: "2", data: Bytes(text: #"{"provider":"itunes","state":"results","count":1}"#))
        + EventText.comment()
        + EventText.event(
            "source", id: "3", data: Bytes(text: #"{"provider":"dnd5e","state":"failed","error":{"class":"timedOut"}}"#)
        )
        + EventText.event("state", id: "4", data: Bytes(text: end))
}

private func daemon(
    _ last: String = envelope, stream bytes: Bytes = stream(events()), begun: Bytes? = nil
) throws -> ScriptedDaemon {
    try ScriptedDaemon { head in
        if head.hasPrefix("GET /v1/searches/abc/events ") { return bytes }
        if head.hasPrefix("GET /v1/searches/abc ") {
            return answer(200, last, ["Cache-Status: larder; fwd=uri-miss", "Age: 0"])
        }
        if head.hasPrefix("DELETE ") { return answer(200, "{}") }
        if head.contains("\r\nPrefer: respond-async\r\n") {
            return begun ?? answer(202, loading, ["Location: /v1/searches/abc"])
        }
        return answer(200, last)
    }
}

/// Runs a search whose time ends while it is followed, each time with a new daemon. On a busy machine its time may be
/// over before it is followed. Then it is repeated with more time.
private func givenUp(
    isTerminal: Bool, of makeDaemon: () throws -> ScriptedDaemon
) async throws -> (shown: Outcome, daemon: ScriptedDaemon, limit: String) {
    var limits = ["1s", "4s", "16s"]
    while true {
        let limit = limits.removeFirst()
        let daemon = try makeDaemon()
        let shown = await larder("search", "x", "--timeout", limit, "--url", daemon.url, isTerminal: isTerminal)
        if limits.isEmpty || daemon.heads.contains(where: { $0.contains("/events ") }) { return (shown, daemon, limit) }
    }
}

struct FollowedSearchTests {
    @Test func onATerminalEachSourceIsShownAndThenTheTable() async throws {
        let daemon = try daemon()
        let shown = await larder("search", "x", "--url", daemon.url, isTerminal: true, width: 100)
        #expect(shown.status == .partial, "\(shown)")
        let lines = shown.text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["itunes 1", "dnd5e timedOut"], "\(lines)")
        #expect(lines.count == 5 && lines[3].contains("Banana Pancakes"))
        #expect(lines[4].hasPrefix("itunes 1 · dnd5e: dnd5e was late. · miss · "))
        #expect(
            daemon.heads.map { $0.prefix { $0 != "\r\n" } } == [
                "GET /v1/search?q=x HTTP/1.1", "GET /v1/searches/abc/events HTTP/1.1", "GET /v1/searches/abc HTTP/1.1",
            ])
    }

    @Test func whatIsAtHandIsShownAtOnceAndInAPipeNobodyFollows() async throws {
        let daemon = try daemon(begun: answer(200, envelope))
        let shown = await larder("search", "x", "--url", daemon.url, isTerminal: true, width: 100)
        #expect(shown.text.split(separator: "\n").count == 3 && daemon.heads.count == 1)
        let piped = await larder("search", "x", "--url", daemon.url)
        #expect(piped.text == envelope + "\n" && !daemon.heads[1].contains("Prefer"))
        let asked = await larder("search", "x", "--json", "--url", daemon.url, isTerminal: true)
        #expect(asked.text == envelope + "\n" && daemon.heads.count == 3)
    }

    @Test func aSearchThatFailedEndsAsItsProblemDoes() async throws {
        let failed =
            #"{"state":"failed","sources":[],"problem":{"status":429,"detail":"Too many.","class":"limited","retryAfter":9}}"#
        let daemon = try daemon(failed, stream: stream(events(end: failed)))
        let shown = await larder("search", "x", "--url", daemon.url, isTerminal: true)
        #expect(shown.status == .limited)
        #expect(shown.err == "larder: Too many.\nTry again in 9s.\n")
    }

    @Test func aDaemonWithoutRoomIsAskedInTheUsualWay() async throws {
        for daemon in [
            try daemon(begun: answer(503, #"{"status":503,"class":"overloaded"}"#)),
            try daemon(stream: answer(503, #"{"status":503,"class":"overloaded"}"#)),
        ] {
            let shown = await larder("search", "x", "--url", daemon.url, isTerminal: true)
            #expect(shown.status == .partial && shown.text.contains("Banana Pancakes"), "\(shown)")
            #expect(daemon.heads.last?.contains("Prefer") == false)
        }
    }

    @Test func anEndOfTheDaemonIsNoEndOfTheSearch() async throws {
        let half = EventText.event("state", id: "1", data: Bytes(text: loading))
        let shown = await larder("search", "x", "--url", try daemon(stream: stream(half)).url, isTerminal: true)
        #expect(shown.status == .noDaemon, "\(shown)")
        let cancelled = #"{"state":"cancelled","sources":[],"results":[]}"#
        let other = try daemon(cancelled, stream: stream(events(end: cancelled)))
        #expect(await larder("search", "x", "--url", other.url, isTerminal: true).status == .failed)
    }

    @Test func whoGivesUpLeavesNoSearchBehind() async throws {
        let open = Bytes(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") + Bytes(text: "1\r\n:\r\n")
        let (shown, daemon, limit) = try await givenUp(isTerminal: true) {
            try ScriptedDaemon(keepsOpen: { $0.contains("/events ") }) { head in
                if head.hasPrefix("DELETE ") { return answer(200, "{}") }
                return head.contains("/events ") ? open : answer(202, loading, ["Location: /v1/searches/abc"])
            }
        }
        #expect(shown.status == .unreachable && shown.err.contains("no source answered within \(limit)"), "\(shown)")
        #expect(shown.err.contains("waited for itunes, dnd5e"))
        #expect(daemon.heads.last?.hasPrefix("DELETE /v1/searches/abc ") == true, "\(daemon.heads)")
    }

    @Test(arguments: [true, false])
    func whenItsTimeIsOverWhatHasComeIsShown(_ isTerminal: Bool) async throws {
        let half = envelope.replacing(#""state":"partial""#, with: #""state":"loading""#)
            .replacing(
                #""state":"failed","error":{"class":"timedOut","detail":"dnd5e was late."}"#,
                with: #""state":"loading""#)
        let open = Bytes(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") + Bytes(text: "1\r\n:\r\n")
        let (shown, daemon, limit) = try await givenUp(isTerminal: isTerminal) {
            try ScriptedDaemon(keepsOpen: { $0.contains("/events ") }) { head in
                if head.hasPrefix("DELETE ") { return answer(200, "{}") }
                if head.contains("/events ") { return open }
                return head.hasPrefix("GET /v1/searches/abc ")
                    ? answer(200, half) : answer(202, loading, ["Location: /v1/searches/abc"])
            }
        }
        #expect(shown.status == .partial, "\(shown)")
        #expect(shown.err == "larder: not all within \(limit): dnd5e left out\n")
        #expect(shown.text.contains("Banana Pancakes"))
        #expect(isTerminal || shown.text.contains(#""state":"partial""#) && !shown.text.contains("/events"))
        #expect(!isTerminal || shown.text.contains("dnd5e: dnd5e did not answer within \(limit)."), "\(shown.text)")
        #expect(daemon.heads.last?.hasPrefix("DELETE /v1/searches/abc ") == true, "\(daemon.heads)")
    }

    @Test func theAnswerOfASearchGivenUpIsPartialAndNamesNoSearch() throws {
        let half = """
            {"id":"abc","events":"/v1/searches/abc/events","state":"loading","query":{"q":"x"},"sources":[
            {"provider":"itunes","state":"results","count":1,"stale":false},{"provider":"dnd5e","state":"loading"}],
            "count":1,"results":[{"id":"itunes:song:1"}]}
            """
        let ended = UnfinishedSearch.ended(try JSON.parse(Bytes(text: half)), after: .seconds(2))
        #expect(
            ended.lossyText == #"{"state":"partial","query":{"q":"x"},"sources":["#
                + #"{"provider":"itunes","state":"results","count":1,"stale":false},"#
                + #"{"provider":"dnd5e","state":"failed","count":0,"stale":false,"error":{"class":"timedOut","#
                + #""detail":"dnd5e did not answer within 2s.","retryable":true}}],"#
                + #""count":1,"results":[{"id":"itunes:song:1"}]}"#)
    }

    @Test(arguments: ["0", "0s"])
    func noTimeAtAllIsRefused(_ timeout: String) async throws {
        let daemon = try daemon()
        let shown = await larder("search", "x", "--timeout", timeout, "--url", daemon.url)
        #expect(shown.status == .usage && daemon.heads.isEmpty, "\(shown)")
        #expect(shown.err.contains(#"--timeout: "\#(timeout)" leaves no time for an answer"#), "\(shown.err)")
    }

    @Test func theLineIsWrittenOverAndFitsTheTerminal() throws {
        var progress = SearchProgress()
        func value(_ text: String) throws -> JSONValue { try JSON.parse(Bytes(text: text)) }
        let first = progress.began(try value(loading), width: 80, rewrites: true)
        #expect(first == "\rwaiting for itunes, dnd5e\u{1B}[K")
        let second = progress.arrived(
            try value(#"{"provider":"dnd5e","state":"results","count":3}"#), width: 80, rewrites: true)
        #expect(second == "\rdnd5e 3 · waiting for itunes\u{1B}[K")
        let narrow = progress.arrived(
            try value(#"{"provider":"itunes","state":"failed","error":{"class":"li\u001bmited"}}"#), width: 20,
            rewrites: true)
        #expect(narrow == "\rdnd5e 3 · itunes l…\u{1B}[K")
        #expect(progress.cleared(rewrites: true) == SearchProgress.erase)
        #expect(progress.cleared(rewrites: true).isEmpty)
    }
}
