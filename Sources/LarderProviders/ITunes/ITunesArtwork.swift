// The sizes of iTunes artwork. The last segment of the URL selects the size.
import LarderCore

enum ITunesArtwork {
    static let large = TextFunction("itunes.large") { resized($0, to: 600) }

    /// The URL of the same picture in a square with that side: ".../100x100bb.jpg" becomes ".../600x600bb.jpg". A URL
    /// is unchanged unless its whole last segment is `{w}x{h}{letters}(-{digits}).(jpg|png|webp)`.
    static func resized(_ url: String, to side: Int) -> String {
        var text = url
        return text.withUTF8 { bytes in
            guard let size = size(in: bytes) else { return url }
            var out = Bytes()
            out.reserveCapacity(bytes.count + 16)
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<size.lowerBound]))
            JSONText.append(plain: String(side), to: &out)
            out.append(0x78)
            JSONText.append(plain: String(side), to: &out)
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[size.upperBound...]))
            return out.lossyText
        }
    }

    /// The range of the two numbers and their "x" in such a URL.
    private static func size(in url: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let slash = url.lastIndex(of: 0x2F) else { return nil }
        let start = slash + 1
        var place = start
        /// Skips the bytes that match. Returns whether there were any.
        func pass(_ matches: (UInt8) -> Bool) -> Bool {
            let start = place
            while place < url.count, matches(url[place]) { place += 1 }
            return place > start
        }
        guard pass(ASCII.isDigit), place < url.count, url[place] == 0x78 else { return nil }
        place += 1
        guard pass(ASCII.isDigit) else { return nil }
        let end = place
        _ = pass(ASCII.isLowercaseLetter)
        if place < url.count, url[place] == 0x2D {
            place += 1
            guard pass(ASCII.isDigit) else { return nil }
        }
        let ending = UnsafeBufferPointer(rebasing: url[place...])
        return endings.contains { ending.elementsEqual($0) } ? start..<end : nil
    }

    private static let endings = [".jpg", ".png", ".webp"].map { Bytes(text: $0) }
}
