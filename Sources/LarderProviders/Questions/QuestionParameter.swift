// What a parameter of a question may be, as a record: its form, its default, an example. The reader of questions takes its
// names from these records; the description of the interface and its reference are written from them.

/// The form of one value.
public enum ParameterForm: Sendable, Hashable {
    /// Any text that is not white space alone and has no control character; its longest length in bytes.
    case text(longest: Int = 1000)
    /// A text that matches a regular expression (ECMA 262).
    case pattern(String)
    case number(ClosedRange<Int>)
    case choice([String])
    /// yes, no, true or false.
    case flag

    /// The words of a flag.
    public static let flagWords = ["yes", "no", "true", "false"]
}

/// One parameter of a question to an endpoint.
public struct QuestionParameter: Sendable, Hashable {
    public var name: String
    public var form: ParameterForm
    /// One sentence.
    public var line: String
    /// A value that the stand-in's samples know.
    public var example: String
    /// What is meant where it is left out; nil where nothing is.
    public var defaultText: String?
    public var isRequired = false
    /// Several values of that form, separated by commas.
    public var isList = false
    /// How many values a list may hold, where that is not the usual number.
    public var mostValues: Int?
    /// Other names of it; at most one of all of them may be given.
    public var aliases: [String] = []

    /// Every name that it may be given under.
    public var names: [String] { [name] + aliases }

    public init(
        _ name: String, _ form: ParameterForm, _ line: String, example: String, default defaultText: String? = nil
    ) {
        self.name = name
        self.form = form
        self.line = line
        self.example = example
        self.defaultText = defaultText
    }

    /// The same, needed.
    var required: QuestionParameter { with { $0.isRequired = true } }

    /// The same as a comma list.
    var list: QuestionParameter { with { $0.isList = true } }

    /// The same list of at most so many values.
    func upTo(_ count: Int) -> QuestionParameter { with { $0.mostValues = count } }

    /// The same, also known by other names.
    func or(_ aliases: String...) -> QuestionParameter { with { $0.aliases = aliases } }

    private func with(_ change: (inout QuestionParameter) -> Void) -> QuestionParameter {
        var copy = self
        change(&copy)
        return copy
    }
}

// MARK: Those that several providers have

extension QuestionParameter {
    static func text(_ name: String, _ line: String, example: String, longest: Int = 1000) -> QuestionParameter {
        QuestionParameter(name, .text(longest: longest), line, example: example)
    }

    static func number(
        _ name: String, _ range: ClosedRange<Int>, _ line: String, example: String = "5",
        default defaultText: String? = nil
    ) -> QuestionParameter {
        QuestionParameter(name, .number(range), line, example: example, default: defaultText)
    }

    static func choice(
        _ name: String, _ words: [String], _ line: String, example: String? = nil, default defaultText: String? = nil
    ) -> QuestionParameter {
        QuestionParameter(
            name, .choice(words), line, example: example ?? defaultText ?? words.first ?? "", default: defaultText)
    }

    static func flag(_ name: String, _ line: String, default defaultText: String) -> QuestionParameter {
        QuestionParameter(name, .flag, line, example: defaultText, default: defaultText)
    }

    static func limit(_ range: ClosedRange<Int>, default count: Int? = nil) -> QuestionParameter {
        number("limit", range, "How many results at most.", default: count.map(String.init))
    }

    static func page(_ last: Int) -> QuestionParameter {
        number("page", 1...last, "Which page of the results.", example: "1", default: "1")
    }

    static func sort(_ orders: [String]) -> QuestionParameter {
        choice("sort", orders, "The order of the results.", default: orders.first)
    }

    static func sort(_ orders: [SortOrder]) -> QuestionParameter { sort(orders.map(\.rawValue)) }

    /// Two letters, in any case.
    static func twoLetters(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(name, .pattern("^[A-Za-z]{2}$"), line, example: example)
    }

    static let explicit = flag("explicit", "Whether explicit results are wanted.", default: "yes")
}

/// What a schema of single parameters cannot tell of a question: each value may be right and the whole is refused. The raw value
/// is the problem's code, with a colon and the parameter where only a refusal of that one is meant; "conflict" is the problem's
/// member.
public enum QuestionRefusal: String, Sendable, Hashable, CaseIterable {
    /// One of several parameters is needed.
    case missingParameter
    /// Parameters that do not go together; the problem has `conflict`.
    case conflict
    /// A provider that is not configured here; the configuration may have others than the built-in ones.
    case unknownProvider = "invalidParameter:provider"
    /// The same, named by a path below /raw.
    case unknownPrefix = "invalidParameter:prefix"
    /// A file without a byte.
    case emptyBody
    /// A form that cannot be read; the description says no more than that one comes.
    case malformed
    /// A file of another kind than is taken, whatever its type says.
    case notMedia
    /// More than the account of the key is given.
    case accountLimit = "invalidRequest"
    /// A term that is too short or too long for the source, counted as the source counts.
    case termLength

    /// One sentence for documentation.
    public var sentence: String {
        switch self {
        case .missingParameter: "One of several parameters is needed; detail names them."
        case .conflict: "Each value is allowed, but not together with the others."
        case .unknownProvider: "No provider of that name is configured; detail names those that are."
        case .unknownPrefix: "A prefix below /raw names no provider that is configured."
        case .emptyBody: "The body is empty."
        case .malformed: "The form cannot be read, or has no file."
        case .notMedia: "By its first bytes the file is none that is taken."
        case .accountLimit: "The API refuses what the key's account is not entitled to, such as later pages."
        case .termLength: "The term is too short or too long for the source, counted as the source counts."
        }
    }
}
