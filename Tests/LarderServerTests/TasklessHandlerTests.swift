// A handler that answers without a task of its own: the connection gets its response by a call.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@testable import LarderServer

@Suite struct TasklessHandlerTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func itsResponsesAreSentInTurn() async throws {
        let handler = Posting()
        try await withServer(handler: handler) { test in
            let client = try RawClient(test.address)
            client.send(Self.request + Self.request)
            for text in ["one", "two"] {
                try await eventually { handler.answer.get() != nil }
                handler.answer.exchange(nil)?(ServerResponse(status: 200, body: .bytes(Bytes(text: text))))
                #expect(try client.response().text == text)
            }
            #expect(handler.cancelled.current == 0)
        }
    }

    @Test func aClientThatLeavesCancelsItsWorkAndTheResponseIsDropped() async throws {
        let handler = Posting()
        try await withServer(handler: handler) { test in
            var client: RawClient? = try RawClient(test.address)
            client?.send(Self.request)
            try await eventually { handler.answer.get() != nil }
            client?.resetAtEnd()
            client = nil
            try await eventually { handler.cancelled.current == 1 }
            handler.answer.exchange(nil)?(ServerResponse(status: 200))
            await test.advance(.zero)
            #expect(test.count(ServerCounters.left) == 1)
        }
    }
}
