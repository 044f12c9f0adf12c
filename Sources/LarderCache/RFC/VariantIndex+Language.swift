// Finds a stored variant in the client's preferred language that another value of Accept-Language selected (RFC 9110
// §12.5.4).
import LarderCore
import LarderHTTP

extension VariantIndex {
    /// The language of a variant that `Accept-Language` had a part in selecting.
    public struct Language: Sendable, Hashable {
        /// In lower case.
        public let tag: String
        /// The digest of the other selecting values.
        public let rest: Digest

        /// - Parameters:
        ///   - tag: of the answer's `Content-Language`, in lower case.
        ///   - rest: see `rest`.
        public init(tag: String, rest: Digest) {
            self.tag = tag
            self.rest = rest
        }

        /// What an answer says, where it was selected by `Accept-Language`; nil for any other.
        ///
        /// - Parameter names: of the answer's `Vary`, lower case, sorted.
        init?(_ names: [String], requestFields: HeaderFields, fields: HeaderFields) {
            guard names.contains(name), let tag = LanguageChoice.language(fields) else { return nil }
            self.init(tag: tag, rest: Self.rest(names, requestFields))
        }

        static func rest(_ names: [String], _ requestFields: HeaderFields) -> Digest {
            VariantIndex.selection(names: names.filter { $0 != name }, requestFields: requestFields)
        }
    }

    private static let name = "accept-language"

    /// The variants in the language that a request wants before any other, where all other selecting fields are the same: those whose
    /// tag is the very one first, then the most recently received. None of them is in doubt.
    public func inBestLanguage(for requestFields: HeaderFields) -> [Digest] {
        guard let best = LanguageChoice.best(requestFields) else { return [] }
        let found = variants.filter { variant in
            guard let language = variant.language, !variant.isInDoubt,
                LanguageChoice.isBest(language.tag, for: requestFields)
            else { return false }
            return language.rest == Language.rest(variant.names, requestFields)
        }
        return (found.filter { $0.language?.tag == best } + found.filter { $0.language?.tag != best }).map(\.selection)
    }
}
