// The error for an unknown provider name. It suggests the most similar known name and lists all of them.
import LarderCore
import LarderSettings

extension ClientFacingError {
    /// The 404 problem for an unknown provider in a path.
    public static func unknownProvider(
        _ name: String, among known: [String], parameter: String = "provider"
    ) -> ClientFacingError {
        ClientFacingError(
            status: 404, code: "unknownProvider", detail: UnknownProvider.sentence("provider", name, among: known),
            parameter: parameter, allowed: known)
    }
}

/// The sentence about an unknown name.
public enum UnknownProvider {
    /// - Parameter what: "provider" or "source".
    public static func sentence(_ what: String, _ name: String, among known: [String]) -> String {
        let near = NearestName.find(name, among: known).map { "; did you mean \"\($0)\"?" } ?? "."
        return "There is no \(what) \"\(name)\"\(near)"
    }

    /// What a search of a pass-through provider is told.
    static func mute(_ name: String) -> String {
        "\"\(name)\" passes bytes through: describe its questions in providers.d/\(name).yaml to search it."
    }
}
