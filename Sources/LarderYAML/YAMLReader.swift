// Turns libyaml's events into a tree (https://pyyaml.org/wiki/LibYAML). YAML features that a settings file does not
// need are refused with a clear message instead of being half understood: anchors, aliases, tags, further documents,
// and keys that are not text.
import CYAML
import LarderCore

/// Reads one YAML document.
public struct YAMLReader: ~Copyable {
    /// Limits. A settings file is small; these keep a hostile or mistaken one cheap.
    public static let maxBytes = 1 << 20
    static let maxDepth = 16
    public static let maxNodes = 50_000

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private var nodes = 0

    /// Returns the root of the document. An empty text gives an empty mapping.
    public static func read(_ text: Bytes) throws(YAMLError) -> YAMLNode {
        guard text.count <= maxBytes else {
            throw YAMLError(
                mark: YAMLMark(line: 1, column: 1),
                message: "the file is larger than \(Units.format(size: Int64(maxBytes)))")
        }
        if isWide(text) {
            throw YAMLError(
                mark: YAMLMark(line: 1, column: 1), message: "the file is in UTF-16 or UTF-32; save it as UTF-8")
        }
        // A byte order mark is not part of the text (YAML 1.2.2 §5.2). Some editors write one.
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Bytes(text.dropFirst(3)) : text
        if text.isEmpty { return YAMLNode(content: .mapping([]), mark: YAMLMark(line: 1, column: 1)) }
        let result: Result<YAMLNode, YAMLError> = text.withUnsafeBufferPointer { buffer in
            Result { () throws(YAMLError) in
                var reader = try YAMLReader()
                return try reader.document(buffer)
            }
        }
        return try result.get()
    }

    /// Whether the text is UTF-16 or UTF-32. It either begins with a byte order mark of these encodings, or its first
    /// character is an ASCII one, so that one of the first two bytes is zero.
    private static func isWide(_ text: Bytes) -> Bool {
        text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) || text.prefix(2).contains(0)
    }

    private init() throws(YAMLError) {
        parser = .allocate(capacity: 1)
        event = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        event.initialize(to: yaml_event_t())
        guard yaml_parser_initialize(parser) == 1 else {
            throw YAMLError(mark: YAMLMark(line: 1, column: 1), message: "there is not enough memory to read the file")
        }
    }

    deinit {
        yaml_event_delete(event)
        yaml_parser_delete(parser)
        event.deallocate()
        parser.deallocate()
    }

    private mutating func document(_ text: UnsafeBufferPointer<UInt8>) throws(YAMLError) -> YAMLNode {
        // The input must outlive the parser's use of it. It does, because all parsing happens inside this call.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
        try advance()
        try advance()
        if event.pointee.type == YAML_STREAM_END_EVENT {
            return YAMLNode(content: .mapping([]), mark: YAMLMark(line: 1, column: 1))
        }
        try advance()
        let root = try node(depth: 0)
        try advance()
        try advance()
        guard event.pointee.type == YAML_STREAM_END_EVENT else {
            throw failure("a second document begins here: a settings file is one document")
        }
        return root
    }

    /// The value that begins with the current event.
    private mutating func node(depth: Int) throws(YAMLError) -> YAMLNode {
        nodes += 1
        guard nodes <= Self.maxNodes else { throw failure("the file contains more than \(Self.maxNodes) values") }
        guard depth <= Self.maxDepth else { throw failure("values are nested deeper than \(Self.maxDepth) levels") }
        let mark = mark
        switch event.pointee.type {
        case YAML_SCALAR_EVENT:
            let data = event.pointee.data.scalar
            try refuse(anchor: data.anchor, tag: data.tag)
            return YAMLNode(content: .scalar(scalarText(), isPlain: larder_yaml_scalar_plain(event) == 1), mark: mark)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.pointee.data.sequence_start
            try refuse(anchor: data.anchor, tag: data.tag)
            var items: [YAMLNode] = []
            try advance()
            while event.pointee.type != YAML_SEQUENCE_END_EVENT {
                items.append(try node(depth: depth + 1))
                try advance()
            }
            return YAMLNode(content: .sequence(items), mark: mark)
        case YAML_MAPPING_START_EVENT:
            let data = event.pointee.data.mapping_start
            try refuse(anchor: data.anchor, tag: data.tag)
            return YAMLNode(content: .mapping(try members(depth: depth)), mark: mark)
        case YAML_ALIAS_EVENT:
            throw failure("aliases (*name) are not supported: write the value out")
        default:
            throw failure("this is not a value")
        }
    }

    private mutating func members(depth: Int) throws(YAMLError) -> [YAMLMember] {
        var members: [YAMLMember] = []
        try advance()
        while event.pointee.type != YAML_MAPPING_END_EVENT {
            let key = try node(depth: depth + 1)
            guard case .scalar(let name, _) = key.content else {
                throw YAMLError(mark: key.mark, message: "a key must be a name, not \(key.kindText)")
            }
            try advance()
            members.append(YAMLMember(key: name, mark: key.mark, value: try node(depth: depth + 1)))
            try advance()
        }
        return members
    }

    private mutating func advance() throws(YAMLError) {
        yaml_event_delete(event)
        guard yaml_parser_parse(parser, event) == 1 else {
            // A reader error has a byte offset but no problem mark (yaml.h, yaml_parser_t.problem_offset).
            let place = parser.pointee.error == YAML_READER_ERROR ? parser.pointee.mark : parser.pointee.problem_mark
            var problem = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
            // libyaml's message for a tab, the most common of these errors, does not help people who do not see the
            // tab.
            if problem == "found character that cannot start any token" {
                problem += "; YAML is indented by spaces, not tabs, and a value that begins with @ or ` needs quotes"
            }
            let context = parser.pointee.context.map { " (\(String(cString: $0)))" } ?? ""
            throw YAMLError(
                mark: YAMLMark(line: place.line + 1, column: place.column + 1),
                message: "not YAML: \(problem)\(context)")
        }
    }

    private func refuse(
        anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?
    ) throws(YAMLError) {
        if anchor != nil { throw failure("anchors (&name) are not supported: write the value where it is used") }
        if tag != nil { throw failure("tags (!type) are not supported: the type of every value is known") }
    }

    private func scalarText() -> String {
        var length = 0
        guard let start = larder_yaml_scalar(event, &length) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private var mark: YAMLMark {
        YAMLMark(line: event.pointee.start_mark.line + 1, column: event.pointee.start_mark.column + 1)
    }

    private func failure(_ message: String) -> YAMLError { YAMLError(mark: mark, message: message) }
}
