// What a terminal shows of an envelope: votes and discussions where there are any, and what is missing of an answer.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct EnvelopeTests {
    private func envelope(_ text: String) throws -> Envelope { Envelope(try JSON.parse(Bytes(text: text))) }

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

    @Test func aPartialAnswerSaysWhy() throws {
        let partial = try envelope(
            """
            {"state":"partial","sources":[{"provider":"hackernews","state":"partial","count":7,"missing":2,
            "error":{"class":"limited","detail":"The budget is spent."}}],"results":[]}
            """)
        #expect(partial.exitStatus == .partial)
        let footer = partial.footer(
            LocalResponse(status: 200, reason: "OK", fields: [:], body: [], keepsAlive: true), took: .milliseconds(1))
        #expect(footer.hasPrefix("hackernews 7, not all: The budget is spent."), "\(footer)")
    }
}
