// A setting is one record. The configuration reader, `larder params`, flags, help, the documented example file and the
// manual page are all made from these records. No other code knows a setting's name, bounds or default.

/// The kind of value a setting takes, with its bounds.
public enum ParameterKind: Sendable, Hashable {
    case size(ClosedRange<Int64>)
    case duration(ClosedRange<Duration>)
    case count(ClosedRange<Int>)
    case flag
    case text
    /// One of the given words.
    case choice([String])
    /// A `CallRate` or "off".
    case rate
    /// A list of texts.
    case texts
    /// One duration for all, or a mapping from endpoint or path to duration.
    case ttl
    /// The list of addresses to listen on: texts, or mappings with `address` and `provider`.
    case listeners
    /// A mapping from names of fields to their values.
    case fields
    /// A mapping from hosts to one of the given words.
    case actions([String])
    /// A list of mappings with `path`, `ttl` and `kind`: POST endpoints that only read.
    case readOnlyPosts
    /// A whole number of percent.
    case percent(ClosedRange<Int>)
    /// A list of mappings with `name`, and `user`, `token` or `share`: tools whose calls are told apart.
    case tools
}

/// One setting.
public struct Parameter: Sendable, Hashable {
    /// The dotted path as in the file: "cache.maxSize". "providers.<name>.rate" stands for every provider.
    public var path: String
    public var kind: ParameterKind
    /// The default as a person would write it; nil if there is none or the provider supplies it.
    public var defaultText: String?
    /// One line that says what the setting is.
    public var summary: String
    /// When and why to change it.
    public var advice: String
    /// Whether a change takes effect only at the next start.
    public var needsRestart: Bool
    /// Whether the value is never shown.
    public var isSecret: Bool

    public init(
        _ path: String, _ kind: ParameterKind, default defaultText: String?, summary: String, advice: String = "",
        needsRestart: Bool = false, isSecret: Bool = false
    ) {
        self.path = path
        self.kind = kind
        self.defaultText = defaultText
        self.summary = summary
        self.advice = advice
        self.needsRestart = needsRestart
        self.isSecret = isSecret
    }
}
