// What a terminal shows of an envelope: votes and discussions if there are any, and what is missing from an answer.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct SearchAnswerTests {
    private func envelope(_ text: String) throws -> SearchAnswer { SearchAnswer(try JSON.parse(Bytes(text: text))) }

    @Test func votesHaveAColumnAndRepliesStandBelowWhatTheyAnswer() throws {
        let discussion = try envelope(
            """
            {"state":"results","sources":[],"results":[
            {"provider":"hackernews","kind":"story","title":"Root","creator":"ada","attributes":{"points":214}},
            {"provider":"hackernews","kind":"comment","title":"First","creator":"alan","attributes":{"depth":1}},
            {"provider":"hackernews","kind":"comment","title":"Second","creator":"grace","attributes":{"depth":2}}]}
            """)
        let lines = discussion.table().lines(width: 100)
        #expect(lines[0].contains("POINTS") && !lines[0].contains("PRICE"))
        #expect(lines[1].contains("214"))
        #expect(lines[2].contains("    First") && lines[3].contains("      Second"))
        let songs = try envelope(
            #"{"state":"results","results":[{"title":"Song","price":{"amount":1,"currency":"USD"}}]}"#)
        #expect(!songs.table().lines(width: 100)[0].contains("POINTS"))
    }

    private static let chosen = """
        {"state":"results","sources":[],"results":[{"id":"itunes:song:1","url":"https://example.com/1",
        "summary":"One\\nline","genres":["Rock","Pop"],"artwork":{"small":"/v1/artwork/abc","original":"https://x"},
        "attributes":{"trackCount":9}}]}
        """

    @Test(arguments: [
        ("url", "   URL", "1  https://example.com/1"), ("id", "   ID", "1  itunes:song:1"),
        ("ARTWORK", "   ARTWORK", "1  /v1/artwork/abc"), ("summary", "   SUMMARY", "1  One line"),
        ("genres, id", "   ID             GENRES", "1  itunes:song:1  Rock, Pop"),
    ])
    func whatIsChosenHasAColumn(_ fields: String, _ header: String, _ row: String) throws {
        let table = try envelope(Self.chosen).table(ChosenColumns(fields))
        #expect(table.lines(width: 80) == [header, row] && SearchAnswer.showsSomething(table))
        #expect(try envelope(Self.chosen).table().lines(width: 80).count == 2, "a number alone where none is chosen")
    }

    @Test func theSourceIsShownWhereItIsChosen() throws {
        let found = try envelope(#"{"state":"results","results":[{"id":"a","provider":"itunes"}]}"#)
        #expect(found.table(ChosenColumns("provider")).lines(width: 80) == ["   SOURCE", "1  itunes"])
    }

    @Test(arguments: ["search", "local"])
    func whatATableCannotShowIsSaidToBeInJSON(_ command: String) async throws {
        let body = #"{"state":"results","results":[{"id":"a","attributes":{"trackCount":9}}]}"#
        let daemon = try ScriptedDaemon { _ in answer(200, body) }
        let shown = await larder(command, "x", "--fields", "attributes", "--url", daemon.url, isTerminal: true)
        #expect(
            shown.text.hasPrefix("A table cannot show the chosen members of these 1 results; --json shows them.\n"),
            "\(shown.text)")
        let url = body.replacing(#""attributes":{"trackCount":9}"#, with: #""url":"https://example.com/""#)
        let other = try ScriptedDaemon { _ in answer(200, url) }
        let table = await larder(command, "x", "--fields", "url", "--url", other.url, isTerminal: true)
        #expect(table.text.hasPrefix("   URL\n1  https://example.com/\n"), "\(table.text)")
    }

    @Test func recordsOfTheAPIAreSaidToBeInJSONOnly() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, #"{"state":"results","results":[{"title":"A"}]}"#) }
        let words = "larder: a table cannot show the API's own records; --json shows them\n"
        let shown = await larder("search", "x", "--include", "source", "--url", daemon.url, isTerminal: true)
        #expect(shown.err == words)
        #expect(await larder("search", "x", "--include", "source", "--url", daemon.url).err.isEmpty)
    }

    @Test func aPartialAnswerSaysWhy() throws {
        let partial = try envelope(
            """
            {"state":"partial","sources":[{"provider":"hackernews","state":"partial","count":7,"missing":2,
            "error":{"class":"limited","detail":"The budget is spent."}}],"results":[]}
            """)
        #expect(partial.exitStatus == .partial)
        let footer = partial.footer(
            DaemonResponse(status: 200, reason: "OK", fields: [:], body: [], keepsAlive: true), took: .milliseconds(1))
        #expect(footer.hasPrefix("hackernews 7, not all: The budget is spent."), "\(footer)")
    }

    @Test func thatAllWasDroppedIsNotThatNothingWasFound() throws {
        let dropped = try envelope(
            """
            {"state":"allDropped","sources":[{"provider":"newsapi","state":"allDropped","count":0,"dropped":3,
            "droppedReasons":{"removed":2,"title":1},"error":null}],"results":[]}
            """)
        #expect(dropped.exitStatus == .noResults)
        #expect(
            dropped.emptiness
                == "Nothing usable was found: newsapi found 3: 2 that the source removed, 1 without a title.")
        let footer = dropped.footer(
            DaemonResponse(status: 200, reason: "OK", fields: [:], body: [], keepsAlive: true), took: .milliseconds(1))
        #expect(footer.hasPrefix("newsapi 0 of 3, unusable: 2 that the source removed, 1 without a title"), "\(footer)")
        let none = try envelope(
            #"{"state":"noResults","sources":[{"provider":"newsapi","state":"noResults","count":0}],"results":[]}"#)
        #expect(none.emptiness == "Nothing was found.")
    }
}
