import LarderCore
import LarderHTTP
import Testing

@Suite struct MultipartFormTests {
    /// A parsed form: its parts with their content, and whether its end was found.
    private struct Form: Equatable {
        var parts: [MultipartPart] = []
        var contents: [Bytes] = []
        var hasEnd = false
    }

    private func read(_ text: Bytes, boundary: String = "xyz", piece: Int = .max) throws(MultipartFault) -> Form {
        var reader = try MultipartFormReader(boundary: boundary)
        var form = Form()
        var rest = text[...]
        while !rest.isEmpty {
            for event in try reader.feed(Bytes(rest.prefix(piece))) {
                switch event {
                case .part(let part):
                    form.parts.append(part)
                    form.contents.append([])
                case .content(let bytes):
                    #expect(!bytes.isEmpty)
                    form.contents[form.contents.count - 1] += bytes
                case .partEnd: #expect(form.parts.count == form.contents.count)
                case .end: form.hasEnd = true
                }
            }
            rest = rest.dropFirst(piece)
        }
        try reader.finish()
        return form
    }

    private static let plain = Bytes(
        text: "--xyz\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA cat\r\n"
            + "--xyz\r\ncontent-disposition: FORM-DATA; name=image; filename=\"c:\\cat \\\"1\\\".png\"\r\n"
            + "Content-Type: image/png\r\nX-Other: 1\r\n\r\n\r\n--xy\r\n-\r\n--xy"
            + "\r\n--xyz--\r\n")

    @Test(arguments: [1, 2, 3, 7, 64, Int.max])
    func partsAreTheSameHoweverTheyCome(_ piece: Int) throws {
        let form = try read(Self.plain, piece: piece)
        #expect(form.hasEnd)
        #expect(
            form.parts == [
                MultipartPart(name: "title"),
                MultipartPart(name: "image", filename: "c:\\cat \"1\".png", contentType: "image/png"),
            ])
        #expect(form.contents.map(\.lossyText) == ["A cat", "\r\n--xy\r\n-\r\n--xy"])
    }

    @Test func preamblePaddingAndEpilogueMeanNothing() throws {
        let text = "before\r\n--xyz \t\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--xyz--behind\r\nall"
        let form = try read(Bytes(text: text))
        #expect(form.contents == [[]])
        #expect(form.hasEnd)
    }

    @Test func contentOfMegabytesPassesUnchanged() throws {
        var content = Bytes()
        for number in 0..<200_000 { content += Bytes(text: "\(number)\r\n--x") }
        let text =
            Bytes(text: "--xyz\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b\"\r\n\r\n") + content
            + Bytes(text: "\r\n--xyz--\r\n")
        let form = try read(text, piece: 65_536)
        #expect(form.contents == [content])
    }

    @Test(
        arguments: [
            ("", MultipartFault.truncated),
            ("--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nabc\r\n--xyz", .truncated),
            ("--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nabc", .truncated),
            ("--xyzz\r\n", .badDelimiter),
            ("--xyz\r\n\r\nabc\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Disposition: form-data; filename=\"a\"\r\n\r\n\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\n\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Type: text/plain\r\n\r\n\r\n--xyz--", .badDisposition),
            ("--xyz\r\nContent-Disposition form-data\r\n\r\n\r\n--xyz--", .badHead),
            ("--xyz\r\n folded: x\r\n\r\n\r\n--xyz--", .badHead),
            (
                "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                    + "\r\n--xyz--", .codedPart
            ),
        ])
    func whatIsNoFormIsRefused(_ text: String, _ fault: MultipartFault) {
        #expect(throws: fault) { try read(Bytes(text: text)) }
        #expect(throws: fault) { try read(Bytes(text: text), piece: 1) }
    }

    @Test func headsPartsAndWhatLiesOutsideAreBounded() {
        let long = String(repeating: "x", count: MultipartFormReader.maxHead)
        let head = "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n"
        #expect(throws: MultipartFault.headTooLarge) { try read(Bytes(text: head + "X: \(long)")) }
        #expect(throws: MultipartFault.headTooLarge) { try read(Bytes(text: head + "X: \(long)\r\n\r\n")) }
        #expect(throws: MultipartFault.badDelimiter) { try read(Bytes(text: long + long)) }
        let many = String(repeating: head + "\r\n\r\n", count: MultipartFormReader.maxParts + 1)
        #expect(throws: MultipartFault.tooManyParts) { try read(Bytes(text: many)) }
        #expect(throws: MultipartFault.tooMuchBehind) { try read(Bytes(text: head + "\r\n\r\n--xyz--" + long + long)) }
    }

    @Test func boundariesAreReadOutOfContentTypesAndChecked() throws {
        #expect(MultipartFormReader.boundary(of: "multipart/form-data; boundary=abc") == "abc")
        #expect(MultipartFormReader.boundary(of: "Multipart/Form-Data; charset=x; Boundary=\"a b\"") == "a b")
        #expect(MultipartFormReader.boundary(of: "multipart/form-data") == nil)
        #expect(MultipartFormReader.boundary(of: "multipart/mixed; boundary=abc") == nil)
        for bad in ["", "a ", "a\"b", String(repeating: "a", count: 71), "ä"] {
            #expect(throws: MultipartFault.badBoundary) { try MultipartFormReader(boundary: bad) }
        }
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let writer = MultipartFormWriter(random: Bytes(repeating: 7, count: 16))
        let content = Bytes(text: "--\(writer.boundary)x\r\n--")
        let text =
            writer.field("title", "Ein \"Bär\"\r\nin zwei Zeilen")
            + writer.fileHead("image", filename: "a\"b\r\nX: y.png", contentType: "image/png") + content
            + MultipartFormWriter.fileEnd + writer.end
        #expect(MultipartFormReader.boundary(of: writer.contentType) == writer.boundary)
        let form = try read(text, boundary: writer.boundary)
        #expect(form.contents == [Bytes(text: "Ein \"Bär\"\r\nin zwei Zeilen"), content])
        #expect(
            form.parts == [
                MultipartPart(name: "title"),
                MultipartPart(name: "image", filename: "a%22b%0D%0AX: y.png", contentType: "image/png"),
            ])
    }

    @Test func filmsAndPicturesAreToldByTheirBeginning() {
        func box(_ brand: String) -> Bytes {
            [0, 0, 0, 0x18] + Bytes(text: "ftyp\(brand)") + Bytes(repeating: 0, count: 12)
        }
        let known: [(Bytes, String?)] = [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0], "image/png"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
            (Bytes(text: "GIF89a…"), "image/gif"), ([0x49, 0x49, 0x2A, 0x00, 8], "image/tiff"),
            (box("isom"), "video/mp4"), (box("qt  "), "video/quicktime"), (box("avif"), "image/avif"),
            (box("heic"), nil), ([0x1A, 0x45, 0xDF, 0xA3] + Bytes(text: "....webm"), "video/webm"),
            (Bytes(text: "RIFF....AVI LIST"), "video/x-msvideo"), (Bytes(text: "RIFF....WEBPVP8 "), "image/webp"),
            (Bytes(text: "<!DOCTYPE html>"), nil), (Bytes(text: "<svg xmlns="), nil), ([], nil),
        ]
        for (bytes, type) in known { #expect(MediaType.sniffMedia(prefix: bytes) == type, "\(bytes)") }
    }
}
