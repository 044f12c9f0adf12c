// Media types: the type without its parameters, and the type of an image by its bytes. An image is recognised only by
// its structure from the first byte to the last, so an HTML error page or half an image is never stored as one. SVG is
// refused, because it is a document with scripts (WHATWG MIME Sniffing §6.1 lists the same formats).
import LarderCore

/// Reads `Content-Type` and recognises images.
public enum MediaType {
    /// "type/subtype" in lower case, without parameters; nil if the text is not a media type (RFC 9110 §8.3.1).
    public static func essence(_ contentType: String?) -> String? {
        guard let contentType, let first = contentType.split(separator: ";", omittingEmptySubsequences: false).first
        else { return nil }
        let essence = FieldList.lowercased(ASCII.trimmed(first))
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }) else {
            return nil
        }
        return essence
    }

    /// The image type of the bytes, and whether they are complete: a PNG up to IEND, a JPEG up to its end marker, a GIF
    /// up to its trailer, a WebP as long as its header says, an AVIF whose boxes end where the bytes do. Bytes after
    /// the end do no harm. Nil for anything else, SVG included.
    public static func sniffImage(_ body: Bytes) -> (type: String, isComplete: Bool)? {
        var check = ImageCheck()
        check.add(body)
        return check.type.map { ($0, check.isComplete) }
    }
}
