// One entry of a recordings folder, for code that iterates over the folder.
import LarderCore

/// One recording: its file and the request that it answers.
public struct RecordedRequest: Sendable, Hashable {
    /// Relative to the folder: "itunes/search-podcast-beyondjazz-2011-01.json".
    public var file: String
    /// The API's name at the stand-in.
    public var api: String
    public var method: Method
    /// The upstream path. For a file with many bodies, the path of their list.
    public var path: String
    /// The query as it was sent, without a key.
    public var query: String
    public var status: Int
    /// The keys of a file with many bodies; empty for a file that is one body.
    public var keys: [String]

    public init(
        file: String, api: String, method: Method, path: String, query: String, status: Int, keys: [String]
    ) {
        self.file = file
        self.api = api
        self.method = method
        self.path = path
        self.query = query
        self.status = status
        self.keys = keys
    }
}

extension RecordedRequest {
    /// The file's name without folder and extension.
    public var name: String {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }
}
