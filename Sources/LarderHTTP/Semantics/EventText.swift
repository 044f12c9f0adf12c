// Server-sent events as text (WHATWG HTML §9.2.5). `EventTextReader` reads back what is written here, except
// that every line break in the data comes out as LF.
import LarderCore

/// Writes the lines of an event stream.
public enum EventText {
    public static let mediaType = "text/event-stream"

    /// Whether a client accepts event streams and nothing else, as an `EventSource` of a browser does.
    public static func isOnlyAccepted(by fields: HeaderFields) -> Bool {
        let ranges = FieldList.members(fields.all(.accept))
        return !ranges.isEmpty
            && ranges.allSatisfy { ASCII.equalFolded(String(ASCII.trimmed($0.prefix { $0 != ";" })), mediaType) }
    }

    /// One event.
    /// - Parameters:
    ///   - name: the name that listeners register for. Line breaks in it are removed.
    ///   - id: the value that a client sends in `Last-Event-ID` after it lost its connection. Nil keeps the previous
    ///     id. An id with NUL would be ignored (§9.2.6), so NUL and line breaks are removed.
    ///   - data: UTF-8 text. CR, LF and CR LF each end a line, and come out as LF.
    public static func event(_ name: String, id: String? = nil, data: Bytes) -> Bytes {
        var out = Bytes()
        out.reserveCapacity(data.count + name.utf8.count + 48)
        append("event", Bytes(text: name)[...].filter { $0 != 0x0A && $0 != 0x0D }[...], to: &out)
        if let id {
            append("id", Bytes(text: id)[...].filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 }[...], to: &out)
        }
        var rest = data[...]
        while true {
            guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
                append("data", rest, to: &out)
                break
            }
            append("data", rest[..<end], to: &out)
            let isPair = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        out.append(0x0A)
        return out
    }

    /// A line that no client shows (§9.2.6). It keeps a quiet connection from looking dead.
    public static func comment(_ text: String = "") -> Bytes {
        Bytes(text: ":") + Bytes(text: text).filter { $0 != 0x0A && $0 != 0x0D } + [0x0A, 0x0A]
    }

    /// How long a client must wait before it connects again.
    public static func retry(after pause: Duration) -> Bytes {
        Bytes(text: "retry: \(max(0, pause.milliseconds))\n\n")
    }

    private static func append(_ field: String, _ value: ArraySlice<UInt8>, to out: inout Bytes) {
        out.append(contentsOf: field.utf8)
        out.append(0x3A)
        out.append(0x20)
        out.append(contentsOf: value)
        out.append(0x0A)
    }
}

/// Thrown when an event is longer than the reader's limit.
public struct EventTooLong: Error, Sendable, Hashable {
    /// The most bytes that an event may have.
    public var limit: Int

    public init(limit: Int) {
        self.limit = limit
    }
}

/// Reads an event stream that comes in pieces (WHATWG HTML §9.2.6).
public struct EventTextReader: Sendable {
    public struct Event: Sendable, Hashable {
        /// "message" if the stream names none.
        public var name: String
        /// The last id that the stream sent; empty if it sent none.
        public var id: String
        public var data: Bytes

        public init(_ name: String, id: String = "", data: Bytes) {
            self.name = name
            self.id = id
            self.data = data
        }
    }

    /// The pause before the next connection, if the stream set one.
    public private(set) var retry: Duration?
    private let limit: Int
    private var line = Bytes()
    private var name = Bytes()
    private var data = Bytes()
    private var id = ""
    private var hasData = false
    private var endedByCR = false
    private var isFirstLine = true

    /// - Parameter limit: the most bytes of one event.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    /// Reads the next bytes and returns the events that they complete. An event that the stream's end leaves incomplete
    /// is dropped.
    public mutating func feed(_ bytes: some Collection<UInt8>) throws(EventTooLong) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            switch byte {
            case 0x0A where endedByCR: endedByCR = false
            case 0x0A, 0x0D:
                endedByCR = byte == 0x0D
                endLine(&events)
            default:
                endedByCR = false
                line.append(byte)
                guard line.count + data.count <= limit else { throw EventTooLong(limit: limit) }
            }
        }
        return events
    }

    private mutating func endLine(_ events: inout [Event]) {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch(&events) }
        let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
        var value = colon == line.endIndex ? [] : line[(colon + 1)...]
        if value.first == 0x20 { value = value.dropFirst() }
        switch HeaderField.text(line[..<colon]) {
        case "event": name = Bytes(value)
        case "data":
            if hasData { data.append(0x0A) }
            hasData = true
            data.append(contentsOf: value)
        case "id" where !value.contains(0): id = Bytes(value).lossyText
        case "retry" where !value.isEmpty && value.allSatisfy(ASCII.isDigit):
            retry = Int64(Bytes(value).lossyText).map { .milliseconds($0) } ?? retry
        // A comment begins with a colon. Fields with other names have no meaning.
        default: break
        }
    }

    private mutating func dispatch(_ events: inout [Event]) {
        // An empty data line alone makes no event either.
        if !data.isEmpty {
            events.append(Event(name.isEmpty ? "message" : name.lossyText, id: id, data: data))
        }
        name = []
        data = []
        hasData = false
    }
}
