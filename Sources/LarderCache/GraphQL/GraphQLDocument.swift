// Finds the operations of a GraphQL document, and which of them a request executes (GraphQL specification §2.3, §6.1).
// A text that the grammar does not allow is no document: a server may read it as something else, such as JSON.
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
        guard var reader = try? Reader(text), let operations = try? reader.operations() else { return nil }
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

    /// Reads a document by its grammar (GraphQL specification, appendix "Grammar Summary").
    private struct Reader {
        var lexer: GraphQLLexer
        /// The next token.
        var token = GraphQLToken.end
        /// How many brackets are open.
        var depth = 0

        init(_ text: Bytes) throws(GraphQLLexer.Fault) {
            lexer = GraphQLLexer(text)
            token = try lexer.next()
        }

        mutating func operations() throws(GraphQLLexer.Fault) -> [Operation] {
            var out: [Operation] = []
            while token != .end {
                // A description may precede a definition, but not a bare selection.
                let isDescribed = try takes(.string)
                if token == .mark(0x7B), !isDescribed {
                    try selections()
                    out.append(Operation(kind: .query, name: nil))
                    continue
                }
                let word = try name()
                if word == "fragment" {
                    guard try name() != "on", try name() == "on" else { throw GraphQLLexer.Fault() }
                    _ = try name()
                    try directives()
                    try selections()
                } else if let kind = Kind(rawValue: word) {
                    var title: String?
                    if case .name = token { title = try name() }
                    if token == .mark(0x28) { try variables() }
                    try directives(isConstant: true)
                    try selections()
                    out.append(Operation(kind: kind, name: title))
                } else {
                    throw GraphQLLexer.Fault()
                }
            }
            return out
        }

        // MARK: Tokens

        private mutating func advance() throws(GraphQLLexer.Fault) { token = try lexer.next() }

        /// Passes over the token if it is next.
        private mutating func takes(_ wanted: GraphQLToken) throws(GraphQLLexer.Fault) -> Bool {
            guard token == wanted else { return false }
            try advance()
            return true
        }

        private mutating func expect(_ mark: UInt8) throws(GraphQLLexer.Fault) {
            guard try takes(.mark(mark)) else { throw GraphQLLexer.Fault() }
        }

        private mutating func name() throws(GraphQLLexer.Fault) -> String {
            guard case .name(let name) = token else { throw GraphQLLexer.Fault() }
            try advance()
            return name
        }

        /// Reads items up to the closing bracket.
        private mutating func bracketed(
            _ opening: UInt8, _ closing: UInt8, mayBeEmpty: Bool = false,
            _ item: (inout Reader) throws(GraphQLLexer.Fault) -> Void
        ) throws(GraphQLLexer.Fault) {
            try expect(opening)
            depth += 1
            guard depth <= maxDepth else { throw GraphQLLexer.Fault() }
            if !mayBeEmpty || token != .mark(closing) {
                repeat { try item(&self) } while token != .mark(closing)
            }
            try expect(closing)
            depth -= 1
        }

        // MARK: Parts of a definition

        private mutating func selections() throws(GraphQLLexer.Fault) {
            try bracketed(0x7B, 0x7D) { reader throws(GraphQLLexer.Fault) in try reader.selection() }
        }

        private mutating func selection() throws(GraphQLLexer.Fault) {
            if try takes(.spread) {
                if case .name(let name) = token, name != "on" {
                    try advance()
                    return try directives()
                }
                if try takes(.name("on")) { _ = try name() }
                try directives()
                return try selections()
            }
            _ = try name()
            // The name before a colon is an alias.
            if try takes(.mark(0x3A)) { _ = try name() }
            try arguments()
            try directives()
            if token == .mark(0x7B) { try selections() }
        }

        private mutating func arguments(isConstant: Bool = false) throws(GraphQLLexer.Fault) {
            guard token == .mark(0x28) else { return }
            try bracketed(0x28, 0x29) { reader throws(GraphQLLexer.Fault) in try reader.member(isConstant) }
        }

        private mutating func directives(isConstant: Bool = false) throws(GraphQLLexer.Fault) {
            while try takes(.mark(0x40)) {
                _ = try name()
                try arguments(isConstant: isConstant)
            }
        }

        private mutating func variables() throws(GraphQLLexer.Fault) {
            try bracketed(0x28, 0x29) { reader throws(GraphQLLexer.Fault) in
                _ = try reader.takes(.string)
                try reader.expect(0x24)
                _ = try reader.name()
                try reader.expect(0x3A)
                try reader.type()
                if try reader.takes(.mark(0x3D)) { try reader.value(true) }
                try reader.directives(isConstant: true)
            }
        }

        private mutating func type() throws(GraphQLLexer.Fault) {
            if token == .mark(0x5B) {
                try bracketed(0x5B, 0x5D) { reader throws(GraphQLLexer.Fault) in
                    try reader.type()
                    guard reader.token == .mark(0x5D) else { throw GraphQLLexer.Fault() }
                }
            } else {
                _ = try name()
            }
            _ = try takes(.mark(0x21))
        }

        /// An argument, or a field of an input object.
        private mutating func member(_ isConstant: Bool) throws(GraphQLLexer.Fault) {
            _ = try name()
            try expect(0x3A)
            try value(isConstant)
        }

        private mutating func value(_ isConstant: Bool) throws(GraphQLLexer.Fault) {
            switch token {
            case .name, .number, .string: try advance()
            case .mark(0x24) where !isConstant:
                try advance()
                _ = try name()
            case .mark(0x5B):
                try bracketed(0x5B, 0x5D, mayBeEmpty: true) { reader throws(GraphQLLexer.Fault) in
                    try reader.value(isConstant)
                }
            case .mark(0x7B):
                try bracketed(0x7B, 0x7D, mayBeEmpty: true) { reader throws(GraphQLLexer.Fault) in
                    try reader.member(isConstant)
                }
            default: throw GraphQLLexer.Fault()
            }
        }
    }
}
