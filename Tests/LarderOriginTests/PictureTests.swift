// The pictures are whole files of their formats. Independent code verifies every length, checksum and marker here.
import LarderCore
import LarderHTTP
import LarderOrigin
import Testing

@Suite struct PictureTests {
    private func word(_ bytes: Bytes, _ at: Int) -> Int {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(arguments: [1, 2, 7, 100, 600, 5000])
    func aPNGHasItsChunksSumsAndPixels(_ side: Int) async throws {
        try await withOrigin { server in
            let answer = try PlainClient.get(server, "/artwork/host/\(side)x\(side)bb.png")
            #expect(answer.fields.first("Content-Type") == "image/png")
            let body = answer.body
            #expect(body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            var place = 8
            var types: [String] = []
            var data = Bytes()
            var size = 0
            while place < body.count {
                let length = word(body, place)
                let type = Bytes(body[place + 4..<place + 8]).lossyText
                types.append(type)
                let content = Bytes(body[place + 4..<place + 8 + length])
                #expect(crc(content) == UInt32(word(body, place + 8 + length)))
                if type == "IHDR" { size = word(body, place + 8) }
                if type == "IDAT" { data = Bytes(content.dropFirst(4)) }
                place += 12 + length
            }
            #expect(types == ["IHDR", "PLTE", "IDAT", "IEND"])
            #expect(size == min(side, 1000))
            let pixels = try inflateStored(data)
            #expect(pixels.count == size * (size + 1))
        }
    }

    @Test func aJPEGBeginsAndEndsAsOne() async throws {
        try await withOrigin { server in
            let body = try PlainClient.get(server, "/artwork/host/100x100bb.jpg").body
            #expect(body.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]))
            #expect(body.suffix(2).elementsEqual([0xFF, 0xD9]))
            // Each segment leads to the next, up to the scan.
            var place = 2
            var markers: [UInt8] = []
            while body[place + 1] != 0xDA {
                #expect(body[place] == 0xFF)
                markers.append(body[place + 1])
                place += 2 + Int(body[place + 2]) << 8 + Int(body[place + 3])
            }
            #expect(markers == [0xE0, 0xDB, 0xC0, 0xC4, 0xC4])
            #expect(MediaType.sniffImage(body)?.type == "image/jpeg")
            #expect(MediaType.sniffImage(body)?.isComplete == true)
            let png = try PlainClient.get(server, "/artwork/host/100x100bb.png").body
            #expect(MediaType.sniffImage(png)?.type == "image/png")
            #expect(MediaType.sniffImage(png)?.isComplete == true)
            #expect(MediaType.sniffImage(Bytes(png.dropLast(20)))?.isComplete != true)
            let small = try PlainClient.get(server, "/artwork/host/60x60bb.jpg").body
            #expect(small.count < body.count)
            #expect(try PlainClient.get(server, "/artwork/missing-picture.jpg").status == 404)
        }
    }

    private func crc(_ bytes: Bytes) -> UInt32 {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private func inflateStored(_ data: Bytes) throws -> Bytes {
        #expect((Int(data[0]) << 8 | Int(data[1])) % 31 == 0)
        var out = Bytes()
        var place = 2
        var isLast = false
        while !isLast {
            isLast = data[place] == 1
            let length = Int(data[place + 1]) | Int(data[place + 2]) << 8
            #expect(~(Int(data[place + 3]) | Int(data[place + 4]) << 8) & 0xFFFF == length)
            out += data[place + 5..<place + 5 + length]
            place += 5 + length
        }
        #expect(place + 4 == data.count)
        return out
    }
}
