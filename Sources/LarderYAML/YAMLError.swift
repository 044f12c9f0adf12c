// Why a text cannot be read as YAML.
import LarderCore

/// Why a text is not YAML that Larder reads.
public struct YAMLError: Error, Sendable, Hashable {
    public var mark: YAMLMark
    public var message: String
}
