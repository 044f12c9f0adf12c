// Recognises a file to be uploaded by its first bytes: the images that `sniffImage` knows, and the kinds of video that
// sites accept. The beginning must suffice here, because the rest has not come yet (WHATWG MIME Sniffing §6.1, §6.2).
import LarderCore

extension MediaType {
    /// The number of bytes that suffice to recognise any kind.
    public static let sniffedPrefix = 64

    /// The type of an image or video that begins with these bytes; nil for anything else.
    public static func sniffMedia(prefix: Bytes) -> String? {
        if let image = sniffImage(prefix) { return image.type }
        func has(_ text: String, at place: Int) -> Bool {
            prefix.dropFirst(place).prefix(text.utf8.count).elementsEqual(text.utf8)
        }
        if prefix.starts(with: [0x49, 0x49, 0x2A, 0x00]) || prefix.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
            return "image/tiff"
        }
        // ISO/IEC 14496-12 §4.3; QuickTime's brand is "qt  ".
        let stills = ["heic", "heix", "hevc", "mif1", "msf1"]
        if has("ftyp", at: 4), stills.contains(where: { has($0, at: 8) }) { return nil }
        if has("ftyp", at: 4) { return has("qt  ", at: 8) ? "video/quicktime" : "video/mp4" }
        if prefix.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            // EBML: the document type is among the first elements (RFC 8794 §11.2.4).
            let text = Bytes(text: "webm")
            let isWebM = prefix.indices.contains { prefix[$0...].starts(with: text) }
            return isWebM ? "video/webm" : "video/x-matroska"
        }
        if has("RIFF", at: 0), has("AVI ", at: 8) { return "video/x-msvideo" }
        return nil
    }
}
