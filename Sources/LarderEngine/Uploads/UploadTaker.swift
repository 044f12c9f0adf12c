// A configured provider that accepts uploads, together with its upload format.
import LarderProviders

/// A provider that accepts uploads.
public struct UploadTaker: Sendable {
    /// The provider with its settings.
    public let provider: ConfiguredProvider
    /// How files are sent to the provider.
    public let format: any UploadFormat

    /// Nil if the provider accepts no uploads.
    public init?(_ provider: ConfiguredProvider) {
        guard let format = provider.provider.uploads else { return nil }
        self.provider = provider
        self.format = format
    }

    /// The limit of the response to an upload, in bytes.
    static let maxAnswer = 1 << 20

    /// Whether the larger size limit applies: to films and to pictures that may be animated.
    static func isFilm(_ type: String) -> Bool { type.hasPrefix("video/") || type == "image/gif" }

    /// A neutral file name, so that the name of a client's file is not sent out.
    static func filename(of type: String) -> String {
        let endings = [
            "image/jpeg": "jpg", "video/quicktime": "mov", "video/x-matroska": "mkv", "video/x-msvideo": "avi",
        ]
        return "upload." + (endings[type] ?? type.split(separator: "/").last.map(String.init) ?? "bin")
    }
}
