// The version of the loaded libyaml, which reads the configuration.
import CYAML

/// The library behind `YAMLReader`.
public enum YAMLLibrary {
    /// The version of libyaml that was loaded at run time, such as "0.2.5".
    public static let version = String(cString: yaml_get_version_string())
}
