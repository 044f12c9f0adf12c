// The pictures of the stand-in: six covers, each as PNG and JPEG, which the program carries in it (Sources/CEmbedded). The
// name in the URL chooses the cover and, as on iTunes' image servers, the format.
import LarderCore

enum Pictures {
    /// Returns the path of a picture: the part after "/artwork", or a path in the D&D API's own picture folder. Nil for
    /// other paths.
    static func path(in path: String) -> String? {
        if path.hasPrefix("/artwork/") { return String(path.dropFirst("/artwork".utf8.count)) }
        for prefix in ["/api/images/", "/dnd5e/api/images/"] where path.hasPrefix(prefix) { return path }
        return nil
    }

    /// Returns a JPEG for ".jpg" and ".jpeg", otherwise a PNG. "/artwork/missing…" is answered with 404.
    static func answer(_ path: String) -> OriginAnswer {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !name.hasPrefix("missing") else { return .text(404, "Not Found") }
        let isJPEG = name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")
        // All sizes of one picture show the same cover, because the size has no part in the choice. The sum makes
        // neighbours of consecutive numbers differ.
        let chosen = path.dropLast(isSize(name) ? name.count : 0).utf8.reduce(0) { $0 + Int($1) }
        let body = Bytes(EmbeddedFile.bytes("LarderOrigin/Files/cover-\(chosen % 6 + 1).\(isJPEG ? "jpg" : "png")"))
        return OriginAnswer(
            fields: [
                "Content-Type": isJPEG ? "image/jpeg" : "image/png",
                "Cache-Control": "public, no-transform, max-age=15552000",
                "ETag": "\"\(Digest(of: body).hex.prefix(16))\"", "Access-Control-Allow-Origin": "*",
            ], body: body)
    }

    /// Whether a name only tells the size: "600x600bb.jpg".
    private static func isSize(_ name: String) -> Bool {
        let parts = name.split(separator: "x", maxSplits: 1)
        return parts.count == 2 && Int(parts[0]) != nil && parts[1].first?.isNumber == true
    }
}
