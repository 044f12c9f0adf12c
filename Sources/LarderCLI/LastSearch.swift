// The URLs of the results that a person saw last, for `larder open`: a file of one URL a line, for this user only.
import Glibc
import LarderCore

struct LastSearch {
    /// The longest file that is read, in bytes.
    private static let longest = 4 << 20
    private let file: UserFile

    /// Nil without a home.
    init?(_ environment: [String: String]) {
        guard let file = UserFile("larder-last-search", environment) else { return nil }
        self.file = file
    }

    /// - Parameter urls: in the order of the table; empty for a result without one. A failure to write is no failure of
    ///   the search.
    func keep(_ urls: [String]) {
        let lines = urls.map { Hyperlink.isSafe($0) ? $0 : "" }
        file.write(Bytes(text: lines.joined(separator: "\n") + "\n"))
    }

    /// The URL of a result, counted from 1; empty if the result has none. Nil if there is no such result.
    func url(_ number: Int) throws(CommandFailure) -> String? {
        guard access(file.path, R_OK) == 0 else { return nil }
        let lines = try InputFile.read(file.path, limit: Self.longest).lossyText.split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        return lines.indices.contains(number - 1) ? String(lines[number - 1]) : nil
    }
}
