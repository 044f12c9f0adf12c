// A name that no provider has: the answer names the one that was probably meant, and lists what there is.
import LarderCore
import LarderSettings

extension ClientFacingError {
    /// 404 for a provider named in a path.
    public static func unknownProvider(
        _ name: String, among known: [String], parameter: String = "provider"
    ) -> ClientFacingError {
        ClientFacingError(
            status: 404, code: "unknownProvider", detail: UnknownProvider.sentence("provider", name, among: known),
            parameter: parameter, allowed: known)
    }
}

/// The sentence about a name that nothing has.
public enum UnknownProvider {
    /// - Parameter what: "provider" or "source".
    public static func sentence(_ what: String, _ name: String, among known: [String]) -> String {
        let near = NearestName.find(name, among: known).map { "; did you mean \"\($0)\"?" } ?? "."
        return "There is no \(what) \"\(name)\"\(near)"
    }
}
