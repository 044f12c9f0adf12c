// An event stream as its client sees it: read chunk by chunk from a socket, never with the server's own parser.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

/// Reads events from a connection. Only one thread may use a value.
struct EventStream {
    let client: WireClient
    let head: WireResponse
    private var reader = EventTextReader()
    private var waiting: [EventTextReader.Event] = []
    /// Whether the stream came to its clean end.
    private(set) var hasEnded = false

    /// Sends the request and reads the head of the response.
    init(_ client: WireClient, _ target: String, fields: String = "") throws {
        self.client = client
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        head = try client.receiveHead()
    }

    /// Returns the next event, or nil at the clean end.
    mutating func next() throws -> EventTextReader.Event? {
        while waiting.isEmpty {
            guard !hasEnded else { return nil }
            guard let size = Int(try client.receiveLine(), radix: 16) else { throw WireError("no chunk") }
            waiting = try reader.feed(try client.take(size))
            guard try client.receiveLine().isEmpty else { throw WireError("a chunk without its end") }
            hasEnded = size == 0
        }
        return waiting.removeFirst()
    }

    /// Returns all events until the end.
    mutating func rest() throws -> [EventTextReader.Event] {
        var events: [EventTextReader.Event] = []
        while let event = try next() { events.append(event) }
        return events
    }
}

extension EventTextReader.Event {
    /// A short form, such as "source itunes results" or "state loading".
    var summary: String {
        let value = try? JSON.parse(data)
        return [name, value?["provider"]?.string, value?["state"]?.string].compactMap { $0 }.joined(separator: " ")
    }
}
