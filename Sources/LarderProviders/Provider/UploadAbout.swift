// How an API takes files, as facts: where they go and what may be said of them. A provider that has these facts has routes and
// commands for uploads; how the files themselves are sent is its `UploadFormat`.

/// The uploads of one API.
public struct UploadAbout: Sendable, Hashable {
    /// What may be said of a file.
    public struct Field: Sendable, Hashable {
        public var name: String
        /// One line.
        public var line: String
        /// What it may be.
        public var form: ParameterForm
        /// How the command line has it; nil where it has not.
        public var option: Option?

        public init(_ name: String, _ line: String, _ form: ParameterForm = .text(), option: Option? = nil) {
            self.name = name
            self.line = line
            self.form = form
            self.option = option
        }
    }

    /// An option of the command that uploads.
    public struct Option: Sendable, Hashable {
        /// With its dashes.
        public var name: String
        public var line: String
        /// What its value is called, or, where it has none, what it says.
        public var value: Value

        public enum Value: Sendable, Hashable {
            case called(String)
            case always(String)
        }

        public init(_ name: String, _ line: String, _ value: Value = .called("TEXT")) {
            self.name = name
            self.line = line
            self.value = value
        }
    }

    /// A command as an example: what follows its own words, and what it is for.
    public struct Example: Sendable, Hashable {
        public var words: String
        public var purpose: String

        public init(_ words: String, _ purpose: String) {
            self.words = words
            self.purpose = purpose
        }
    }

    /// Where they begin, below `/v1/{routePrefix}/`: "images".
    public var collection: String
    public var fields: [Field]
    /// The API's word for what names a file that is to be taken down: "deletehash". It is as good as a key.
    public var removalName: String
    /// What such a name may be.
    public var removalForm = ParameterForm.text()
    /// The same as a noun, which "delete" stands before: "hash".
    public var removalWord: String
    /// What the API says of the largest file, as the beginning of a sentence.
    public var sizeNote: String?
    /// Of the commands that upload and delete.
    public var uploadExamples = [Example("cat.jpg", "one picture")]
    public var removalExamples = [Example("9Zk2…", "take one picture down")]

    public init(collection: String, fields: [Field], removalName: String, removalWord: String = "key") {
        self.collection = collection
        self.fields = fields
        self.removalName = removalName
        self.removalWord = removalWord
    }
}
