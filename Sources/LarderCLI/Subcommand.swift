// A subcommand is a record with its options, help and examples. Parsing, help, completions and the manual page are all
// made from these records, so they cannot disagree.
import LarderCore
import LarderProviders

/// One option of a subcommand.
public struct CommandOption: Sendable {
    /// The name with its dashes: "--limit".
    public var name: String
    /// One letter with its dash: "-o".
    public var short: String?
    /// The placeholder of the value in help: "NUMBER"; nil for an option without a value.
    public var value: String?
    public var summary: String
    /// The allowed values, for completion.
    public var choices: [String]
    /// The parameter of a route that the option sets.
    public var parameter: QuestionParameter?
    /// The value that an option without a value sets its parameter to.
    public var sets: String?

    /// The greatest number of allowed values that help shows.
    static let mostChoices = 10

    public init(_ name: String, short: String? = nil, value: String? = nil, choices: [String] = [], _ summary: String) {
        self.name = name
        self.short = short
        self.value = value
        self.summary = summary
        self.choices = choices
    }

    /// Makes it set a parameter. Without a value it sets the first of the parameter's words.
    mutating func set(_ record: QuestionParameter) {
        parameter = record
        guard value == nil else { return }
        switch record.form {
        case .choice(let words): sets = words.first
        // Daemons of version 0.2 take no other word for some flags.
        case .flag: sets = "1"
        case .text, .pattern, .number, .any: preconditionFailure("\(name) needs a value")
        }
    }

    /// "-o, --output FILE"
    var usage: String {
        (short.map { "\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "")
    }
}

extension [QuestionParameter] {
    /// The options that set the parameters of these names. What is not given follows from the parameter's record. The
    /// choices do, too, but long lists of them are left out. The names are those of the program: a wrong one is a
    /// mistake in it.
    func options(_ given: [(name: String, value: String?, summary: String?)]) -> [CommandOption] {
        given.map { name, value, summary in
            guard let record = first(where: { $0.name == name }) else {
                preconditionFailure("no parameter of this route is named \(name)")
            }
            let words = name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
            let line = record.line.prefix(1).lowercased() + record.line.dropFirst().dropLast()
            var option = CommandOption("--\(words)", value: value, summary ?? line)
            if value != nil, case .choice(let words) = record.form, words.count <= CommandOption.mostChoices {
                option.choices = words
            }
            option.set(record)
            return option
        }
    }
}

/// One subcommand.
public struct Subcommand: Sendable {
    /// The name: "search", or "config check".
    public var name: String
    public var summary: String
    /// The operands after the options: "QUERY…".
    public var operands: String
    /// The paragraphs of the help.
    public var details: [String]
    public var options: [CommandOption]
    public var examples: [(command: String, purpose: String)]
    /// The allowed values of the first operand, for completion.
    public var operandChoices: [String]
    /// Whether the first operand begins another command, to which all that follows belongs.
    public var takesCommand: Bool
    public var run: @Sendable (Invocation) async throws(CommandFailure) -> CommandStatus

    public init(
        _ name: String, _ summary: String, operands: String = "", details: [String] = [],
        options: [CommandOption] = [], examples: [(command: String, purpose: String)] = [],
        operandChoices: [String] = [], takesCommand: Bool = false,
        run: @escaping @Sendable (Invocation) async throws(CommandFailure) -> CommandStatus
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.details = details
        self.options = options
        self.examples = examples
        self.operandChoices = operandChoices
        self.takesCommand = takesCommand
        self.run = run
    }
}

/// An exit status that is none of Larder's own; nil if there is none.
final class ForeignStatus: Sendable {
    private let number = Lock<Int32?>(nil)

    func set(_ status: Int32) { number.withLock { $0 = status } }
    var value: Int32? { number.withLock { $0 } }
}

/// One call of a subcommand: the parsed command line, and the outputs.
public struct Invocation: Sendable {
    public var operands: [String]
    /// The values of each option, in their order. An option without a value has "".
    public var options: [String: [String]]
    public var environment: [String: String]
    public var console: Console
    public var tool: CommandLineTool
    /// The exit status of another program that the command stands for.
    var exit = ForeignStatus()

    /// Whether the option was given.
    func has(_ name: String) -> Bool { options[name] != nil }

    /// The last value given for the option.
    func value(_ name: String) -> String? { options[name]?.last }

    /// The value of an option as a whole number, or a usage failure.
    func number(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(
                .usage, "\(name): \"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The value of an option as a duration, or a usage failure.
    func duration(_ name: String, default standard: Duration) throws(CommandFailure) -> Duration {
        guard let text = value(name) else { return standard }
        do {
            return try Units.duration(text)
        } catch {
            throw CommandFailure(.usage, "\(name): \(error.message)")
        }
    }

    /// The only operand, or a usage failure that names the missing one.
    func operand(_ what: String) throws(CommandFailure) -> String {
        guard let first = operands.first, operands.count == 1 else {
            throw CommandFailure(.usage, operands.isEmpty ? "\(what) is missing" : "only one \(what) at a time")
        }
        return first
    }

    func noOperands() throws(CommandFailure) {
        if let first = operands.first { throw CommandFailure(.usage, "\"\(first)\" is not expected here") }
    }

    /// The parameters that the given options set, or a usage failure for a number that is out of range.
    func parameters(_ options: [CommandOption]) throws(CommandFailure) -> QueryParameters {
        var parameters = QueryParameters()
        for option in options {
            guard let record = option.parameter, let value = value(option.name) else { continue }
            if case .number(let range) = record.form { _ = try number(option.name, in: range) }
            parameters.items.append(.init(record.name, option.sets ?? value))
        }
        return parameters
    }

    /// A request to a route with the text as `q`, and the parameters that the given options set.
    func question(_ route: String, _ text: String, _ options: [CommandOption]) throws(CommandFailure) -> DaemonRequest {
        let parameters = QueryParameters([.init("q", text)] + (try parameters(options)).items)
        return DaemonRequest(.get, "\(route)?\(parameters.encoded)")
    }

    /// Whether to write JSON: if the user asked for it, or if standard output is not a terminal.
    var wantsJSON: Bool { has("--json") || !console.isTerminal }
}
