// A file of certificate authorities. libcurl reads it at each handshake. It is read here too, so that a wrong file is
// told by `larder config check` and at the start, and not by the first call that fails.
import LarderCore

enum CertificateFile {
    /// The variable that curl and OpenSSL read as well.
    static let variable = "SSL_CERT_FILE"

    private static let limit = 8 << 20

    /// Returns the path if its file can be read and holds a certificate in PEM form (RFC 7468 §5).
    static func check(_ path: String) throws(SettingFault) -> String {
        guard path.hasPrefix("/") else { throw SettingFault("\"\(path)\" is not an absolute path") }
        let text = try ConfigurationFile.readRegular(path, limit: limit).lossyText
        guard text.contains("-----BEGIN CERTIFICATE-----") || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
        else { throw SettingFault("\(path) holds no certificate in PEM form") }
        return path
    }

    /// The file that the environment names for all providers; nil if it names none.
    static func standard(_ environment: [String: String], _ reader: inout SettingsReader) -> String? {
        guard let path = environment[variable], !path.isEmpty else { return nil }
        do throws(SettingFault) {
            return try check(path)
        } catch {
            reader.issue(.environment(variable), "", error.message)
            return nil
        }
    }
}
