// Decides, piece by piece, whether the response of a GraphQL server holds data and no errors (GraphQL specification
// §7.1). A response with errors has status 200 like any other. If it were stored for its lifetime, it would repeat a
// failure that is long over.
import LarderCore

/// Examines one GraphQL response, or a batch of them, as its bytes arrive.
public struct GraphQLAnswer: Sendable {
    /// The most brackets that may be open at once.
    static let maxDepth = 512

    private static let data = Bytes(text: "data")
    private static let errors = Bytes(text: "errors")

    /// The lexical context of the next byte.
    private enum Stand {
        case plain
        case string
        case escape
    }

    private var stand = Stand.plain
    /// The open brackets, outermost first.
    private var open: [UInt8] = []
    private var isFaulty = false
    private var hasEnded = false
    /// Whether the next string directly within a response is the name of a member.
    private var awaitsName = false
    /// The first bytes of that name. 16 are enough to recognize it.
    private var name: Bytes?
    /// The name of the member before the colon.
    private var member = Bytes()
    /// The state of reading the value of `errors`: 0 outside it, 1 before its first byte, 2 after its opening bracket.
    private var watch = 0
    private var answers = 0
    private var answersWithData = 0
    private var hasData = false

    /// Creates an examiner that has read nothing.
    public init() {}

    /// Reads the next bytes of the text, without a content coding.
    public mutating func add(_ bytes: Bytes) {
        for byte in bytes {
            if isFaulty { return }
            take(byte)
        }
    }

    /// Whether the bytes so far are one whole response, or one batch, and every response has `data` and no errors.
    public var isGood: Bool { hasEnded && !isFaulty && answers > 0 && answersWithData == answers }

    /// Whether the next byte is directly within a response object.
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
                // An escape could spell any name, so the name is not known.
                if name != nil { isFaulty = true }
            default: if let count = name?.count, count < 16 { name?.append(byte) }
            }
        case .plain:
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { return }
            // Text after the end of the response is a fault.
            guard !hasEnded else { return isFaulty = true }
            if watch > 0 { look(byte) }
            if !isFaulty { structure(byte) }
        }
    }

    /// Reads the value of `errors`. Null and an empty list mean that there are no errors.
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
            // A text that is neither an object nor an array is not a response.
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

    /// Handles the colon after the name of a member.
    private mutating func named() {
        if member == Self.errors { watch = 1 }
        if member == Self.data, !hasData {
            answersWithData += 1
            hasData = true
        }
        member = []
    }
}
