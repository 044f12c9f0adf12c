// Makes settings from a text, as from a file, without using this machine's environment.
import LarderCore
import LarderSettings

/// An environment with only a home directory, from which every path gets a default.
public let plainEnvironment = ["HOME": "/home/somebody"]

/// Loads settings from a text, as from a file "larder.yaml".
public func load(
    _ text: String, environment: [String: String] = plainEnvironment, flags: [(path: String, value: String)] = []
) throws(SettingsError) -> Settings {
    try SettingsLoader()
        .load(text: Bytes(text: text), named: "larder.yaml", environment: environment, flags: flags)
}

/// The issues found in a text, one in each string; empty if the text is valid.
public func findings(
    _ text: String, environment: [String: String] = plainEnvironment, flags: [(path: String, value: String)] = []
) -> [String] {
    do throws(SettingsError) {
        _ = try load(text, environment: environment, flags: flags)
        return []
    } catch {
        return error.issues.map(\.description)
    }
}
