// Generates pictures: complete, decodable and small, so tests of artwork need no picture files. The name in the URL
// chooses the colour and, as on iTunes' image servers, the size and the format.
import LarderCore

enum Pictures {
    /// Returns the path of a picture: the part after "/artwork", or a path in the D&D API's own picture folder. Nil for
    /// other paths.
    static func path(in path: String) -> String? {
        if path.hasPrefix("/artwork/") { return String(path.dropFirst("/artwork".utf8.count)) }
        for prefix in ["/api/images/", "/dnd5e/api/images/"] where path.hasPrefix(prefix) { return path }
        return nil
    }

    /// Returns a JPEG for ".jpg" and ".jpeg", otherwise a PNG. "/artwork/missing…" is answered with 404.
    static func answer(_ path: String) -> OriginAnswer {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !name.hasPrefix("missing") else { return .text(404, "Not Found") }
        let side = size(name) ?? 100
        // All sizes of one picture have the same colour, because the size is not part of the seed.
        let folder = path.dropLast(size(name) == nil ? 0 : name.count)
        let seed = Digest(of: Bytes(text: String(folder))).bytes
        let isJPEG = name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")
        let body = isJPEG ? JPEG.gradient(side: side, seed: seed) : PNG.stripes(side: side, seed: seed)
        return OriginAnswer(
            fields: [
                "Content-Type": isJPEG ? "image/jpeg" : "image/png",
                "Cache-Control": "public, no-transform, max-age=15552000",
                "ETag": "\"\(Digest(of: body).hex.prefix(16))\"", "Access-Control-Allow-Origin": "*",
            ], body: body)
    }

    /// The width in "600x600bb.jpg" in pixels, at most 1000.
    private static func size(_ name: String) -> Int? {
        let parts = name.split(separator: "x", maxSplits: 1)
        guard parts.count == 2, let width = Int(parts[0]), parts[1].first?.isNumber == true else { return nil }
        return min(max(width, 1), 1000)
    }
}

/// A PNG (RFC 2083) with four palette colours, two bits a pixel, and a zlib stream (RFC 1950) of stored blocks.
enum PNG {
    static func stripes(side: Int, seed: Bytes) -> Bytes {
        var header = number(side) + number(side)
        header += [2, 3, 0, 0, 0]
        let palette = Bytes((0..<12).map { seed[$0] / 2 + ($0 < 6 ? 32 : 112) })
        let rowBytes = (side + 3) / 4
        var pixels = Bytes()
        pixels.reserveCapacity((rowBytes + 1) * side)
        for y in 0..<side {
            pixels.append(0)
            var row = Bytes(repeating: 0, count: rowBytes)
            for x in 0..<side {
                let colour = UInt8((x + y) * 8 / max(1, side) & 3)
                row[x / 4] |= colour << UInt8(6 - 2 * (x & 3))
            }
            pixels += row
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("PLTE", palette)
            + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
    }

    private static func number(_ value: Int) -> Bytes {
        let word = UInt32(truncatingIfNeeded: value)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    private static func chunk(_ type: String, _ data: Bytes) -> Bytes {
        let body = Bytes(text: type) + data
        return number(data.count) + body + number(Int(crc(body)))
    }

    /// A zlib stream of stored blocks of at most 65,535 bytes (RFC 1951 §3.2.4), with the Adler-32 of the data.
    private static func stored(_ data: Bytes) -> Bytes {
        var out: Bytes = [0x78, 0x01]
        var start = 0
        repeat {
            let count = min(65_535, data.count - start)
            let length = UInt16(count)
            out.append(start + count == data.count ? 1 : 0)
            for word in [length, ~length] { out += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
            out += data[start..<start + count]
            start += count
        } while start < data.count
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return out + number(Int(high << 16 | low))
    }

    private static let table: [UInt32] = (0..<256).map { value in
        (0..<8).reduce(UInt32(value)) { word, _ in word & 1 == 1 ? 0xEDB8_8320 ^ (word >> 1) : word >> 1 }
    }

    private static func crc(_ bytes: Bytes) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { word, byte in table[Int((word ^ UInt32(byte)) & 0xFF)] ^ (word >> 8) }
    }
}

/// A baseline JPEG (ITU-T T.81): one colour that gets lighter by blocks of eight pixels. Every block has a mean and no
/// detail. So each block is the difference to the previous mean and an end mark.
enum JPEG {
    static func gradient(side: Int, seed: Bytes) -> Bytes {
        let blocks = (side + 7) / 8
        var bits = BitWriter()
        var before: [Int] = [0, 0, 0]
        for y in 0..<blocks {
            for x in 0..<blocks {
                let light = -60 + 120 * (x + y) / max(1, 2 * blocks - 1)
                let means = [light, Int(seed[0]) % 100 - 50, Int(seed[1]) % 100 - 50]
                for component in 0..<3 {
                    write(means[component] - before[component], to: &bits)
                    before[component] = means[component]
                }
            }
        }
        let size = [UInt8(side >> 8), UInt8(side & 0xFF)]
        var out: Bytes = [0xFF, 0xD8]
        out += segment(0xE0, Bytes(text: "JFIF\u{0}") + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        // A quantisation step of eight makes one unit of a block's mean one level of brightness.
        out += segment(0xDB, [0] + Bytes(repeating: 8, count: 64))
        out += segment(0xC0, [8] + size + size + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
        // Nine categories of differences have codes of four bits. For the rest of a block there is only the code for
        // "end", one bit.
        out += segment(0xC4, [0x00, 0, 0, 0, 9] + Bytes(repeating: 0, count: 12) + Bytes(0...8))
        out += segment(0xC4, [0x10, 1] + Bytes(repeating: 0, count: 15) + [0])
        out += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
        return out + bits.finished() + [0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ data: Bytes) -> Bytes {
        let length = data.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + data
    }

    /// Writes a difference as its category and the bits that identify it within the category (T.81 §F.1.2.1), then the
    /// end mark.
    private static func write(_ difference: Int, to bits: inout BitWriter) {
        let category = Int.bitWidth - abs(difference).leadingZeroBitCount
        bits.append(category, 4)
        bits.append(difference >= 0 ? difference : difference + (1 << category) - 1, category)
        bits.append(0, 1)
    }

    private struct BitWriter {
        private var bytes: Bytes = []
        private var word = 0
        private var count = 0

        mutating func append(_ value: Int, _ width: Int) {
            for shift in stride(from: width - 1, through: 0, by: -1) {
                word = word << 1 | (value >> shift & 1)
                count += 1
                if count == 8 { put() }
            }
        }

        private mutating func put() {
            bytes.append(UInt8(word))
            // A byte of ones would start a marker, so a zero byte follows it (T.81 §F.1.2.3).
            if word == 0xFF { bytes.append(0) }
            (word, count) = (0, 0)
        }

        func finished() -> Bytes {
            var writer = self
            while writer.count > 0 { writer.append(1, 1) }
            return writer.bytes
        }
    }
}
