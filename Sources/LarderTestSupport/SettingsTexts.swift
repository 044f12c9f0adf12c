// Settings from a text, as a file would give them, without anything of this machine's environment.
import LarderCore
import LarderSettings

/// A home that gives every path a default, and nothing else of this machine's environment.
public let plainEnvironment = ["HOME": "/home/somebody"]

/// Settings from a text, as a file "larder.yaml" would give them.
public func load(
    _ text: String, environment: [String: String] = plainEnvironment, flags: [(path: String, value: String)] = []
) throws(SettingsError) -> Settings {
    try SettingsLoader()
        .load(text: Bytes(text: text), named: "larder.yaml", environment: environment, flags: flags)
}

/// The findings about a text, one a line; empty where it is right.
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
