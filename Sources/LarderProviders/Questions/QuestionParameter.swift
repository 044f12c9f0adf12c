// A parameter of a request, as a record: the form of the value, its default, an example. Providers state the parameters
// of their questions and uploads with it, and the daemon those of its own routes. The readers of requests, the interface
// description, its reference and options of the command line take their facts from these records. A setting
// (`Parameter`) means something else: it has a path, kinds, advice and perhaps a secret that no request has.

import LarderCore

/// The form of one value.
public enum ParameterForm: Sendable, Hashable {
    /// Any text that is not only white space and contains no control character except white space. `longest` counts
    /// characters (code points, as JSON Schema does), before white space is collapsed.
    case text(longest: Int = 1000)
    /// A text that matches a regular expression (ECMA 262).
    case pattern(String)
    case number(ClosedRange<Int>)
    case choice([String])
    /// yes, no, true, false, 1 or 0.
    case flag
    /// Any text at all. A value that is not understood is ignored.
    case any

    /// The allowed words of a flag.
    public static let flagWords = ["yes", "no", "true", "false", "1", "0"]

    /// Whether a word of a flag means yes.
    public static func isYes(_ word: String) -> Bool { ["yes", "true", "1"].contains(word) }

    /// A duration with its unit, or 0.
    public static let duration = pattern(
        (["^0$"] + Units.durationNames.map { "^[0-9]{1,9}\($0)$" }
            + Units.durationNames.map { "^[0-9]{1,9}\\.[0-9]{1,9}\($0)$" }).joined(separator: "|"))

    /// One of the words, or any text if there are none.
    public static func oneOf(_ words: [String]) -> ParameterForm { words.isEmpty ? .text() : .choice(words) }

    /// A value of this form that needs no knowledge of the parameter; nil if there is none.
    var first: String? {
        switch self {
        case .choice(let words): words.first
        case .flag: Self.flagWords.first
        case .number(let range): String(range.lowerBound)
        case .text, .pattern, .any: nil
        }
    }
}

/// One parameter of a request: of a question to an endpoint, or of another route.
public struct QuestionParameter: Sendable, Hashable {
    public var name: String
    public var form: ParameterForm
    /// A description of one sentence.
    public var line: String
    /// A value that the stand-in's samples can answer; empty if the value comes from an earlier answer.
    public var example: String
    /// The value that an omitted parameter stands for; nil if there is none.
    public var defaultText: String?
    public var isRequired = false
    /// Whether the value is a comma-separated list of values of this form.
    public var isList = false
    /// The greatest number of values in a list, if it differs from the usual one.
    public var mostValues: Int?
    /// The greatest number of values in a list. Words may be repeated.
    public var mostItems: Int {
        if case .choice(let words) = form { return mostValues ?? max(20, words.count) }
        return mostValues ?? 20
    }
    /// Whether an empty value means the same as none, because clients of the API send it so.
    public var isAbsentIfEmpty = false
    /// Other names of the parameter. A question may use at most one of all its names.
    public var aliases: [String] = []

    /// How the parameter goes to the API, for providers that are data.
    var sending = Sending()

    /// Whether the parameter is a search term, as far as the provider is data.
    public var isTerm: Bool { sending.isTerm }

    /// Other spellings of words, sorted.
    public var otherWords: [String] { sending.synonyms.keys.sorted() }

    /// The name and all aliases.
    public var names: [String] { [name] + aliases }

    public init(
        _ name: String, _ form: ParameterForm, _ line: String, example: String? = nil,
        default defaultText: String? = nil
    ) {
        self.name = name
        self.form = form
        self.line = line
        self.example = example ?? defaultText ?? form.first ?? ""
        self.defaultText = defaultText
    }

    /// The same parameter, required.
    public var required: QuestionParameter { with { $0.isRequired = true } }

    /// The same parameter as a comma-separated list.
    public var list: QuestionParameter { with { $0.isList = true } }

    /// The same list with a limit on the number of values.
    public func upTo(_ count: Int) -> QuestionParameter { with { $0.mostValues = count } }

    /// The same parameter, for which an empty value means none.
    var absentIfEmpty: QuestionParameter { with { $0.isAbsentIfEmpty = true } }

    /// The same parameter with aliases.
    public func or(_ aliases: String...) -> QuestionParameter { with { $0.aliases = aliases } }

    private func with(_ change: (inout QuestionParameter) -> Void) -> QuestionParameter {
        var copy = self
        change(&copy)
        return copy
    }
}

extension QuestionParameter {
    /// The same parameter with this change of how it is sent.
    func sent(_ change: (inout Sending) -> Void) -> QuestionParameter { with { change(&$0.sending) } }

    /// The same parameter as a search term.
    var term: QuestionParameter { sent { $0.isTerm = true } }

    /// The same parameter, whose letter case has no meaning.
    var lowerCase: QuestionParameter { sent { $0.isLowerCase = true } }

    /// The same parameter, which there is only with this value of another one.
    func only(_ other: String, _ value: String) -> QuestionParameter {
        sent { $0.onlyBy = .init(parameter: other, values: [value]) }
    }

    /// The same parameter, which always has its default.
    var fixed: QuestionParameter { sent { $0.isFixed = true } }

    /// The same parameter, which only Larder heeds.
    var unsent: QuestionParameter { sent { $0.isSent = false } }
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
        QuestionParameter(name, .choice(words), line, example: example, default: defaultText)
    }

    static func flag(_ name: String, _ line: String, default defaultText: String) -> QuestionParameter {
        QuestionParameter(name, .flag, line, default: defaultText)
    }

    static func limit(_ range: ClosedRange<Int>, default count: Int? = nil) -> QuestionParameter {
        number("limit", range, "The most results to return.", default: count.map(String.init))
    }

    static func page(_ last: Int) -> QuestionParameter {
        number("page", 1...last, "The page of the results.", example: "1", default: "1")
    }

    static func sort(_ orders: [String]) -> QuestionParameter {
        choice("sort", orders, "The order of the results.", default: orders.first)
    }

    static func sort(_ orders: [SortOrder]) -> QuestionParameter { sort(orders.map(\.rawValue)) }

    /// Two letters, in any letter case.
    static func twoLetters(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(name, .pattern("^[A-Za-z]{2}$"), line, example: example).sent {
            $0.mismatch = "\"{name}\" is not a two-letter code."
        }
    }

    static let explicit = flag("explicit", "Whether to include explicit results.", default: "yes")
}

/// A refusal that a schema of single parameters cannot express: each value is valid, but the whole question is refused.
/// The raw value is the problem's code. It is followed by a colon and a parameter if the case means only refusals of
/// that parameter. "conflict" is a member of the problem.
public enum QuestionRefusal: String, Sendable, Hashable, CaseIterable {
    /// None of several alternative parameters is given.
    case missingParameter
    /// The parameters contradict each other; the problem has `conflict`.
    case conflict
    /// The provider is not configured here. The configuration may have providers beyond the built-in ones.
    case unknownProvider = "invalidParameter:provider"
    /// The prefix begins no URL that the daemon can have stored.
    case unknownPrefix = "invalidParameter:prefix"
    /// The URL is none that the daemon can have stored.
    case unknownURL = "invalidParameter:url"
    /// The uploaded file is empty.
    case emptyBody
    /// The form cannot be read. The interface description says only that a form is expected.
    case malformed
    /// The file is of a kind that is not accepted, whatever media type it declares.
    case notMedia
    /// The question needs more than the key's account is entitled to.
    case accountLimit = "invalidRequest"
    /// The term has no word, or too many, or is too short or too long for the source, counted as the source counts.
    case termLength

    /// One sentence for documentation.
    public var sentence: String {
        switch self {
        case .missingParameter: "One of several parameters is needed. detail names them."
        case .conflict: "Each value is allowed, but not together with the others."
        case .unknownProvider: "No provider with this name is configured. detail names the configured ones."
        case .unknownPrefix:
            "The prefix begins neither an http or https URL nor a path below /raw of a configured provider."
        case .unknownURL: "The URL is neither an http or https URL nor a path below /raw."
        case .emptyBody: "The body is empty."
        case .malformed: "The form cannot be read, or has no file."
        case .notMedia: "The first bytes of the file are not those of an accepted type."
        case .accountLimit: "The API refuses it, because the key's account is not entitled to it (such as later pages)."
        case .termLength: "The term has no word, or is too short or too long, by the source's own count."
        }
    }
}
