// Facts about an API's uploads: the route they have here, and the fields that may describe a file. A provider with
// these facts gets routes and commands for uploads. How the files are sent is decided by its `UploadFormat`.

/// The uploads of one API.
public struct UploadAbout: Sendable, Hashable {
    /// A field that may describe a file.
    public struct Field: Sendable, Hashable {
        public var record: QuestionParameter
        /// The command-line option for this field; nil if there is none.
        public var option: Option?

        public init(_ name: String, _ line: String, _ form: ParameterForm = .text(), option: Option? = nil) {
            record = QuestionParameter(name, form, line)
            self.option = option
        }
    }

    /// An option of the command that uploads.
    public struct Option: Sendable, Hashable {
        /// The name with its dashes.
        public var name: String
        public var line: String
        /// The placeholder of its value; nil if it takes none and stands for the example of the field.
        public var value: String?

        public init(_ name: String, _ line: String, _ value: String? = "TEXT") {
            self.name = name
            self.line = line
            self.value = value
        }
    }

    /// An example of a command: the words after the command's own, and the purpose.
    public struct Example: Sendable, Hashable {
        public var words: String
        public var purpose: String

        public init(_ words: String, _ purpose: String) {
            self.words = words
            self.purpose = purpose
        }
    }

    /// The first path segment of the upload routes below `/v1/{routePrefix}/`: "images".
    public var collection: String
    public var fields: [Field]
    /// The API's word for the name by which a file is removed: "deletehash". Such a name is as powerful as a key.
    public var removalName: String
    /// The form of such a name.
    public var removalForm = ParameterForm.text()
    /// The same as a noun that can follow "delete": "hash".
    public var removalWord: String
    /// The API's limit on file size, as the beginning of a sentence.
    public var sizeNote: String?
    /// Examples for the commands that upload and delete.
    public var uploadExamples = [Example("cat.jpg", "one picture")]
    public var removalExamples = [Example("9Zk2…", "take one picture down")]

    public init(collection: String, fields: [Field], removalName: String, removalWord: String = "key") {
        self.collection = collection
        self.fields = fields
        self.removalName = removalName
        self.removalWord = removalWord
    }
}
