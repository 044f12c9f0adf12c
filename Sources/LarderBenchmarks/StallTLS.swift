// An origin over TLS that closes each connection and resumes no session, so each fetch needs a full handshake. It is
// the openssl program with a certificate that only the larder of this run trusts.
import LarderCore

struct StallTLS {
    let process: ChildProcess
    let port: UInt16
    let certificate: String

    /// - Parameter answers: the number of names, from "0" on. All have the same body.
    init(answers: Int, _ stand: Stand) throws(Failure) {
        let directory = try stand.newDirectory("tls")
        let body = BodySize.one.body
        let answer =
            Bytes(
                text: "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\n"
                    + "Cache-Control: no-store\r\nConnection: close\r\n\r\n") + body
        for name in 0..<answers { try Files.write(answer, to: "\(directory)/\(name)") }
        let (certificate, key) = (stand.newFile("certificate.pem"), stand.newFile("key.pem"))
        let maker = try ChildProcess(
            "openssl",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ], core: nil, stand: stand)
        _ = try maker.finish(seconds: 20)
        let process = try ChildProcess(
            "openssl",
            [
                "env", "-C", directory, "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key",
                key, "-no_cache", "-no_ticket", "-num_tickets", "0", "-HTTP",
            ], core: stand.arguments.loadCore, stand: stand)
        var port: UInt16?
        do throws(Failure) {
            try process.wait(for: "a line `ACCEPT ADDRESS`") {
                port = Self.port(in: process.output)
                return port != nil
            }
        } catch {
            process.stop()
            throw error
        }
        (self.process, self.port, self.certificate) = (process, port ?? 0, certificate)
    }

    /// Reads a complete line only. The last line may still be incomplete.
    static func port(in output: String) -> UInt16? {
        guard let end = output.lastIndex(of: "\n") else { return nil }
        let line = output[..<end].split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
        return line?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}
