// A client that uses only sockets and sees exactly the bytes that were written.
import Glibc
import LarderCore
import LarderIO
import LarderOrigin
import LarderTestSupport

struct PlainAnswer {
    var status: Int
    var fields: HeaderFields
    var body: Bytes
    /// All bytes up to the end of the connection.
    var raw: Bytes
}

enum PlainClient {
    /// Sends one request on a connection of its own and reads to the end.
    static func get(
        _ server: OriginServer, _ target: String, method: String = "GET", fields: HeaderFields = [:]
    ) throws -> PlainAnswer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for line in fields { head += "\(line.name): \(line.value)\r\n" }
        let raw = try exchange(server, Bytes(text: head + "\r\n"))
        return parse(raw)
    }

    static func exchange(_ server: OriginServer, _ request: Bytes) throws -> Bytes {
        let descriptor = try Socket.connect(to: Address("127.0.0.1:\(server.port)"))
        defer { Syscall.close(descriptor) }
        setReceiveTimeout(descriptor, seconds: 60)
        _ = request.withUnsafeBytes { Syscall.send(descriptor, $0) }
        var out = Bytes()
        var chunk = Bytes(repeating: 0, count: 65_536)
        while case .bytes(let count) = chunk.withUnsafeMutableBytes({ Syscall.receive(descriptor, into: $0) }) {
            out += chunk.prefix(count)
        }
        return out
    }

    static func parse(_ raw: Bytes) -> PlainAnswer {
        let end = raw.firstRange(of: Bytes(text: "\r\n\r\n"))
        let lines = Bytes(raw[..<(end?.lowerBound ?? 0)]).lossyText.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let fields = lines.dropFirst().compactMap { line -> HeaderField? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return HeaderField(String(line[..<colon]), String(ASCII.trimmed(line[line.index(after: colon)...])))
        }
        let body = Bytes(raw[(end?.upperBound ?? raw.count)...])
        return PlainAnswer(status: status, fields: HeaderFields(fields), body: body, raw: raw)
    }
}
