// How an API takes files, as facts: where they go and what may be said of them. A provider that has these facts has routes for
// uploads; how the files themselves are sent is its `UploadFormat`.

/// The uploads of one API.
public struct UploadAbout: Sendable, Hashable {
    /// What may be said of a file.
    public struct Field: Sendable, Hashable {
        public var name: String
        /// One line.
        public var line: String

        public init(_ name: String, _ line: String) {
            self.name = name
            self.line = line
        }
    }

    /// Where they begin, below `/v1/{routePrefix}/`: "images".
    public var collection: String
    public var fields: [Field]
    /// The API's word for what names a file that is to be taken down: "deletehash". It is as good as a key.
    public var removalName: String
    /// The same as a noun, which "delete" stands before: "hash".
    public var removalWord: String
    /// What the API says of the largest file, as the beginning of a sentence.
    public var sizeNote: String?

    public init(collection: String, fields: [Field], removalName: String, removalWord: String = "key") {
        self.collection = collection
        self.fields = fields
        self.removalName = removalName
        self.removalWord = removalWord
    }
}
