// An API whose certificate only a private authority vouches for (`providers.<name>.ca`).
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite(.enabled(if: access(OpenSSLProgram.path, X_OK) == 0, "the openssl program is not installed"))
struct PrivateAuthorityScenarios {
    /// An origin that is both the API and its image host.
    private static func origin() throws -> TLSOrigin {
        let base = Lock("")
        let origin = try TLSOrigin { request in
            guard request.target.hasPrefix("/search") else {
                let png = ArtworkScenarios.png
                let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(png.count)\r\n\r\n"
                return [.bytes(Bytes(text: head) + png)]
            }
            let song = BasicScenarios.song.replacing(
                "https://is1-ssl.mzstatic.com/image/thumb/a/b/source/100x100bb.jpg",
                with: "\(base.withLock { $0 })/image/100x100bb.png")
            return [.record(ok(song))]
        }
        base.withLock { $0 = origin.base }
        return origin
    }

    private static func settings(_ origin: TLSOrigin, _ further: String = "") -> String {
        "providers: { itunes: { baseURL: \"\(origin.base)\"\(further) } }"
    }

    @Test func theAuthoritiesOfAProviderVouchForItsAPIAndTheImagesOnItsHost() async throws {
        let origin = try Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, ", ca: \"\(origin.certificate)\"")) { larder in
            let answer = try await larder.get("/v1/itunes/search?q=jack").json()
            #expect(answer["state"]?.string == "results", "\(answer)")
            let result = try #require(answer["results"]?.elements.first { _ in true })
            let image = try await larder.get(try #require(result["artwork"]?["small"]?.string))
            #expect(image.status == 200 && image.body == ArtworkScenarios.png, "\(image)")
        }
    }

    @Test func withoutThemTheErrorNamesTheSetting() async throws {
        let origin = try Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { larder in
            let answer = try await larder.get("/v1/itunes/search?q=jack")
            #expect(answer.status == 502 && answer.text.contains("providers.<name>.ca"), "\(answer)")
            #expect(origin.requests.isEmpty)
        }
    }
}
