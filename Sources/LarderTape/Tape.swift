// The folder of a tape: the only type of this room that acts. Reading has bounds, and a file that is wrong is named and
// left out. Writing makes whole files under new names, so several processes may record into one tape.
import LarderCore
import LarderHTTP
import LarderIO

/// A tape in its folder.
public struct Tape: Sendable {
    public let path: String
    public let rules: TapeRules
    public let secrets: TapeSecrets
    public let limits: TapeLimits

    /// Git would change line ends in texts whose bytes count.
    static let attributes = (file: ".gitattributes", text: "* -text\n")

    /// Opens a tape and reads its rules. The folder need not be there before the first recording.
    /// - Parameter literals: configured keys and other secrets that are cut wherever they stand.
    public init(path: String, literals: [String] = [], limits: TapeLimits = TapeLimits()) throws(TapeFault) {
        self.path = path
        self.limits = limits
        var rules = TapeRules()
        if let folder = try TapeFolder(path), let text = try folder.read(TapeRules.file, limit: 1 << 20) {
            rules = try TapeRules(reading: text)
        }
        self.rules = rules
        secrets = TapeSecrets(names: rules.secrets, literals: literals)
    }

    /// What a tape holds.
    public struct Contents: Sendable {
        /// In the order of their names.
        public var recordings: [TapeRecording] = []
        /// Files of exchanges that are torn or cannot be read. They are never replayed.
        public var torn: [TapeFault] = []

        public init(recordings: [TapeRecording] = []) { self.recordings = recordings }
    }

    /// Reads all exchanges. A folder that does not exist is an empty tape.
    /// - Throws: `tooLarge` or `system`.
    public func load() throws(TapeFault) -> Contents {
        var contents = Contents()
        guard let folder = try TapeFolder(path) else { return contents }
        let found = try files().compactMap(TapeName.init(file:)).sorted()
        guard found.count <= limits.exchanges else {
            throw TapeFault(.tooLarge, path, "the tape has more than \(limits.exchanges) exchanges")
        }
        var room = limits.total
        for name in found {
            do throws(TapeFault) {
                guard let exchange = try read(folder, name, &room) else { continue }
                contents.recordings.append(TapeRecording(name: name, exchange: exchange))
            } catch {
                contents.torn.append(error)
            }
            guard room >= 0 else {
                let most = Units.format(size: Int64(limits.total))
                throw TapeFault(.tooLarge, path, "the exchanges of the tape are larger than \(most)")
            }
        }
        return contents
    }

    /// Reads all exchanges for a replay.
    /// - Throws: also if one cannot be read, or if there are none.
    public func recordings() throws(TapeFault) -> [TapeRecording] {
        let contents = try load()
        if let torn = contents.torn.first { throw torn }
        guard !contents.recordings.isEmpty else { throw TapeFault(.system, path, "there is no tape, or it is empty") }
        return contents.recordings
    }

    private func read(_ folder: borrowing TapeFolder, _ name: TapeName, _ room: inout Int) throws(TapeFault)
        -> TapeExchange?
    {
        // Two short bodies may stand in a text besides the fields.
        guard let text = try folder.read(name.file, limit: 2 * TapeText.longest + (1 << 20)) else { return nil }
        room -= text.count
        return try TapeTextReader.read(text, name: name) { part throws(TapeFault) in
            let bytes = try folder.read(name.file(part), limit: limits.body)
            room -= bytes?.count ?? 0
            return bytes
        }
    }

    /// The names of all files in the folder.
    public func files() throws(TapeFault) -> [String] {
        do {
            return try TapeFolder(path) == nil ? [] : Folder.names(path)
        } catch {
            throw error as? TapeFault ?? TapeFault(.system, path, "\(error)")
        }
    }

    /// What became of an exchange.
    public enum Outcome: Sendable, Hashable {
        /// As it was written, without its secrets.
        case recorded(TapeRecording)
        /// The status is 5xx or 429, and the rules do not keep errors.
        case error(Int)
        /// A body is longer than the limit.
        case tooLong(limit: Int)
        /// A body is damaged, or has a coding in which no secret can be found.
        case coded(ContentCodingError)
    }

    /// Writes an exchange without its secrets. The same request again gets the next number of its series.
    public func record(_ exchange: TapeExchange) throws(TapeFault) -> Outcome {
        let status = exchange.answer.status
        if status >= 500 || status == 429, !rules.keepsErrors { return .error(status) }
        guard max(exchange.request.content.count, exchange.answer.body.count) <= limits.body else {
            return .tooLong(limit: limits.body)
        }
        let cut: TapeExchange
        do throws(ContentCodingError) {
            cut = try exchange.kept(secrets, limit: limits.body)
        } catch {
            return error == .tooLarge ? .tooLong(limit: limits.body) : .coded(error)
        }
        let method = cut.request.method.name
        guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken), (100...999).contains(status) else {
            throw TapeFault(.invalid, path, "a method or status that HTTP does not have")
        }
        let omissions = TapeOmissions(rules: rules, secrets: secrets)
        var facts = TapeFacts(cut.request, omissions)
        // Answers that vary are recordings of different requests.
        facts.add(cut.request.fields, named: cut.selectingFields, omissions)
        let first = TapeName(request: cut.request, digest: facts.digest)
        guard let folder = try TapeFolder(path, creates: true) else {
            throw TapeFault(.system, path, "the folder cannot be made")
        }
        _ = try folder.create(TapeRules.file, TapeRules.text(host: cut.request.url.authority))
        _ = try folder.create(Self.attributes.file, Bytes(text: Self.attributes.text))
        return .recorded(TapeRecording(name: try Self.write(cut, first, folder), exchange: cut))
    }

    /// Writes the files of an exchange under the first free name of its series. The text comes last: an exchange is
    /// there as soon as its text is.
    private static func write(_ exchange: TapeExchange, _ first: TapeName, _ folder: borrowing TapeFolder)
        throws(TapeFault) -> TapeName
    {
        for series in 1...Int(UInt16.max) {
            let name = TapeName(stem: first.stem, series: series)
            var made: [String] = []
            var isFree = true
            do throws(TapeFault) {
                for (file, bytes) in TapeText.write(exchange, name: name) where isFree {
                    isFree = try folder.create(file, bytes)
                    if isFree { made.append(file) }
                }
            } catch {
                made.forEach { folder.remove($0) }
                throw error
            }
            if isFree { return name }
            made.forEach { folder.remove($0) }
        }
        throw TapeFault(.tooLarge, first.stem, "the series of this request is too long")
    }

    /// Removes exchanges, such as those that no run plays, or all before a tape is recorded anew.
    public func remove(_ names: some Sequence<TapeName>) throws(TapeFault) {
        guard let folder = try TapeFolder(path) else { return }
        for name in names { name.allFiles.forEach { folder.remove($0) } }
    }
}
