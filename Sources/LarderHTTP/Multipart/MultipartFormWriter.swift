// Writes a form with a file in it (RFC 7578) around a body that is passed on elsewhere. The text before and after the
// file is a few hundred bytes. The length of the form is therefore known in advance whenever the file's length is.
import LarderCore

/// The parts of one form around its file.
public struct MultipartFormWriter: Sendable, Hashable {
    /// A delimiter that no content contains by chance. It is made of 128 unpredictable bits.
    public let boundary: String

    /// - Parameter random: 16 unpredictable bytes.
    public init(random: Bytes) {
        boundary = "larder-\(Hex.encode(random))"
    }

    /// The value of `Content-Type`.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// A complete text field.
    public func field(_ name: String, _ value: String) -> Bytes {
        Bytes(
            text: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quotable(name))\"\r\n\r\n\(value)\r\n"
        )
    }

    /// The text before a file's bytes.
    public func fileHead(_ name: String, filename: String, contentType: String) -> Bytes {
        Bytes(
            text: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quotable(name))\"; "
                + "filename=\"\(Self.quotable(filename))\"\r\nContent-Type: \(Self.quotable(contentType))\r\n\r\n")
    }

    /// The text after a file's bytes, before another part or the end.
    public static let fileEnd = Bytes(text: "\r\n")

    /// The last delimiter.
    public var end: Bytes { Bytes(text: "--\(boundary)--\r\n") }

    /// Escapes the characters that would end the quotes or the line as a percent sign and digits, as browsers do (RFC
    /// 7578 §2, and §4.2 for file names).
    static func quotable(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: out += "%22".unicodeScalars
            case 0x0D: out += "%0D".unicodeScalars
            case 0x0A: out += "%0A".unicodeScalars
            case 0..<0x20, 0x7F: out += "_".unicodeScalars
            default: out.append(scalar)
            }
        }
        return String(out)
    }
}
