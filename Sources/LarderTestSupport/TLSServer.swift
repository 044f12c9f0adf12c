// Servers for the TLS tests: the openssl program, and a certificate made with it.
import CLinux
import Glibc
import LarderCore

public enum OpenSSLProgram {
    public static let path = "/usr/bin/openssl"

    struct Failure: Error {
        var step: String
    }

    static func spawn(_ arguments: [String], output: Int32?) throws -> pid_t {
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
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard posix_spawn(&child, path, &actions, nil, words, environ) == 0 else {
            throw Failure(step: "posix_spawn")
        }
        return child
    }
}

/// A key and a self-signed certificate, in their own files.
final class TestCertificate: Sendable {
    /// PEM files.
    let certificate: String
    let key: String
    private let directory: String

    init(name: String) throws {
        var template = Array("/tmp/larder-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw OpenSSLProgram.Failure(step: "mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        certificate = directory + "/cert.pem"
        key = directory + "/key.pem"
        var status: Int32 = 0
        let maker = try OpenSSLProgram.spawn(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                "-out", certificate, "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
            ], output: nil)
        guard waitpid(maker, &status, 0) == maker, status == 0 else {
            throw OpenSSLProgram.Failure(step: "openssl req")
        }
    }

    deinit {
        for file in [certificate, key] { unlink(file) }
        rmdir(directory)
    }
}

/// `openssl s_server` on a port chosen by the kernel, with its own certificate.
public final class TLSServer {
    public let port: UInt16
    public var certificate: String { files.certificate }
    private let files: TestCertificate
    private let process: pid_t

    public init(name: String) throws {
        files = try TestCertificate(name: name)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw OpenSSLProgram.Failure(step: "pipe") }
        defer { close(ends[0]) }
        process = try OpenSSLProgram.spawn(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", files.certificate, "-key", files.key, "-www"],
            output: ends[1])
        close(ends[1])
        // The server prints "ACCEPT 127.0.0.1:43210" when it listens.
        var said = Bytes()
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1 {
            said.append(byte)
            if byte == 0x0A, said.lossyText.contains("ACCEPT ") { break }
        }
        guard let text = said.lossyText.split(separator: ":").last, let port = UInt16(text.prefix { $0.isNumber })
        else { throw OpenSSLProgram.Failure(step: "openssl s_server") }
        self.port = port
    }

    public func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}
