// Generates pictures: complete, decodable and small, so tests of artwork need no picture files. The name in the URL
// chooses the cover and, as on iTunes' image servers, the size and the format.
import Glibc
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
        // All sizes of one picture show the same cover, because the size is not part of the seed.
        let folder = path.dropLast(size(name) == nil ? 0 : name.count)
        let seed = Digest(of: Bytes(text: String(folder))).bytes
        let isJPEG = name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")
        let cover = Cover(seed: seed, side: side)
        let body = isJPEG ? JPEG.encoded(cover, side: side) : PNG.encoded(cover, side: side)
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

/// A PNG (RFC 2083) with a palette, one byte a pixel, and a zlib stream (RFC 1950) of stored blocks.
enum PNG {
    static func encoded(_ cover: Cover, side: Int) -> Bytes {
        var header = number(side) + number(side)
        header += [8, 3, 0, 0, 0]
        let palette = cover.palette.flatMap { $0.map { UInt8($0) } }
        var pixels = Bytes()
        pixels.reserveCapacity((side + 1) * side)
        for y in 0..<side {
            pixels.append(0)
            for x in 0..<side { pixels.append(UInt8(cover.colour(x, y))) }
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

/// A baseline JPEG (ITU-T T.81) without subsampling. One table of codes serves all components: "end of block" has one
/// bit, and all other symbols have nine.
enum JPEG {
    /// The quantisation step. A step of eight makes one unit of a block's mean one level of brightness.
    private static let step = 8

    static func encoded(_ cover: Cover, side: Int) -> Bytes {
        let planes = (0..<3).map { part in cover.palette.map { component(part, $0) } }
        var bits = BitWriter()
        var before = [0, 0, 0]
        for top in stride(from: 0, to: side, by: 8) {
            for left in stride(from: 0, to: side, by: 8) {
                // What a block has beyond the edge repeats the edge.
                let colours = (0..<64).map { cover.colour(min(left + $0 % 8, side - 1), min(top + $0 / 8, side - 1)) }
                let isFlat = colours.allSatisfy { $0 == colours[0] }
                for part in 0..<3 {
                    let plane = planes[part]
                    let block =
                        isFlat ? [Int(plane[colours[0]].rounded())] : transformed(colours.map { plane[$0] })
                    write(block[0] - before[part], code: (0, 4), to: &bits)
                    before[part] = block[0]
                    writeDetail(of: block, to: &bits)
                }
            }
        }
        let size = [UInt8(side >> 8), UInt8(side & 0xFF)]
        var out: Bytes = [0xFF, 0xD8]
        out += segment(0xE0, Bytes(text: "JFIF\u{0}") + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        out += segment(0xDB, [0] + Bytes(repeating: UInt8(step), count: 64))
        out += segment(0xC0, [8] + size + size + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
        // Ten categories of differences have codes of four bits.
        out += segment(0xC4, [0x00, 0, 0, 0, 10] + Bytes(repeating: 0, count: 12) + Bytes(0...9))
        let symbols: Bytes = [0, 0xF0] + (0..<160).map { (code: UInt8) in (code / 10) << 4 | (code % 10 + 1) }
        out += segment(0xC4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 161] + Bytes(repeating: 0, count: 7) + symbols)
        out += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
        return out + bits.finished() + [0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ data: Bytes) -> Bytes {
        let length = data.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + data
    }

    /// Y, Cb or Cr of a colour, around zero (JFIF §7).
    private static func component(_ part: Int, _ colour: [Int]) -> Double {
        let weights = [[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]][part]
        return zip(weights, colour).reduce(part == 0 ? -128 : 0) { $0 + $1.0 * Double($1.1) }
    }

    /// The cosine of each frequency at each of eight places (T.81 §A.3.3).
    private static let cosines: [[Double]] = (0..<8).map { frequency in
        (0..<8).map { place in
            let angle = Double((2 * place + 1) * frequency) * Double.pi / 16
            return cos(angle) * (frequency == 0 ? 0.125.squareRoot() : 0.5)
        }
    }

    /// The place of each coefficient in the order of the stream (T.81 §A.3.6).
    private static let zigzag: [Int] = (0..<15).flatMap { (sum: Int) -> [Int] in
        let places = (max(0, sum - 7)...min(sum, 7)).map { row in row * 8 + sum - row }
        return sum % 2 == 0 ? places.reversed() : places
    }

    /// The quantised coefficients of a block of 64 values, in the order of the stream.
    private static func transformed(_ values: [Double]) -> [Int] {
        let whole = rowsTransformed(rowsTransformed(values))
        return zigzag.map { Int((whole[$0] / Double(step)).rounded()) }
    }

    /// Transforms each row into its frequencies, as a column.
    private static func rowsTransformed(_ values: [Double]) -> [Double] {
        var out = values
        for place in 0..<64 {
            let (row, cosines) = (place % 8 * 8, cosines[place / 8])
            out[place] = (0..<8).reduce(0) { $0 + values[row + $1] * cosines[$1] }
        }
        return out
    }

    /// Writes the coefficients after the first, each with the number of zeros before it, and the end mark.
    private static func writeDetail(of block: [Int], to bits: inout BitWriter) {
        var zeros = 0
        for value in block.dropFirst() {
            guard value != 0 else {
                zeros += 1
                continue
            }
            for _ in 0..<zeros / 16 { bits.append(256, 9) }
            write(value, code: (257 + zeros % 16 * 10 - 1, 9), to: &bits)
            zeros = 0
        }
        // A block whose last coefficient is not zero has no end mark.
        if block.count == 1 || zeros > 0 { bits.append(0, 1) }
    }

    /// Writes a number as its category and the bits that identify it within the category (T.81 §F.1.2.1).
    /// - Parameter code: the code of category 0, and the length of the codes.
    private static func write(_ value: Int, code: (first: Int, length: Int), to bits: inout BitWriter) {
        let category = Int.bitWidth - abs(value).leadingZeroBitCount
        bits.append(code.first + category, code.length)
        bits.append(value >= 0 ? value : value + (1 << category) - 1, category)
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
