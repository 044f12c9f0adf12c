// Secrets come from systemd's credentials, a file or an environment variable, and are read once. No message contains a
// secret.
import LarderCore

/// The places of secrets in one environment.
public struct SecretPlaces {
    static let maxBytes = 16 << 10
    /// How long reading a secret from a pipe may take. The start of the daemon waits for it, and so does a reload.
    static let patience = Duration.seconds(1)

    let environment: [String: String]

    /// The value and path of the credential with that name (systemd.exec(5), "CREDENTIALS"); nil if there is none.
    func credential(_ name: String) throws(SettingFault) -> (value: String, path: String)? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else { return nil }
        let path = "\(directory)/\(name)"
        guard ConfigurationFile.exists(path) else { return nil }
        return (try file(path), path)
    }

    /// Returns the secret that the text of a setting stands for: "file:/path", "env:NAME", or the secret itself.
    func resolve(_ text: String) throws(SettingFault) -> String {
        if let path = text.dropping(prefix: "file:") {
            guard path.hasPrefix("/") else { throw SettingFault("file: needs an absolute path") }
            return try file(String(path))
        }
        if let name = text.dropping(prefix: "env:") {
            guard let value = environment[String(name)], !value.isEmpty else {
                throw SettingFault("the environment variable \(name) is not set")
            }
            return try Self.check(value, from: "the environment variable \(name)")
        }
        return try Self.check(text, from: "the value")
    }

    /// The absolute path that the text of a setting names; nil if it names none.
    static func file(of text: String) -> String? {
        text.dropping(prefix: "file:").flatMap { $0.hasPrefix("/") ? String($0) : nil }
    }

    private func file(_ path: String) throws(SettingFault) -> String {
        let bytes = try ConfigurationFile.read(path, limit: Self.maxBytes, patience: Self.patience)
        guard let text = bytes.strictText else { throw SettingFault("\(path) is not text") }
        return try Self.check(text, from: path)
    }

    /// Whether a text is a valid key as it is: not empty, and only visible ASCII.
    public static func isKey(_ text: String) -> Bool { (try? check(text, from: "the request")) == text }

    /// Removes white space at the end and checks the rest: visible ASCII only, because it must fit into a header field
    /// unchanged (RFC 9110 §5.5).
    static func check(_ text: String, from place: String) throws(SettingFault) -> String {
        var secret = text[...]
        while let last = secret.unicodeScalars.last, [0x0A, 0x0D, 0x20, 0x09].contains(last.value) {
            secret.unicodeScalars.removeLast()
        }
        guard !secret.isEmpty else { throw SettingFault("\(place) is empty") }
        guard secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw SettingFault("\(place) contains spaces, line breaks or other characters that no key has")
        }
        return String(secret)
    }
}
