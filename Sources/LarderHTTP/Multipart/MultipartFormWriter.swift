// A form with a file in it (RFC 7578), written around a body that somebody else passes on: what stands before the file and
// behind it is a few hundred bytes, so the whole length is known beforehand wherever the file's is.
import LarderCore

/// The frame of one form.
public struct MultipartFormWriter: Sendable, Hashable {
    /// What no content holds by chance: it is made of 128 bits that nobody knows before.
    public let boundary: String

    /// - Parameter random: 16 bytes that no one can guess.
    public init(random: Bytes) {
        boundary = "larder-\(Hex.encode(random))"
    }

    /// The value of `Content-Type`.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// A whole field of text.
    public func field(_ name: String, _ value: String) -> Bytes {
        Bytes(
            text: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quotable(name))\"\r\n\r\n\(value)\r\n"
        )
    }

    /// What stands before a file's bytes.
    public func fileHead(_ name: String, filename: String, contentType: String) -> Bytes {
        Bytes(
            text: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quotable(name))\"; "
                + "filename=\"\(Self.quotable(filename))\"\r\nContent-Type: \(Self.quotable(contentType))\r\n\r\n")
    }

    /// What stands behind a file's bytes, before another part or the end.
    public static let fileEnd = Bytes(text: "\r\n")

    /// The last delimiter.
    public var end: Bytes { Bytes(text: "--\(boundary)--\r\n") }

    /// Signs that would end the quotes or the line, as percent signs and digits: what browsers write (RFC 7578 §2, and §4.2
    /// for file names).
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
