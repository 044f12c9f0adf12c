// The console's files as they are served: styles, modules and pictures. The program contains them; see Files/.
import LarderCore

/// One file of the console.
public struct ConsoleFile: Sendable {
    public let name: String
    /// The media type.
    public let type: String
    public let body: Bytes
    /// A strong validator, including the quotation marks.
    public let etag: String

    private init(_ path: String) {
        name = String(path.dropFirst(Self.folder.count))
        body = Bytes(EmbeddedFile.bytes(path))
        etag = "\"\(Base64URL.encode(Digest(of: body).bytes).prefix(16))\""
        type =
            switch name.split(separator: ".").last {
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            case "svg": "image/svg+xml"
            default: "text/plain; charset=utf-8"
            }
    }

    private static let folder = "LarderConsole/Files/"

    private static let files = Dictionary(
        EmbeddedFile.paths.filter { $0.hasPrefix(folder) }.map(ConsoleFile.init).map { ($0.name, $0) }
    ) { first, _ in first }

    /// The names of all files, sorted.
    public static let names = files.keys.sorted()

    /// The file of this name; nil if there is none.
    public static func named(_ name: String) -> ConsoleFile? { files[name] }
}
