// Certificates, against the openssl program as server: a certificate is good when its issuer is trusted and its name is
// the host's, and nothing is sent where it is not.
import CLinux
import Glibc
import LarderCore
import LarderFetch
import Testing

@Suite(.enabled(if: access(TLSServer.program, X_OK) == 0, "the openssl program is not installed"))
struct TLSTests {
    @Test func aCertificateIsGoodOnlyWithATrustedIssuerAndTheHostsName() async throws {
        let server = try TLSServer(name: "localhost")
        defer { server.stop() }
        try await withRig { rig in
            let error = await rig.failure(order("https://localhost:\(server.port)/"))
            #expect(error?.stage == .secure)
            #expect(error?.message == "The server's certificate is not valid for it.")
        }
        try await withRig(FetchSettings(caFile: server.certificate)) { rig in
            let response = try await rig.fetcher.fetch(order("https://localhost:\(server.port)/"))
            #expect(response.status == 200)
            #expect(response.body.lossyText.contains("s_server"))
            // Trusted, but for another name.
            #expect(await rig.failure(order("https://127.0.0.1:\(server.port)/"))?.stage == .secure)
            // A connection whose certificate was accepted is no leave for private addresses.
            let error = await rig.failure(order("https://localhost:\(server.port)/", addresses: .publicOnly))
            #expect(error?.stage == .forbidden)
        }
    }
}

/// `openssl s_server` on a port of the kernel's choice, with a certificate of its own.
final class TLSServer {
    static let program = "/usr/bin/openssl"

    let port: UInt16
    let certificate: String
    private let directory: String
    private let process: pid_t

    struct Failure: Error {
        var step: String
    }

    init(name: String) throws {
        var template = Array("/tmp/larder-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(step: "mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        certificate = directory + "/cert.pem"
        let key = directory + "/key.pem"
        var status: Int32 = 0
        let maker = try Self.spawn(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                "-out", certificate, "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
            ], output: nil)
        guard waitpid(maker, &status, 0) == maker, status == 0 else { throw Failure(step: "openssl req") }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(step: "pipe") }
        defer { close(ends[0]) }
        process = try Self.spawn(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"], output: ends[1])
        close(ends[1])
        // It says "ACCEPT 127.0.0.1:43210" once it listens.
        var said = Bytes()
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1 {
            said.append(byte)
            if byte == 0x0A, said.lossyText.contains("ACCEPT ") { break }
        }
        guard let text = said.lossyText.split(separator: ":").last, let port = UInt16(text.prefix { $0.isNumber })
        else { throw Failure(step: "openssl s_server") }
        self.port = port
    }

    func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        for name in ["cert.pem", "key.pem"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    private static func spawn(_ arguments: [String], output: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard posix_spawn(&child, program, &actions, nil, words, environ) == 0 else {
            throw Failure(step: "posix_spawn")
        }
        return child
    }
}
