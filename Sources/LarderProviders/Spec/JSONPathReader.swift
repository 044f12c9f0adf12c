// Reads the text of a JSON path (RFC 9535 §2). It takes the subset that `JSONPath` describes and tells the place of
// everything else.
import LarderCore

/// What is wrong with the text of a path.
struct JSONPathError: Error, CustomStringConvertible {
    var message: String
    /// The position in the text, in characters, from 0.
    var place: Int

    var description: String { "at character \(place + 1): \(message)" }
}

struct JSONPathReader {
    private let text: [Character]
    private var place = 0

    init(_ text: String) {
        self.text = Array(text.prefix(JSONPath.longest + 1))
    }

    var isAtEnd: Bool { place == text.count }

    func fault(_ message: String) -> JSONPathError { JSONPathError(message: message, place: place) }

    mutating func expect(_ sign: String, _ message: String) throws(JSONPathError) {
        guard take(sign) else { throw fault(message) }
    }

    private mutating func take(_ sign: String) -> Bool {
        guard text[place...].starts(with: sign) else { return false }
        place += sign.count
        return true
    }

    private mutating func skipSpace() {
        while place < text.count, text[place] == " " { place += 1 }
    }

    private mutating func taken(while isPart: (Character) -> Bool) -> String {
        let start = place
        while place < text.count, isPart(text[place]) { place += 1 }
        return String(text[start..<place])
    }

    /// The selectors up to the first sign that begins none.
    mutating func selectors() throws(JSONPathError) -> [JSONPath.Selector] {
        guard text.count <= JSONPath.longest else {
            throw JSONPathError(message: "A path has at most \(JSONPath.longest) characters.", place: JSONPath.longest)
        }
        var selectors: [JSONPath.Selector] = []
        while place < text.count {
            if take("..") {
                throw fault("Descendants (..) are not supported: write each step.")
            } else if take(".*") || take("[*]") {
                selectors.append(.wildcard)
            } else if take(".") {
                let name = taken { $0 == "_" || $0.isLetter || $0.isNumber || $0 == "-" }
                guard !name.isEmpty else { throw fault("A name, or *, must follow the dot. Write others as ['name'].") }
                selectors.append(.name(name))
            } else if take("[") {
                selectors.append(try bracketed())
            } else {
                break
            }
            guard selectors.count <= JSONPath.most else { throw fault("A path has at most \(JSONPath.most) steps.") }
        }
        return selectors
    }

    private mutating func bracketed() throws(JSONPathError) -> JSONPath.Selector {
        let selector: JSONPath.Selector
        if take("?") {
            selector = .filter(try filter())
        } else if place < text.count, text[place] == "'" || text[place] == "\"" {
            selector = .name(try quoted())
        } else {
            let digits = taken { $0 == "-" || $0.isASCII && $0.isNumber }
            guard let index = Int(digits) else { throw fault("A number, 'name', * or ? must stand between brackets.") }
            selector = .index(index)
        }
        try expect("]", "The bracket must be closed here.")
        return selector
    }

    private mutating func quoted() throws(JSONPathError) -> String {
        let mark = text[place]
        place += 1
        var out = ""
        while place < text.count, text[place] != mark {
            if text[place] == "\\" {
                guard place + 1 < text.count, "\\'\"".contains(text[place + 1]) else {
                    throw fault("Only \\\\, \\' and \\\" are escapes here.")
                }
                place += 1
            }
            out.append(text[place])
            place += 1
        }
        try expect(String(mark), "The quotation mark must be closed.")
        return out
    }

    /// A condition on @.
    mutating func filter() throws(JSONPathError) -> JSONFilter {
        var alternatives: [[JSONFilter.Test]] = [[]]
        while true {
            skipSpace()
            alternatives[alternatives.count - 1].append(try test())
            skipSpace()
            if take("||") {
                alternatives.append([])
            } else if !take("&&") {
                return JSONFilter(alternatives: alternatives)
            }
            let count = alternatives.reduce(0) { $0 + $1.count }
            guard count < JSONPath.most else { throw fault("A filter has at most \(JSONPath.most) tests.") }
        }
    }

    private mutating func test() throws(JSONPathError) -> JSONFilter.Test {
        let isNegated = take("!")
        let start = place
        try expect("@", "A test begins with @.")
        let selectors = try selectors()
        let path = JSONPath(text: String(text[start..<place]), selectors: selectors)
        skipSpace()
        guard let sign = JSONFilter.Comparison.allCases.first(where: { take($0.rawValue) }) else {
            return JSONFilter.Test(path: path, comparison: nil, isNegated: isNegated)
        }
        guard !isNegated else { throw fault("! stands only before a path that is not compared. Use !=.") }
        skipSpace()
        return JSONFilter.Test(path: path, comparison: (sign, try literal()), isNegated: false)
    }

    private mutating func literal() throws(JSONPathError) -> JSONFilter.Literal {
        if place < text.count, text[place] == "'" || text[place] == "\"" { return .text(try quoted()) }
        let word = taken { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        default:
            guard let number = Double(word), number.isFinite else {
                throw fault("A comparison needs 'text', a number, true, false or null.")
            }
            return .number(number)
        }
    }
}

extension JSONFilter: ExpressibleByStringLiteral {
    /// A condition as it stands in a path behind "?".
    init(_ text: String) throws(JSONPathError) {
        var reader = JSONPathReader(text)
        self = try reader.filter()
        guard reader.isAtEnd else { throw reader.fault("Only && and || may follow here.") }
    }

    init(stringLiteral text: String) {
        do throws(JSONPathError) {
            try self.init(text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }
}
