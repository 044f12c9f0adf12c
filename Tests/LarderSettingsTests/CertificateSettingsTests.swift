import LarderCore
import LarderSettings
import LarderTestSupport
import Testing

@Suite struct CertificateSettingsTests {
    private static let pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

    private func configuration(_ file: String, base: String = "https://api.example") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(base)\", ca: \"\(file)\" } }"
    }

    private func issues(_ text: String, environment: [String: String] = [:]) -> String {
        findings(text, environment: plainEnvironment.merging(environment) { $1 }).joined(separator: "\n")
    }

    private func variable(_ path: String) -> [String: String] {
        plainEnvironment.merging(["SSL_CERT_FILE": path]) { $1 }
    }

    @Test func aFileWithACertificateIsTaken() throws {
        try withScratchDirectory { directory in
            try write(Self.pem, to: "\(directory)/ca.pem")
            #expect(try load(configuration("\(directory)/ca.pem")).providers["api"]?.ca == "\(directory)/ca.pem")
        }
    }

    @Test func whatIsNoFileOfCertificatesIsToldAtOnce() throws {
        try withScratchDirectory { directory in
            try write("a certificate", to: "\(directory)/text")
            #expect(issues(configuration("\(directory)/none")).contains("none does not exist"))
            #expect(issues(configuration("\(directory)/text")).contains("holds no certificate in PEM form"))
            #expect(issues(configuration(directory)).contains("is a directory"))
            #expect(issues(configuration("ca.pem")).contains("is not an absolute path"))
        }
    }

    @Test func whereNothingIsEncryptedTheSettingHasNoEffectAndSaysSo() throws {
        try withScratchDirectory { directory in
            try write(Self.pem, to: "\(directory)/ca.pem")
            let said = issues(configuration("\(directory)/ca.pem", base: "http://127.0.0.1:1"))
            #expect(said.contains("has no effect here"), "\(said)")
        }
    }

    @Test func theSystemsVariableNamesTheFileForAllProviders() throws {
        try withScratchDirectory { directory in
            try write(Self.pem, to: "\(directory)/ca.pem")
            let file = "\(directory)/ca.pem"
            #expect(try load("", environment: variable(file)).fetch.caFile == file)
            #expect(try load("", environment: variable("")).fetch.caFile == nil)
            let said = issues("", environment: ["SSL_CERT_FILE": "\(directory)/none"])
            #expect(said.contains("SSL_CERT_FILE") && said.contains("does not exist"), "\(said)")
        }
    }
}
