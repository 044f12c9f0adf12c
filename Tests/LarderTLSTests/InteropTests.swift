// Clients that others wrote, over a loopback port.
import Foundation
import Glibc
import LarderCore
import LarderTLS
import Testing

struct InteropTests {
    private static let curl = access("/usr/bin/curl", X_OK) == 0

    @Test(.enabled(if: curl, "curl is not installed"), arguments: ["--tlsv1.3", "--tls-max 1.2", "--http1.1"])
    func curlGetsAnAnswerOfAMegabyte(options: String) throws {
        let length = try fetch(options: options, wants: "%{size_download} %{ssl_verify_result}")
        #expect(length.text == "1000000 0")
        #expect(length.end == .ended || length.end == .failed(.truncated))
    }

    @Test(.enabled(if: curl, "curl is not installed"))
    func curlWithoutTheAuthorityIsToldAsUnknownCA() throws {
        let result = try fetch(trusting: authority(), wants: "%{exitcode}")
        #expect(result.text == "60" && result.end == .failed(.alert("unknown_ca")))
    }

    /// Asks a server of one connection by curl. Returns what curl printed, and how the server's session ended.
    private func fetch(
        options: String = "", trusting other: CertificateAuthority? = nil, wants: String
    ) throws -> (text: String, end: TLSRead) {
        let authority = try authority()
        let context = try HostContexts(authority: authority).make(for: "example.org", at: present)
        return try inFolder { folder in
            try Data(TrustBundle(system: [], authority: other ?? authority).pem).write(
                to: URL(filePath: folder + "/ca.pem"))
            let (listener, port) = listen()
            let end = Lock(TLSRead.needsInput)
            let thread = try SystemThread.start {
                let result = serve(listener, context)
                end.withLock { $0 = result }
            }
            let text = output(
                "curl -sS --noproxy '*' -m 20 -o /dev/null -w '\(wants)' --cacert \(folder)/ca.pem \(options) "
                    + "--connect-to example.org:443:127.0.0.1:\(port) https://example.org/ 2>/dev/null")
            // If curl never came, accept returns now.
            shutdown(listener, Int32(SHUT_RDWR))
            thread.join()
            close(listener)
            return (text, end.withLock { $0 })
        }
    }
}

private func listen() -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, length)
            _ = Glibc.listen(descriptor, 1)
            _ = getsockname(descriptor, $0, &length)
        }
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// Answers one request, as the owner of a session does on a blocking socket. Returns the last read.
private func serve(_ listener: Int32, _ context: HostContext) -> TLSRead {
    let socket = accept(listener, nil, nil)
    guard socket >= 0, let session = TLSSession(context) else { return .needsInput }
    defer { close(socket) }
    var (buffer, request) = (Bytes(repeating: 0, count: 16_384), Bytes())
    var answer = Bytes(text: "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n")
    answer += Bytes(repeating: 0x61, count: 1_000_000)
    while true {
        let result = Pair.read(session, &request)
        flush(session, to: socket)
        if result != .needsInput { return result }
        if request.lossyText.hasSuffix("\r\n\r\n"), !answer.isEmpty {
            while !answer.isEmpty {
                answer.removeFirst(session.write(answer))
                flush(session, to: socket)
            }
            session.close()
            flush(session, to: socket)
        }
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 { _ = session.receive(Bytes(buffer[..<count])) } else { session.inputEnded() }
    }
}

private func flush(_ session: TLSSession, to socket: Int32) {
    while session.ciphertextCount > 0 {
        let sent = session.withCiphertext { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return session.drop(session.ciphertextCount) }
        session.drop(sent)
    }
}
