// Finds the operations of a GraphQL document, and which of them a request executes (GraphQL specification §2.3, §6.1).
// Selections are skipped by matching their brackets. A valid document is always read correctly. An invalid document may
// be accepted here although a server refuses it.
import LarderCore

/// The operations of one document.
struct GraphQLDocument: Sendable, Hashable {
    enum Kind: String, Sendable {
        case query, mutation, subscription
    }

    struct Operation: Sendable, Hashable {
        var kind: Kind
        var name: String?
    }

    /// In document order.
    let operations: [Operation]

    /// The most brackets that may be open at once.
    static let maxDepth = 256

    /// Nil if the text is not an executable document.
    init?(_ text: Bytes) {
        var reader = Reader(lexer: GraphQLLexer(text))
        guard let operations = try? reader.operations() else { return nil }
        let names = operations.map(\.name)
        // Names are unique, and an operation without a name is the only operation (§5.2.1, §5.2.2).
        guard Set(names).count == names.count, names.count < 2 || !names.contains(nil) else { return nil }
        self.operations = operations
    }

    /// The kind of the operation that a request executes: the one with this name or, without a name, the only one. Nil
    /// if there is none.
    func executed(_ name: String?) -> Kind? {
        guard let name, !name.isEmpty else { return operations.count == 1 ? operations[0].kind : nil }
        return operations.first { $0.name == name }?.kind
    }

    private struct Reader {
        var lexer: GraphQLLexer

        mutating func operations() throws(GraphQLLexer.Fault) -> [Operation] {
            var out: [Operation] = []
            while true {
                var token = try lexer.next()
                if token == .end { return out }
                // A description may precede a definition, but not a bare selection.
                let isDescribed = token == .string
                if isDescribed { token = try lexer.next() }
                if token == .mark(0x7B), !isDescribed {
                    try pass(0x7B)
                    out.append(Operation(kind: .query, name: nil))
                    continue
                }
                guard case .name(let word) = token else { throw GraphQLLexer.Fault() }
                if word == "fragment" {
                    try fragment()
                } else if let kind = Kind(rawValue: word) {
                    out.append(Operation(kind: kind, name: try operation()))
                } else {
                    throw GraphQLLexer.Fault()
                }
            }
        }

        /// Reads an operation after the word for its kind. Returns its name.
        private mutating func operation() throws(GraphQLLexer.Fault) -> String? {
            let token = try lexer.next()
            guard case .name(let name) = token else {
                try selection(token)
                return nil
            }
            try selection(try lexer.next())
            return name
        }

        /// Reads a fragment after the word "fragment": a name that is not "on", then "on" and a type.
        private mutating func fragment() throws(GraphQLLexer.Fault) {
            guard case .name(let name) = try lexer.next(), name != "on" else { throw GraphQLLexer.Fault() }
            guard try lexer.next() == .name("on"), case .name = try lexer.next() else { throw GraphQLLexer.Fault() }
            try selection(try lexer.next())
        }

        /// Reads variables and directives, and the selection that ends the definition.
        private mutating func selection(_ first: GraphQLToken) throws(GraphQLLexer.Fault) {
            var token = first
            while true {
                switch token {
                case .mark(0x7B): return try pass(0x7B)
                case .mark(0x28): try pass(0x28)
                case .mark(0x40): guard case .name = try lexer.next() else { throw GraphQLLexer.Fault() }
                default: throw GraphQLLexer.Fault()
                }
                token = try lexer.next()
            }
        }

        /// Skips everything up to the bracket that closes this one.
        private mutating func pass(_ opening: UInt8) throws(GraphQLLexer.Fault) {
            var open = [opening]
            while let last = open.last {
                switch try lexer.next() {
                case .end: throw GraphQLLexer.Fault()
                case .mark(let mark) where mark == 0x7B || mark == 0x28 || mark == 0x5B:
                    guard open.count < maxDepth else { throw GraphQLLexer.Fault() }
                    open.append(mark)
                case .mark(let mark) where mark == 0x7D || mark == 0x29 || mark == 0x5D:
                    // In ASCII a closing bracket or brace is 2 above its opening one, a closing parenthesis 1 above.
                    guard mark == (last == 0x28 ? 0x29 : last + 2) else { throw GraphQLLexer.Fault() }
                    open.removeLast()
                default: break
                }
            }
        }
    }
}
