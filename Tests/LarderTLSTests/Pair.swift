// A server and a client whose ciphertext is carried between them in steps of a chosen size.
import CSSL
import LarderCore
import Testing

@testable import LarderTLS

/// A time inside the validity of everything that the tests make. libssl compares with the real clock.
let present = SystemTime().wall()

func authority(_ hosts: [String] = ["example.org"]) throws -> CertificateAuthority {
    try CertificateAuthority(hosts: hosts, from: present + .seconds(-60), until: present + .seconds(3600 * 24 * 1000))
}

final class Pair {
    let server: TLSSession
    let client: TLSSession
    /// What each side has read.
    var (serverGot, clientGot) = (Bytes(), Bytes())
    /// What each side's last read gave.
    var (serverState, clientState) = (TLSRead.needsInput, TLSRead.needsInput)
    /// What was carried last to each side, and the most that one step carries.
    var step: Int

    init(
        host: String = "example.org", context: HostContext? = nil, trust: ClientContext? = nil, asked: String? = nil,
        sendsName: Bool = true, step: Int = .max
    ) throws {
        let authority = try authority()
        let server = try context ?? HostContexts(authority: authority).make(for: host, at: present)
        let trust = try trust ?? ClientContext(roots: authority.certificatePEM)
        self.server = try #require(TLSSession(server))
        client = try #require(TLSSession(trust, host: asked ?? host, sendsName: sendsName))
        self.step = step
    }

    /// A client of the same authority as the server, changed before its first message.
    static func with(host: String = "example.org", change: (OpaquePointer) -> Void) throws -> Pair {
        let authority = try authority()
        let trust = try ClientContext(roots: authority.certificatePEM)
        change(trust.pointer)
        return try Pair(context: HostContexts(authority: authority).make(for: host, at: present), trust: trust)
    }

    func readServer() { serverState = Self.read(server, &serverGot) }
    func readClient() { clientState = Self.read(client, &clientGot) }

    /// Carries bytes and reads until neither side has anything to send.
    func run() {
        repeat {
            readClient()
            readServer()
        } while Self.carry(client, server, step) + Self.carry(server, client, step) > 0
    }

    static func read(_ session: TLSSession, _ got: inout Bytes) -> TLSRead {
        var buffer = Bytes(repeating: 0, count: 4096)
        while true {
            let result = buffer.withUnsafeMutableBytes { session.read(into: $0) }
            guard case .bytes(let count) = result else { return result }
            got += buffer[..<count]
        }
    }

    /// Carries one step's bytes. Returns how many the receiver took.
    static func carry(_ source: TLSSession, _ target: TLSSession, _ step: Int = .max) -> Int {
        let taken = source.withCiphertext { bytes in
            target.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(step)))
        }
        source.drop(taken)
        return taken
    }
}

extension TLSSession {
    func write(_ text: String) -> Int { write(Bytes(text: text)) }
    func write(_ bytes: Bytes) -> Int { bytes.withUnsafeBytes { write($0) } }
    func receive(_ bytes: Bytes) -> Int { bytes.withUnsafeBytes { receive($0) } }
}
