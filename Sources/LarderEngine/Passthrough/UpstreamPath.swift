// Which paths may be appended to a provider's base URL. Dot segments in any spelling would leave the base URL when the
// URL is normalised (RFC 3986 §5.2.4), so they are refused. For a pass-through provider all other bytes are left to the
// origin, whether they are text or not.
import LarderCore

/// Checks paths that are to be appended to a base URL.
public enum UpstreamPath {
    /// - Parameters:
    ///   - path: the path, percent-encoded as received.
    ///   - isText: whether it must be UTF-8, as the paths of every built-in provider are.
    /// - Throws: `ClientFacingError` if the path must not be appended.
    public static func check(_ path: String, isText: Bool = false) throws(ClientFacingError) {
        // "OPTIONS *" is about the server itself (RFC 9112 §3.2.4). Behind the base URL the star would be part of its
        // name.
        guard path.utf8.first == 0x2F else { throw .invalid("path", "A path must begin with a slash.") }
        let plain: Bytes
        do {
            plain = try PercentCoding.decodeBytes(path.utf8, plusIsSpace: false)
        } catch {
            throw .invalid("path", "The path is not percent-encoded.")
        }
        guard !plain.contains(0) else { throw .invalid("path", "The path contains a NUL.") }
        guard !isText || plain.strictText != nil else { throw .invalid("path", "The path is not UTF-8.") }
        guard !DotSegment.occurs(in: plain) else {
            throw .invalid("path", "The path must not have a segment of dots (. or ..).")
        }
    }
}
