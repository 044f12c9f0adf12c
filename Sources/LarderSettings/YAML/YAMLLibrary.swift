// Which libyaml reads the configuration.
import CYAML

/// The library behind `YAMLReader`.
public enum YAMLLibrary {
    /// That of libyaml as it was loaded, such as "0.2.5".
    public static let version = String(cString: yaml_get_version_string())
}
