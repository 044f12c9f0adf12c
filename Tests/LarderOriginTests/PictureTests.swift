// The pictures are whole files of their formats, and a name has one of them.
import LarderCore
import LarderHTTP
import LarderOrigin
import Testing

@Suite struct PictureTests {
    @Test func everyCoverIsAWholeFileOfItsFormat() async throws {
        try await withOrigin { server in
            var bodies: Set<Bytes> = []
            for number in 0..<6 {
                for (ending, type) in [("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg")] {
                    let answer = try PlainClient.get(server, "/artwork/host/\(number)/100x100bb.\(ending)")
                    #expect(answer.fields.first("Content-Type") == type)
                    let found = MediaType.sniffImage(answer.body)
                    #expect(found?.type == type && found?.isComplete == true, "\(number) \(ending)")
                    #expect(MediaType.sniffImage(Bytes(answer.body.dropLast(20)))?.isComplete != true)
                    bodies.insert(answer.body)
                }
            }
            #expect(bodies.count == 12, "six covers in two formats")
        }
    }

    @Test func allSizesOfAPictureAreTheSameCover() async throws {
        try await withOrigin { server in
            let body = try PlainClient.get(server, "/artwork/host/7/100x100bb.jpg").body
            #expect(try PlainClient.get(server, "/artwork/host/7/600x600bb.jpg").body == body)
            #expect(try PlainClient.get(server, "/artwork/host/8/100x100bb.jpg").body != body)
        }
    }

    @Test func aMissingPictureIsNotFound() async throws {
        try await withOrigin { server in
            let answer = try PlainClient.get(server, "/artwork/missing-picture.jpg")
            #expect(answer.status == 404)
        }
    }
}
