// Why a text cannot be read as YAML.
import LarderCore

/// Why a text is not YAML that Larder reads.
struct YAMLError: Error, Sendable, Hashable {
    var mark: YAMLMark
    var message: String
}
