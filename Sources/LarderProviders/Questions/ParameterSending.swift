// What becomes of a parameter's value on its way to the API, for providers that are data: how it is checked and spelt,
// what it adds to the question's identity, what is sent.
import LarderCore

extension QuestionParameter {
    /// What becomes of a value on its way to the API.
    struct Sending: Sendable, Hashable {
        /// Whether it is sent at all. Larder sorts and filters by itself.
        var isSent = true
        /// The API's name of the parameter, if it has another one.
        var name: String?
        /// The value that the API takes for an omitted parameter. It is not sent, so that both are one request.
        var apiDefault: String?
        /// Other spellings of words, in small letters, and the words that they mean.
        var synonyms: [String: String] = [:]
        /// The API's own words for values. If there are any, other values are not sent, or sent as they are.
        var words: [String: String] = [:]
        var sendsOtherWords = false
        /// What stands around the value: "[{value}]".
        var template: String?
        /// Whether the value is spelt in capitals, or in small letters.
        var isUpperCase = false
        var isLowerCase = false
        /// Numbers with or without a fraction, in this range; a list of them is sorted, each once.
        var decimals: ClosedRange<Int>?
        /// A check that is more than the parameter's form.
        var check: ValueCheck?
        /// A function that brings a value into its one spelling, where no form and no check can.
        var using: ValueFunction?
        /// Characters that are removed before the check.
        var ignored = ""
        var order = ListOrder.asGiven
        /// The greatest length of a text when it is percent-encoded.
        var longestEncoded: Int?
        /// How many characters a term has.
        var termLength: ClosedRange<Int>?
        /// Whether the parameter is a search term. `/v1/search` asks with the first one.
        var isTerm = false
        /// The name in `/v1/search` of what this parameter takes, if it is none of the parameter's own names.
        var shared: String?
        /// Whether `/v1/search` gives it values.
        var isShared = true
        /// Values that stand for values of other parameters.
        var standsFor: [String: [String: String]] = [:]
        /// The words that are allowed by the value of another parameter.
        var wordsBy: WordsBy?
        /// The value of another parameter with which there is this one.
        var onlyBy: OnlyBy?
        /// The value of another parameter with which this one has no meaning and is left out.
        var unlessBy: OnlyBy?
        /// Whether it always has its default and cannot be given.
        var isFixed = false
        /// Whether the API counts from zero what clients count from one.
        var isFromZero = false
        /// The greatest number that `/v1/search` asks for, if it is less than the parameter's own.
        var mostShared: Int?
        /// Whether a word of the route that is not allowed is another route.
        var namesRoute = false
        /// The values of another parameter with which this one counts. With others it is read, and then forgotten.
        var heededBy: OnlyBy?
        /// Whether another word than those that are allowed names a resource that does not exist (404).
        var namesResource = false
        /// The value without one, by the value of another parameter.
        var defaultBy: DefaultBy?
        /// The name in the question's identity, if it has another one.
        var keyName: String?
        /// The kind of JSON that the envelope tells the value as, if it is another one than the parameter's form.
        var toldAs: ToldAs?
        /// Whether the default is part of the question's identity.
        var isKeyedAtDefault = true
        /// What a value of another form is told, `{name}` and `{value}` filled in; nil for a sentence made from the
        /// parameter's own.
        var mismatch: String?
        /// Spellings that the refusal of a value lists.
        var allowed: [String] = []
        /// What the absence of a required value is told; nil for a sentence made from the question's subject.
        var missing: String?
        /// Whether a question with an alias and the parameter's own name is told that the latter is one too many.
        var isAliasFirst = false
    }

    enum ToldAs: Sendable, Hashable { case text, number }

    /// The order of a list's values, as far as it has no meaning to the API.
    enum ListOrder: Sendable, Hashable {
        case asGiven
        /// Sorted, each once.
        case sorted
        /// In the order of the allowed words, each once. All of them are the same as none.
        case words
    }

    struct WordsBy: Sendable, Hashable {
        var parameter: String
        /// A value that is not listed allows all words.
        var words: [String: [String]]
        /// The words if the other parameter is not given; nil for all.
        var usual: [String]?
        /// What a word is told that the other value excludes, `{word}` and `{value}` filled in; nil for a sentence that
        /// says only that it is not allowed.
        var refusal: String?

        /// Whether the values of a question go together.
        func holds(_ name: String, _ values: [String: String]) -> Bool {
            guard let word = values[name], let words = values[parameter].flatMap({ words[$0] }) else { return true }
            return words.contains(word)
        }
    }

    /// A parameter that there is only with some values of another one, which is in the route.
    struct OnlyBy: Sendable, Hashable {
        var parameter: String
        var values: [String]
    }

    struct DefaultBy: Sendable, Hashable {
        var parameter: String
        var defaults: [String: String]
        /// The value for all other values of that parameter. Unlike a default, the interface description does not show it.
        var otherwise: String?
    }
}

/// A function that brings a value into its one spelling, or says what is wrong with it.
struct ValueFunction: Sendable, Hashable {
    typealias Body = @Sendable (String) throws(ClientFacingError) -> String

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }

    static func == (left: ValueFunction, right: ValueFunction) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A check of a value that no pattern can make.
enum ValueCheck: String, Sendable, Hashable, CaseIterable {
    /// The name of a host.
    case host
    /// Letters and digits of any script, "_" and "-", at most 100 bytes.
    case word
    /// A date, with or without a time.
    case instant
    /// A language with or without its country, "pt-BR" in any usual spelling.
    case languageTag
    /// A language with its country, "en_us" in any usual spelling. "en" and "ja" are those of the USA and Japan.
    case locale

    /// The value in its one spelling; nil if it is none.
    func canonical(_ text: String) -> String? {
        switch self {
        case .host: return WebURL.normalisedHost(text) == nil ? nil : text
        case .word:
            let isWord = text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            return isWord && (1...100).contains(text.utf8.count) ? text : nil
        case .instant: return DateText.parse(text) == nil ? nil : text
        case .languageTag:
            guard let parts = Self.languageParts(text) else { return nil }
            return ([parts[0].lowercased()] + parts.dropFirst().map { $0.uppercased() }).joined(separator: "-")
        case .locale:
            guard let parts = Self.languageParts(text.lowercased()) else { return nil }
            return parts.count == 2 ? parts.joined(separator: "_") : ["en": "en_us", "ja": "ja_jp"][parts[0]]
        }
    }

    private static func languageParts(_ text: String) -> [String]? {
        let parts = text.split { $0 == "-" || $0 == "_" }.map(String.init)
        return (1...2).contains(parts.count) && parts.allSatisfy(QuestionReader.isTwoLetters) ? parts : nil
    }
}
