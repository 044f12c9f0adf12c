// The records of the settings for uploads, and the type that holds their values.
import LarderCore
import LarderProviders

extension SettingsTable {
    /// The providers that take uploads.
    static let takers = ProviderRegistry.list { $0.uploads == nil ? nil : $0.title }
    /// What these providers say about the largest upload.
    private static let takersLimits = ProviderRegistry.list { $0.uploads?.sizeNote }

    static let uploadsMaxSize = Parameter(
        "uploads.maxSize", .size((1 << 10)...(1 << 30)), default: "20 MiB",
        summary: "The largest picture that Larder takes for upload.",
        advice: "\(takersLimits). A larger picture is refused before anything is sent.")
    static let uploadsMaxFilm = Parameter(
        "uploads.maxFilm", .size((1 << 10)...(4 << 30)), default: "200 MiB",
        summary: "The largest film or moving picture that Larder takes for upload.")
    static let uploadsMaxPause = Parameter(
        "uploads.maxPause", .duration(.milliseconds(100) ... .seconds(86_400)), default: "10min",
        summary: "An upload that is paused for longer fails.",
        advice: "\(takers) may close the connection sooner. The upload then fails as well.")
    static let uploadsMaxEntries = Parameter(
        "uploads.maxEntries", .count(1...10_000), default: "64",
        summary: "The most uploads at once, running and remembered. Further ones are refused.")
    static let uploadsKeep = Parameter(
        "uploads.keep", .duration(.seconds(1) ... .seconds(86_400)), default: "1h",
        summary: "An upload waits this long for its content. Its outcome is remembered for this long.")
    static let uploadsAtOnce = Parameter(
        "uploads.atOnce", .count(1...7), default: "4",
        summary: "The most running uploads at once, paused ones included. Further ones are refused.",
        advice: "Each upload holds one of the eight connections to the host of \(takers).")
}

/// The settings for uploads.
public struct UploadSettings: Sendable, Hashable {
    /// The maximum size in bytes of a picture, and of a film or moving picture.
    public var maxSize: Int64
    public var maxFilm: Int64
    public var maxPause: Duration
    public var maxEntries: Int
    public var atOnce: Int
    /// How long an upload waits for its content, and how long it is remembered after its end.
    public var keep: Duration

    init(_ reader: inout SettingsReader) {
        maxSize = reader.size(SettingsTable.uploadsMaxSize)
        maxFilm = reader.size(SettingsTable.uploadsMaxFilm)
        maxPause = reader.duration(SettingsTable.uploadsMaxPause)
        maxEntries = reader.count(SettingsTable.uploadsMaxEntries)
        atOnce = reader.count(SettingsTable.uploadsAtOnce)
        keep = reader.duration(SettingsTable.uploadsKeep)
    }
}
