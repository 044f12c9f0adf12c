// Names of exchanges in a tape: host, words of the path, eight digits of the digest of what is matched, and a number in
// the series of equal requests. So a listing sorts by host and path, and recording in another order gives the same
// names. A name has lower-case letters, digits, "-" and single dots: nothing in it leaves the folder.
import LarderCore
import LarderHTTP

/// The name of an exchange, without the endings of its files.
public struct TapeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name without the number in the series.
    public let stem: String
    /// Counted from 1. The same request recorded again has the next number.
    public let series: Int

    static let ending = ".http"

    init(stem: String, series: Int = 1) {
        self.stem = stem
        self.series = series
    }

    init(request: TapeRequest, digest: Digest) {
        let path = request.url.target.prefix { $0 != "?" }
        let words = [Self.words(request.url.authority, keepsDots: true), Self.words(path, keepsDots: false)]
        self.init(stem: (words + ["\(digest.hex.prefix(8))"]).filter { !$0.isEmpty }.joined(separator: "-"))
    }

    /// The exchange whose text this file is; nil for other files. No other spelling is read than the one written.
    public init?(file: String) {
        guard let name = file.dropLast(Self.ending.count).split(separator: "-").last, let series = Int(name), series > 0
        else { return nil }
        self.init(stem: String(file.dropLast(Self.ending.count + name.count + 1)), series: series)
        let bytes = stem.utf8
        guard self.file == file, bytes.count <= 160, bytes.first != 0x2E, !stem.contains(".."),
            bytes.allSatisfy({ Self.isKept($0) || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
    }

    /// Reads a name as it is printed, or that of its file.
    public init?(_ text: String) {
        self.init(file: text.hasSuffix(Self.ending) ? text : text + Self.ending)
    }

    /// The name as it is written. Two digits sort well for as long as most series are.
    public var description: String { "\(stem)-\(series < 10 ? "0" : "")\(series)" }
    /// The file of the exchange.
    public var file: String { "\(self)\(Self.ending)" }
    /// The file of a body that does not stand in the text.
    func file(_ part: TapePart) -> String { "\(self).\(part)" }
    var allFiles: [String] { [file, file(.content), file(.body)] }

    public static func < (left: TapeName, right: TapeName) -> Bool {
        (left.stem, left.series) < (right.stem, right.series)
    }

    private static func isKept(_ byte: UInt8) -> Bool { ASCII.isLowercaseLetter(byte) || ASCII.isDigit(byte) }

    /// Runs of letters and digits, joined by "-"; a single dot between two runs may be kept. At most 60 bytes, so that
    /// a name stays below the 255 that a file system allows (NAME_MAX).
    private static func words(_ text: some StringProtocol, keepsDots: Bool) -> String {
        var out = Bytes()
        var gap: UInt8?
        for byte in text.utf8.map(ASCII.lowercased) where out.count < 60 {
            guard isKept(byte) else {
                gap = keepsDots && gap == nil && byte == 0x2E ? 0x2E : 0x2D
                continue
            }
            if let gap, !out.isEmpty { out.append(gap) }
            gap = nil
            out.append(byte)
        }
        return out.lossyText
    }
}

/// The two byte sequences of an exchange that may lie beside its text.
enum TapePart: String, Sendable {
    case content, body
}
