// A stream of events that is read only when data is there, because the code that draws the screen must not wait for it.
import LarderCore
import LarderHTTP
import LarderIO

/// One open stream of requests.
struct RequestFollower: ~Copyable {
    private let connection: DaemonConnection
    private var reader: DaemonResponseReader
    private var events: EventTextReader

    var descriptor: Int32 { connection.descriptor }

    /// Connects and sends the request.
    /// - Parameter last: the number of earlier requests to include.
    init(_ conversation: Conversation, last: Int) throws(CommandFailure) {
        let made = try conversation.connect()
        var request = DaemonRequest(.get, "/v1/requests/events?last=\(last)", fields: ["Accept": EventText.mediaType])
        request.needsAuthority = true
        let signed = try conversation.signed(request, for: made)
        try made.send(DaemonConnection.head(signed, authority: made.address.authority))
        connection = made
        reader = DaemonResponseReader(isHead: false)
        events = EventTextReader()
    }

    /// Reads once. Call it when data is there.
    /// - Returns: the events received; nil if the stream has ended.
    mutating func read() -> [JSONValue]? {
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        guard
            case .bytes(let count) = chunk.withUnsafeMutableBytes({ Syscall.receive(connection.descriptor, into: $0) }),
            count > 0, let ended = try? reader.feed(chunk.prefix(count)) != nil, !ended
        else { return nil }
        guard let head = reader.head else { return [] }
        guard head.status == 200, let told = try? events.feed(reader.takeBody()) else { return nil }
        return told.compactMap { try? JSON.parse($0.data) }
    }
}
