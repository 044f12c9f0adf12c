// What programs are given to trust: PEM and Java's trust store.
import Foundation
import Glibc
import LarderCore
import LarderTLS
import Testing

struct TrustBundleTests {
    @Test func theAuthorityFollowsTheSystemsRoots() throws {
        let (root, own) = (try authority(), try authority())
        let bundle = TrustBundle(system: Bytes(text: "# roots\n") + root.certificatePEM.dropLast(), authority: own)
        #expect(bundle.pem == Bytes(text: "# roots\n") + root.certificatePEM + own.certificatePEM)
        #expect(TrustBundle(system: [], authority: own).pem == own.certificatePEM)
    }

    @Test func theVariableNamesTheOnlyPlace() {
        #expect(TrustBundle.systemFiles(override: "/some/file") == ["/some/file"])
        #expect(TrustBundle.systemFiles(override: "").first == "/etc/ssl/certs/ca-certificates.crt")
    }

    @Test func aBrokenRootDoesNotTakeTheOthersWithIt() throws {
        let (one, other) = (try authority(), try authority())
        let broken = one.certificatePEM.lossyText.replacing("\nMII", with: "\nAAA")
        let whole = TrustBundle(system: one.certificatePEM, authority: other)
        let part = TrustBundle(system: Bytes(text: broken), authority: other)
        #expect(try part.javaTrustStore().count < whole.javaTrustStore().count)
        #expect(try part.javaTrustStore().count > 500)
    }

    @Test(.enabled(if: access("/usr/bin/keytool", X_OK) == 0, "keytool is not installed"), arguments: [true, false])
    func javaListsEveryCertificateAsTrusted(givesPassword: Bool) throws {
        try inFolder { folder in
            let bundle = TrustBundle(system: try authority().certificatePEM, authority: try authority())
            let store = folder + "/trust.p12"
            try Data(bundle.javaTrustStore()).write(to: URL(filePath: store))
            let password = givesPassword ? "-storepass \(TrustBundle.javaPassword)" : ""
            let listed = output("keytool -list -keystore \(store) \(password) < /dev/null 2>&1")
            #expect(listed.contains("Keystore type: PKCS12"), "\(listed)")
            #expect(listed.contains("contains 2 entries"), "\(listed)")
            #expect(listed.split(separator: "trustedCertEntry").count == 3, "\(listed)")
        }
    }
}

/// Runs the body with a folder that is removed afterwards.
func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path())
}

/// What a command prints.
func output(_ command: String) -> String {
    guard let stream = popen(command, "r") else { return "" }
    defer { pclose(stream) }
    var (text, buffer) = (Bytes(), Bytes(repeating: 0, count: 4096))
    while true {
        let count = fread(&buffer, 1, buffer.count, stream)
        if count == 0 { return text.lossyText }
        text += buffer[..<count]
    }
}
