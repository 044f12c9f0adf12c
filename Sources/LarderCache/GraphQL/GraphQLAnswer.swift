// Whether an answer of a GraphQL server holds data and no errors, looked at piece by piece (GraphQL specification §7.1). An answer with
// errors has status 200 like any other; kept for its lifetime, it would repeat a failure that is long over.
import LarderCore

/// Looks at one answer, or at a batch of them, as its bytes come.
public struct GraphQLAnswer: Sendable {
    /// How many brackets may be open at once.
    static let maxDepth = 512

    private static let data = Bytes(text: "data")
    private static let errors = Bytes(text: "errors")

    /// Where the text stands.
    private enum Stand {
        case plain
        case string
        case escape
    }

    private var stand = Stand.plain
    /// The brackets that are open.
    private var open: [UInt8] = []
    private var isFaulty = false
    private var hasEnded = false
    /// The next string of an answer's own level names a member.
    private var awaitsName = false
    /// That string so far: no more of it than tells.
    private var name: Bytes?
    /// The member before the colon.
    private var member = Bytes()
    /// The value of `errors` is looked at: 1 before its first byte, 2 behind its bracket.
    private var watch = 0
    private var answers = 0
    private var answersWithData = 0
    private var hasData = false

    /// Nothing has come yet.
    public init() {}

    /// Takes the next bytes of the text, without a content coding.
    public mutating func add(_ bytes: Bytes) {
        for byte in bytes {
            if isFaulty { return }
            take(byte)
        }
    }

    /// Whether all that came is a whole answer, or a batch of them, each with `data` and none with errors.
    public var isGood: Bool { hasEnded && !isFaulty && answers > 0 && answersWithData == answers }

    /// The text stands directly within an answer.
    private var isOwnLevel: Bool {
        open.last == 0x7B && (open.count == 1 || open.count == 2 && open[0] == 0x5B)
    }

    private mutating func take(_ byte: UInt8) {
        switch stand {
        case .escape:
            stand = .string
        case .string:
            switch byte {
            case 0x22: endString()
            case 0x5C:
                stand = .escape
                // A member's name with an escape may be any.
                if name != nil { isFaulty = true }
            default: if let count = name?.count, count < 16 { name?.append(byte) }
            }
        case .plain:
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { return }
            // Something behind the end is no answer.
            guard !hasEnded else { return isFaulty = true }
            if watch > 0 { look(byte) }
            if !isFaulty { structure(byte) }
        }
    }

    /// The value of `errors`: null and an empty list hold none.
    private mutating func look(_ byte: UInt8) {
        switch (watch, byte) {
        case (1, 0x5B): watch = 2
        case (1, 0x6E), (2, 0x5D): watch = 0
        default: isFaulty = true
        }
    }

    private mutating func structure(_ byte: UInt8) {
        switch byte {
        case 0x22:
            stand = .string
            if awaitsName, isOwnLevel { name = [] }
        case 0x7B, 0x5B:
            guard open.count < Self.maxDepth else { return isFaulty = true }
            open.append(byte)
            awaitsName = byte == 0x7B
            if isOwnLevel {
                answers += 1
                hasData = false
            }
        case 0x7D, 0x5D:
            guard let last = open.popLast(), byte == last + 2 else { return isFaulty = true }
            awaitsName = false
            hasEnded = open.isEmpty
        case 0x2C: awaitsName = isOwnLevel
        case 0x3A:
            awaitsName = false
            if isOwnLevel { named() }
        default:
            // A text that is neither object nor array is no answer.
            if open.isEmpty { isFaulty = true }
        }
    }

    private mutating func endString() {
        stand = .plain
        if open.isEmpty { isFaulty = true }
        guard let whole = name else { return }
        member = whole
        name = nil
        awaitsName = false
    }

    /// A colon came behind a member's name.
    private mutating func named() {
        if member == Self.errors { watch = 1 }
        if member == Self.data, !hasData {
            answersWithData += 1
            hasData = true
        }
        member = []
    }
}
