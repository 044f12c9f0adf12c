// Shared by the scenarios of uploads: a stand-in for Imgur, a daemon's configuration for it, files of any length, and a
// client that sends one part after the other.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

/// A stand-in that accepts uploads.
struct UploadStand: Sendable {
    let origin: OriginServer
    static let route = "/imgur/3/image"
    static let token = "let-me-in"
    static let signed = ("Authorization", "Bearer \(token)")

    init() throws {
        origin = try OriginServer(source: .samples)
        try origin.start()
    }

    func configuration(_ more: String = "", imgur: String = "") -> String {
        // A test may keep a client waiting inside its body. The default limit would end such an upload on a busy
        // machine.
        """
        \(more.contains("server:") ? "" : "server: { headTimeout: 120s }")
        admin: { token: \(Self.token) }
        providers: { imgur: { baseURL: "\(origin.baseURL(for: "imgur"))", key: c11e47\(imgur) } }
        \(more)
        """
    }

    /// Bytes that begin like a film's and differ at any two places.
    static func film(_ count: Int) -> Bytes {
        var bytes: Bytes = [0, 0, 0, 0x18] + Bytes(text: "ftypisom") + Bytes(repeating: 0, count: 12)
        bytes.reserveCapacity(count + 8)
        var number: UInt64 = 0
        while bytes.count < count {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            number += 1
        }
        return Bytes(bytes.prefix(count))
    }

    static func picture(_ count: Int = 2000) -> Bytes {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + film(count).dropFirst(8)
    }

    /// The names of the files in the daemon's directories.
    static func files(of larder: RunningLarder) -> [String] {
        ["cache", "state"].flatMap { TemporaryDirectory.entries(of: "\(larder.directory.path)/\($0)") }
    }

    static func head(
        _ method: String, _ target: String, length: Int?, type: String = "video/mp4", _ more: String = ""
    ) -> String {
        let framing = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        return
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: \(type)\r\n\(framing)\r\n\(more)\r\n"
    }
}

extension RunningLarder {
    /// Begins an upload in two steps and returns its id.
    func newUpload(_ query: String = "") async throws -> String {
        let made = try await send("POST", "/v1/imgur/images\(query)", fields: [UploadStand.signed])
        try #require(made.status == 201, "\(made)")
        let id = try #require(try made.json()["id"]?.string)
        try #require(made["Location"] == "/v1/uploads/\(id)")
        return id
    }

    func upload(_ id: String) async throws -> JSONValue {
        let answer = try await get("/v1/uploads/\(id)", UploadStand.signed)
        try #require(answer.status == 200, "\(answer)")
        return try answer.json()
    }

    func state(_ id: String) async throws -> String { try await upload(id)["state"]?.string ?? "" }

    /// Sends a command, such as "pause" or "resume".
    func command(_ id: String, _ word: String) async throws -> WireResponse {
        try await send("POST", "/v1/uploads/\(id)/\(word)", fields: [UploadStand.signed])
    }

    func cancel(_ id: String) async throws -> WireResponse {
        try await send("DELETE", "/v1/uploads/\(id)", fields: [UploadStand.signed])
    }

    /// Sends the content: the first part, and the rest once the gate is open. Returns nil if the connection ends
    /// without an answer.
    func put(
        _ id: String, _ content: Bytes, first: Int = .max, then gate: Gate? = nil
    ) async throws -> WireResponse? {
        try await talk { client in
            try client.send(UploadStand.head("PUT", "/v1/uploads/\(id)/content", length: content.count))
            do {
                try client.send(Bytes(content.prefix(first)))
                gate?.wait()
                try client.send(Bytes(content.dropFirst(first)))
            } catch {
                // The daemon answered and closed before it had everything.
            }
            return try? client.receive()
        }
    }

    /// Sends the beginning of the content and waits for the answer without sending the rest. A content that was sent
    /// whole might all be on its way, because the buffers of two sockets hold megabytes.
    func putBeginning(_ id: String, _ content: Bytes, _ count: Int) async throws -> WireResponse {
        try await talk { client in
            try client.send(UploadStand.head("PUT", "/v1/uploads/\(id)/content", length: content.count))
            try client.send(Bytes(content.prefix(count)))
            return try client.receive()
        }
    }

    /// Uploads a file in one step.
    func post(_ content: Bytes, type: String, _ query: String = "") async throws -> WireResponse {
        try await talk { client in
            try client.send(
                UploadStand.head("POST", "/v1/imgur/images\(query)", length: content.count, type: type))
            // The daemon may answer and close before it has everything.
            try? client.send(content)
            return try client.receive()
        }
    }
}
