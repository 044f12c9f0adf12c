// Images by their structure: the smallest complete ones, every truncation of them, and files that only resemble images.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsMediaTypeTests {
    static func chunk(_ name: String, _ data: Bytes) -> Bytes {
        [0, 0, 0, UInt8(data.count)] + Bytes(text: name) + data + [1, 2, 3, 4]
    }

    static let png: Bytes =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]) + chunk("tEXt", Bytes(text: "IEND"))
        + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])

    static let jpeg: Bytes =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0xFF, 0xD9]  // a segment that holds an end mark
        + [0xFF, 0xFF, 0xC0, 0, 5, 8, 0, 1] + [0xFF, 0xDA, 0, 3, 1] + [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]
        + [0xFF, 0xC4, 0, 2] + [0xFF, 0xDA, 0, 2, 9, 9] + [0xFF, 0xD9]

    static let gif: Bytes =
        Bytes(text: "GIF89a") + [1, 0, 1, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        + [0x21, 0xF9, 4, 0, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0] + [0x3B]

    static let webp: Bytes =
        Bytes(text: "RIFF") + [18, 0, 0, 0] + Bytes(text: "WEBPVP8L") + [6, 0, 0, 0, 1, 2, 3, 4, 5, 6]

    static let avif: Bytes =
        [0, 0, 0, 20] + Bytes(text: "ftypmif1") + [0, 0, 0, 0] + Bytes(text: "avif") + [0, 0, 0, 12]
        + Bytes(text: "meta") + [0, 0, 0, 0] + [0, 0, 0, 10] + Bytes(text: "mdat") + [1, 2]

    static let images: [(String, Bytes)] = [
        ("image/png", png), ("image/jpeg", jpeg), ("image/gif", gif), ("image/webp", webp), ("image/avif", avif),
    ]

    @Test(arguments: images)
    func wholeImageIsKnownAndWhole(_ type: String, _ body: Bytes) throws {
        let image = try #require(MediaType.sniffImage(body))
        #expect(image.type == type)
        #expect(image.isComplete)
    }

    @Test(arguments: images)
    func everyCutOfAnImageIsIncomplete(_ type: String, _ body: Bytes) {
        for length in 0..<body.count {
            let image = MediaType.sniffImage(Bytes(body[..<length]))
            #expect(image?.isComplete != true, "\(type) cut to \(length) of \(body.count)")
        }
    }

    @Test(arguments: images, 1...7)
    func anImageIsKnownAndWholeInWhateverPiecesItComes(_ image: (type: String, body: Bytes), _ size: Int) {
        var check = ImageCheck()
        for start in stride(from: 0, to: image.body.count, by: size) {
            #expect(!check.isComplete && !check.isHopeless, "\(image.type) after \(start) bytes")
            check.add(Bytes(image.body[start..<min(start + size, image.body.count)]))
        }
        #expect(check.isDecided)
        #expect(check.type == image.type)
        #expect(check.isComplete)
    }

    @Test func onlyBytesThatMayBecomeAnImageLeaveHope() {
        for (text, isHopeless) in [("<htm", false), ("<html><body>none", true), ("RIFF....WAVEfmt ", true)] {
            var check = ImageCheck()
            check.add(Bytes(text: text))
            #expect(check.isHopeless == isHopeless, "\(text)")
        }
        var damaged = ImageCheck()
        damaged.add([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 3])
        #expect(damaged.type == "image/jpeg" && damaged.isHopeless)
    }

    @Test(arguments: [1, 21, 64])
    func aBrandThatReachesBeyondItsBoxDoesNotCount(_ size: Int) {
        // The box has 21 bytes: one byte of `avif` lies in it, three lie behind it.
        let body =
            [0, 0, 0, 21] + Bytes(text: "ftypmif1") + Bytes(repeating: 0, count: 8) + Bytes(text: "avif....meta")
        var check = ImageCheck()
        for start in stride(from: 0, to: body.count, by: size) {
            check.add(Bytes(body[start..<min(start + size, body.count)]))
        }
        #expect(check.type == nil && check.isDecided)
    }

    @Test(arguments: images.filter { $0.0 != "image/avif" })
    func bytesBehindTheEndDoNoHarm(_ type: String, _ body: Bytes) throws {
        #expect(try #require(MediaType.sniffImage(body + [0, 1, 2])).isComplete)
    }

    @Test(arguments: [
        "", "<html>", "<!DOCTYPE html><title>404</title>", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "{\"a\":1}",
        "GIF88a......", "RIFF....WAVE", "%PDF-1.7", "....ftypheic....", "\u{89}PNG",
    ])
    func otherBytesAreNoImage(_ text: String) {
        #expect(MediaType.sniffImage(Bytes(text: text)) == nil)
    }

    @Test func headWithoutPictureIsIncomplete() throws {
        let empty = Array(Self.png[..<33]) + Self.chunk("IEND", [])
        #expect(try #require(MediaType.sniffImage(empty)).isComplete == false)
        #expect(try #require(MediaType.sniffImage([0xFF, 0xD8, 0xFF, 0xD9])).isComplete == false)
        #expect(
            try #require(MediaType.sniffImage(Bytes(text: "GIF89a") + [1, 0, 1, 0, 0, 0, 0, 0x3B])).isComplete == false)
    }

    @Test(arguments: [(0, 1), (1, 0), (1 << 31, 1), (1, 1 << 31)] as [(UInt32, UInt32)])
    func aSizeThatThePNGStandardForbidsIsNoImage(_ width: UInt32, _ height: UInt32) throws {
        let size = [width, height].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        let body = Self.png[..<16] + size + Self.png[24...]
        #expect(try #require(MediaType.sniffImage(Bytes(body))).isComplete == false)
    }

    /// For any bytes after a known beginning, the parser stays within the bytes and ends.
    @Test func damagedImagesAreWalkedSafely() {
        for (_, body) in Self.images {
            for _ in 0..<2000 {
                var damaged = body
                for _ in 0..<Int.random(in: 1...4) {
                    damaged[Int.random(in: 0..<damaged.count)] = UInt8.random(in: 0...255)
                }
                _ = MediaType.sniffImage(damaged)
            }
        }
    }

    @Test(
        arguments: [
            ("text/html; charset=utf-8", "text/html"), (" Application/JSON ", "application/json"),
            ("image/png;", "image/png"),
            ("text", nil), ("", nil), ("a/b/c", nil), ("a/", nil), ("a b/c", nil),
        ] as [(String, String?)])
    func essenceIsTypeAndSubtype(_ text: String, _ essence: String?) {
        #expect(MediaType.essence(text) == essence)
        #expect(MediaType.essence(nil) == nil)
    }
}
