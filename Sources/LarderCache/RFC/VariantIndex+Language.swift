// Finds a stored variant in the client's preferred language that was selected by another value of Accept-Language (RFC
// 9110 §12.5.4).
import LarderCore
import LarderHTTP

extension VariantIndex {
    static let languageName = "accept-language"

    /// The digest of the selecting fields without `Accept-Language`.
    static func rest(_ names: [String], _ requestFields: HeaderFields) -> Digest {
        selection(names: names.filter { $0 != languageName }, requestFields: requestFields)
    }

    /// The variants in the language that the request prefers most, whose other selecting fields match. Variants with
    /// exactly the preferred tag come first, then the most recently received. Variants in doubt are not included.
    public func inBestLanguage(for requestFields: HeaderFields) -> [Variant] {
        guard let best = LanguageChoice.best(requestFields) else { return [] }
        let found = variants.filter { variant in
            guard let language = variant.facts.language, !variant.isInDoubt,
                LanguageChoice.isBest(language, for: requestFields)
            else { return false }
            return variant.facts.rest == Self.rest(variant.names, requestFields)
        }
        return found.filter { $0.facts.language == best } + found.filter { $0.facts.language != best }
    }
}
