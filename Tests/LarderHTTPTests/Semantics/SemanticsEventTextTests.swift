// Server-sent events: written events are read back unchanged, in pieces of any size (WHATWG HTML §9.2).
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsEventTextTests {
    private func read(_ text: String) throws -> [EventTextReader.Event] {
        var reader = EventTextReader()
        return try reader.feed(Bytes(text: text))
    }

    @Test func anEventIsItsLines() {
        let text = EventText.event("source", id: "7", data: Bytes(text: #"{"a":1}"#))
        #expect(text.lossyText == "event: source\nid: 7\ndata: {\"a\":1}\n\n")
        #expect(EventText.comment("alive").lossyText == ":alive\n\n")
        #expect(EventText.retry(after: .seconds(2)).lossyText == "retry: 2000\n\n")
    }

    @Test(arguments: [
        ("one", "data: one\n"), ("one\ntwo", "data: one\ndata: two\n"), ("a\r\nb\rc", "data: a\ndata: b\ndata: c\n"),
        ("end\n", "data: end\ndata: \n"), ("", "data: \n"), ("\n\n", "data: \ndata: \ndata: \n"),
        (" indented", "data:  indented\n"),
    ])
    func eachLineOfTheDataIsALine(_ data: String, _ lines: String) {
        #expect(EventText.event("x", data: Bytes(text: data)).lossyText == "event: x\n" + lines + "\n")
    }

    @Test func nothingInANameOrAnIdMakesALineOfItsOwn() throws {
        let text =
            EventText.event("a\ndata: forged", id: "1\r\n\u{0}2", data: Bytes(text: "d")) + EventText.comment("x\ny")
        #expect(try read(text.lossyText) == [.init("adata: forged", id: "12", data: Bytes(text: "d"))])
    }

    @Test func whatIsWrittenIsReadBackInPiecesOfAnySize() throws {
        let given: [EventTextReader.Event] = [
            .init("source", id: "1", data: Bytes(text: "line\nline two\n\n  ü")),
            .init("source", id: "2", data: Bytes(text: ":no comment")),
            .init("state", id: "2", data: Bytes(text: "data: x\nid: 9")),
        ]
        var stream = EventText.retry(after: .milliseconds(1500))
        stream += EventText.event("source", id: "1", data: given[0].data) + EventText.comment()
        stream += EventText.event("source", id: "2", data: given[1].data)
        stream += EventText.event("state", data: given[2].data)
        for size in [1, 2, 3, 7, stream.count] {
            var reader = EventTextReader()
            var events: [EventTextReader.Event] = []
            var rest = stream[...]
            while !rest.isEmpty {
                events += try reader.feed(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(events == given, "pieces of \(size)")
            #expect(reader.retry == .milliseconds(1500))
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func everyLineEndOfTheStandardIsOne(_ end: String) throws {
        let events = try read(
            ["\u{FEFF}event:a", "data", "data:b", "other: x", "retry: soon", "", "data: c", "", ""].joined(
                separator: end))
        #expect(events == [.init("a", data: Bytes(text: "\nb")), .init("message", data: Bytes(text: "c"))])
    }

    @Test func whatTheEndLeavesIncompleteIsNoEvent() throws {
        #expect(try read("data: whole\n\ndata: part\n") == [.init("message", data: Bytes(text: "whole"))])
        #expect(try read("event: x\n\ndata:\n\n:c\n\n").isEmpty, "without data there is no event")
    }

    @Test func anEventWithoutEndIsRefused() {
        var reader = EventTextReader(limit: 100)
        #expect(throws: EventTooLong(limit: 100)) { try reader.feed(Bytes(repeating: 0x61, count: 101)) }
    }
}
