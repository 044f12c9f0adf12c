// How an API takes files, as facts: where they go and what may be said of them. A provider that has these facts has routes for
// uploads.

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
    /// The API's word for what names a file that is to be taken down. It is as good as a key.
    public var removalName: String

    public init(collection: String, fields: [Field], removalName: String) {
        self.collection = collection
        self.fields = fields
        self.removalName = removalName
    }
}
