// Finds a stored variant in the client's preferred language that was selected by another value of Accept-Language (RFC
// 9110 §12.5.4).
import LarderCore
import LarderHTTP

extension VariantIndex {
    /// The language of a variant whose selecting fields include `Accept-Language`.
    public struct Language: Sendable, Hashable {
        /// The language tag in lower case.
        public let tag: String
        /// The digest of the other selecting fields.
        public let rest: Digest

        /// - Parameters:
        ///   - tag: the tag in the response's `Content-Language`, in lower case.
        ///   - rest: see `rest`.
        public init(tag: String, rest: Digest) {
            self.tag = tag
            self.rest = rest
        }

        /// The language that a response states, if `Accept-Language` is a selecting field; nil otherwise.
        ///
        /// - Parameter names: the names in the response's `Vary`, in lower case, sorted.
        init?(_ names: [String], requestFields: HeaderFields, fields: HeaderFields) {
            guard names.contains(name), let tag = LanguageChoice.language(fields) else { return nil }
            self.init(tag: tag, rest: Self.rest(names, requestFields))
        }

        static func rest(_ names: [String], _ requestFields: HeaderFields) -> Digest {
            VariantIndex.selection(names: names.filter { $0 != name }, requestFields: requestFields)
        }
    }

    private static let name = "accept-language"

    /// The variants in the language that the request prefers most, whose other selecting fields match. Variants with
    /// exactly the preferred tag come first, then the most recently received. Variants in doubt are not included.
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
