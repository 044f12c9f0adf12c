// What a recordings folder holds, for whoever wants to walk through it.
import LarderCore

/// One recording: its file and the request that it answered.
public struct RecordedRequest: Sendable, Hashable {
    /// Relative to the folder: "itunes/search-podcast-beyondjazz-2011-01.json".
    public var file: String
    /// Its name at the stand-in.
    public var api: String
    public var method: Method
    /// The upstream path; of a file with many bodies that of its list.
    public var path: String
    /// As it was sent, without a key.
    public var query: String
    public var status: Int
    /// The keys of a file with many bodies; none for a file that is one body.
    public var keys: [String]
}
