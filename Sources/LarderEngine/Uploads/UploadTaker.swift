// A configured provider that takes files, with how files reach it: what all work of uploads needs of a provider.
import LarderProviders

/// Who takes files.
public struct UploadTaker: Sendable {
    /// As the settings have it.
    public let provider: ConfiguredProvider
    /// How files reach it.
    public let format: any UploadFormat

    /// Nil where that one takes no files.
    public init?(_ provider: ConfiguredProvider) {
        guard let format = provider.provider.uploads else { return nil }
        self.provider = provider
        self.format = format
    }

    /// An answer larger than this is none to an upload.
    static let maxAnswer = 1 << 20

    /// Whether the larger limit holds: films, and pictures that may move.
    static func isFilm(_ type: String) -> Bool { type.hasPrefix("video/") || type == "image/gif" }

    /// A name for a file, so that nobody's own path goes out.
    static func filename(of type: String) -> String {
        let endings = [
            "image/jpeg": "jpg", "video/quicktime": "mov", "video/x-matroska": "mkv", "video/x-msvideo": "avi",
        ]
        return "upload." + (endings[type] ?? type.split(separator: "/").last.map(String.init) ?? "bin")
    }
}
