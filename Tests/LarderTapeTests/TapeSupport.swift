// Folders and exchanges for the tests of tapes.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderTape
import Testing

/// A folder that is removed with the value.
final class Ground: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/larder-tape-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Folder.remove(path) }

    func tape(_ literals: [String] = [], limits: TapeLimits = TapeLimits()) throws -> Tape {
        try Tape(path: path, literals: literals, limits: limits)
    }

    func write(_ name: String, _ bytes: Bytes) throws {
        let file = try #require(fopen("\(path)/\(name)", "wbe"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    func write(_ name: String, _ text: String) throws { try write(name, Bytes(text: text)) }

    func read(_ name: String) throws -> Bytes {
        let file = try #require(fopen("\(path)/\(name)", "rbe"))
        defer { fclose(file) }
        var bytes = Bytes(repeating: 0, count: 8 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Bytes(bytes.prefix(count))
    }

    var files: [String] { ((try? Folder.names(path)) ?? []).sorted() }

    /// All bytes of all files, as text.
    func everything() throws -> String { try files.map { try read($0).lossyText }.joined(separator: "\n") }
}

func url(_ text: String) throws -> HTTPURL { try #require(HTTPURL(text)) }

func asked(_ text: String, fields: HeaderFields = [:], method: Method = .get, content: String = "") throws
    -> TapeRequest
{
    TapeRequest(method, try url(text), fields: fields, content: Bytes(text: content))
}

func exchange(
    _ text: String = "https://api.example.test/v1/search?q=a", _ fields: HeaderFields = [:], method: Method = .get,
    content: String = "", status: Int = 200, answer: HeaderFields = ["Content-Type": "application/json"],
    body: String = #"{"items":[1,2]}"#
) throws -> TapeExchange {
    TapeExchange(
        try asked(text, fields: fields, method: method, content: content),
        TapeAnswer(status: status, fields: answer, body: Bytes(text: body)))
}

extension Tape {
    /// Records and expects a name.
    @discardableResult
    func keep(_ exchange: TapeExchange) throws -> TapeName {
        let outcome = try record(exchange)
        guard case .recorded(let recording) = outcome else {
            throw TapeFault(.invalid, path, "not recorded: \(outcome)")
        }
        return recording.name
    }

    func replay() throws -> TapeReplay { TapeReplay(try load().recordings, rules: rules, secrets: secrets) }
}

extension TapeReplay {
    /// The body that answers; nil at a miss.
    func body(_ request: TapeRequest, _ state: inout State) -> String? {
        guard case .recording(let found) = answer(request, &state) else { return nil }
        return found.exchange.answer.body.lossyText
    }

    func body(_ request: TapeRequest) -> String? {
        var state = State()
        return body(request, &state)
    }

    func miss(_ request: TapeRequest) throws -> TapeMiss {
        var state = State()
        guard case .miss(let miss) = answer(request, &state) else { throw TapeFault(.invalid, "", "a hit") }
        return miss
    }
}
