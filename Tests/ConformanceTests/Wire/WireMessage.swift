// One request or response as its bytes arrived, and the expectations of a clause. The parser here is independent of the
// daemon's own parser.
import LarderCore
import Testing

struct WireMessage: Sendable, CustomStringConvertible {
    var startLine: String
    /// The fields in their order and spelling. White space around a value is removed, as RFC 9112 §5.1 says.
    var fields: [(name: String, value: String)]
    var body = Bytes()
    /// Whether the body arrived completely according to its framing.
    var isWhole = false
    /// The number of the origin's connection by which it arrived.
    var connection = 0

    init(head: Bytes) {
        var lines: [ArraySlice<UInt8>] = []
        var rest = head[...]
        while let place = rest.firstIndex(of: 0x0A) {
            let line = rest[..<place]
            lines.append(line.last == 0x0D ? line.dropLast() : line)
            rest = rest[(place + 1)...]
        }
        startLine = wireText(lines.first ?? [])
        fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
            var value = line[colon...].dropFirst()
            while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
            return (wireText(line[..<colon]), wireText(value))
        }
    }

    private var words: [Substring] { startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false) }
    var status: Int { words.count > 1 ? Int(words[1]) ?? 0 : 0 }
    var method: String { String(words.first ?? "") }
    var target: String { words.count > 1 ? String(words[1]) : "" }
    var version: String { words.count > 2 ? String(words[2]) : "" }
    var isHead: Bool { method == "HEAD" }
    var text: String { wireText(body) }

    /// The values of a field, line by line.
    func values(_ name: String) -> [String] {
        fields.filter { ASCII.equalFolded($0.name, name) }.map(\.value)
    }

    /// The lines of a field as one list; nil if the field is absent.
    subscript(_ name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    func value(_ name: String) -> String? { self[name] }

    /// Whether a line of the head equals the text or a field has it as its name.
    func has(_ text: String) -> Bool {
        fields.contains { "\($0.name): \($0.value)" == text || ASCII.equalFolded($0.name, text) }
    }

    var head: String {
        startLine + "\n" + fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    var description: String { "\(head.prefix(3000))\n\n\(text.prefix(300)) (\(body.count) bytes, whole: \(isWhole))" }

    /// Records an issue for each expectation that does not hold.
    func expect(_ expectations: Expect..., sourceLocation: SourceLocation = #_sourceLocation) {
        for expectation in expectations {
            if let fault = expectation.fault(self) {
                Issue.record("\(fault) in:\n\(self)", sourceLocation: sourceLocation)
            }
        }
    }
}

/// An expectation about one message.
struct Expect: Sendable {
    /// Returns what is wrong with the message; nil if nothing is.
    let fault: @Sendable (WireMessage) -> String?

    private static func that(_ claim: String, _ holds: @escaping @Sendable (WireMessage) -> Bool) -> Expect {
        Expect { holds($0) ? nil : "not so: \(claim)" }
    }

    // MARK: First line

    static func status(_ status: Int) -> Expect { that("status \(status)") { $0.status == status } }
    static func statusIn(_ list: [Int]) -> Expect { that("status among \(list)") { list.contains($0.status) } }
    static func statusLine(_ line: String) -> Expect { that("status line \"\(line)\"") { $0.startLine == line } }
    static func method(_ method: String) -> Expect { that("method \(method)") { $0.method == method } }
    static func target(_ target: String) -> Expect { that("target \(target)") { $0.target == target } }
    static func version(_ version: String) -> Expect { that("version \(version)") { $0.version == version } }

    // MARK: Fields

    /// The head contains exactly this line, in this spelling.
    static func line(_ line: String) -> Expect {
        that("a line \"\(line.prefix(200))\"") { $0.fields.contains { "\($0.name): \($0.value)" == line } }
    }
    static func lacks(_ name: String) -> Expect { that("no \(name)") { $0[name] == nil } }
    static func has(_ name: String) -> Expect { that("some \(name)") { $0[name] != nil } }
    /// The lines of the field, as one list, have this value.
    static func field(_ name: String, _ value: String) -> Expect {
        that("\(name): \(value)") { $0[name].map { Expect.evened($0) } == Expect.evened(value) }
    }
    static func fieldIn(_ name: String, _ list: [String?]) -> Expect {
        that("\(name) among \(list)") { message in
            list.contains { $0?.lowercased() == message[name]?.lowercased() }
        }
    }
    /// The field has one line with this value.
    static func only(_ name: String, _ value: String) -> Expect {
        that("\(name): \(value), once") { $0.values(name) == [value] }
    }
    static func order(_ name: String, _ values: [String]) -> Expect {
        that("the lines of \(name) are \(values)") { $0.values(name) == values }
    }
    static func fieldAtMostOnce(_ name: String) -> Expect {
        that("\(name) at most once") { $0.values(name).count <= 1 }
    }
    /// A member of the list begins with the word, in any case.
    static func fieldHas(_ name: String, _ word: String) -> Expect {
        that("\(name) has \(word)") { Expect.members($0[name]).contains { $0.hasPrefix(word.lowercased()) } }
    }
    static func fieldLacks(_ name: String, _ word: String) -> Expect {
        that("\(name) lacks \(word)") { !Expect.members($0[name]).contains { $0.hasPrefix(word.lowercased()) } }
    }
    /// These fields appear in this relative order.
    static func sequence(_ names: [String]) -> Expect {
        that("fields in the order \(names)") { message in
            message.fields.map(\.name).filter { names.contains($0) } == names
        }
    }
    static func headLacks(_ text: String) -> Expect { that("no \"\(text)\" in the head") { !$0.head.contains(text) } }
    /// Host names the origin of the stand, exactly once.
    static let isForOrigin = that("Host is the origin's") { message in
        let values = message.values("Host")
        return values.count == 1 && values[0].hasPrefix("127.0.0.1:") && values[0] != "127.0.0.1:1"
    }
    /// The message has exactly one framing field.
    static let isFramedOnce = that("framed once") {
        $0.values("Content-Length").count + $0.values("Transfer-Encoding").count == 1
    }

    static let isFramedAtMostOnce = that("framed at most once") {
        $0.values("Content-Length").count + $0.values("Transfer-Encoding").count <= 1
    }

    // MARK: Body

    static func body(_ body: String) -> Expect {
        that("body \"\(body.prefix(100))\"") { $0.text == body && $0.isWhole }
    }
    static func bodyIn(_ list: [String]) -> Expect {
        that("body among \(list)") { list.contains($0.text) && $0.isWhole }
    }
    static func bodyLacks(_ text: String) -> Expect { that("no \"\(text)\" in the body") { !$0.text.contains(text) } }
    static func content(_ body: Bytes) -> Expect {
        Expect { message in
            if message.body == body, message.isWhole { return nil }
            let same = zip(message.body, body).prefix { $0 == $1 }.count
            return "not so: the same \(body.count) bytes (\(message.body.count) came, the first \(same) are right)"
        }
    }

    // MARK: Of the cache

    static let isHit = that("Cache-Status tells of a hit") { $0["Cache-Status"]?.hasPrefix("larder; hit") == true }
    static let isNotHit = that("Cache-Status tells of no hit") { $0["Cache-Status"]?.hasPrefix("larder; fwd=") == true }
    /// Proxy-Status has one member, Larder's, with one of these errors (RFC 9209 §2).
    static func proxyStatus(_ errors: [String]) -> Expect {
        that("Proxy-Status: larder with an error among \(errors)") { message in
            let values = message.values("Proxy-Status")
            guard values.count == 1, values[0].hasPrefix("larder;") else { return false }
            let parameters = values[0].split(separator: ";").dropFirst().map { ASCII.trimmed($0) }
            return errors.contains { error in parameters.contains { $0 == "error=\(error)" } }
        }
    }

    private static func members(_ value: String?) -> [String] {
        (value ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }).map { ASCII.trimmed($0).lowercased() }
    }

    /// The value without the white space around commas, which has no meaning.
    private static func evened(_ value: String) -> String {
        value.split(separator: ",", omittingEmptySubsequences: false).map { String(ASCII.trimmed($0)) }
            .joined(separator: ", ")
    }
}

/// Expects that two values are equal.
func expectSame<Value: Equatable>(
    _ one: Value, _ other: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(one == other, sourceLocation: sourceLocation)
}
