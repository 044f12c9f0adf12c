// What is told of a tape: its exchanges line by line, what is wrong with it, and what no run plays. All of it is made
// from values; `Tape` reads and removes.
import LarderCore
import LarderHTTP

/// One exchange in a listing.
public struct TapeLine: Sendable, Hashable, CustomStringConvertible {
    public var name: TapeName
    public var method: Method
    public var url: String
    public var status: Int
    /// The media type; nil if the answer has none.
    public var type: String?
    /// The size of the body in bytes.
    public var size: Int

    public init(_ recording: TapeRecording) {
        let (request, answer) = (recording.exchange.request, recording.exchange.answer)
        name = recording.name
        method = request.method
        url = request.url.text
        status = answer.status
        type = MediaType.essence(answer.fields.first(.contentType))
        size = answer.body.count
    }

    public var description: String {
        let series = name.series > 1 ? " (\(name.series))" : ""
        return "\(method) \(url)\(series) → \(status) \(type ?? "no type"), \(Units.format(size: Int64(size)))"
    }
}

/// Reports about tapes.
public enum TapeReport {
    /// The recordings that no run has played.
    public static func unused(_ contents: Tape.Contents, played: Set<TapeName>) -> [TapeName] {
        contents.recordings.map(\.name).filter { !played.contains($0) }
    }

    /// All that is wrong with a tape.
    /// - Parameter files: the names in its folder.
    public static func findings(
        _ contents: Tape.Contents, files: [String], rules: TapeRules, secrets: TapeSecrets
    ) -> [TapeFault] {
        contents.torn + unknown(contents, files) + contents.recordings.flatMap { standing($0, secrets) }
            + duplicates(contents.recordings, TapeOmissions(rules: rules, secrets: secrets))
    }

    private static func unknown(_ contents: Tape.Contents, _ files: [String]) -> [TapeFault] {
        var known: Set = [TapeRules.file, Tape.attributes.file, "README.md"]
        for recording in contents.recordings {
            known.formUnion(TapeText.write(recording.exchange, name: recording.name).map(\.file))
        }
        // Which files belong to a torn exchange cannot be told.
        for fault in contents.torn {
            known.formUnion(TapeName(file: fault.file)?.allFiles ?? [fault.file])
        }
        return files.filter { !known.contains($0) }.sorted().map { file in
            let message =
                file.hasPrefix(TapeFolder.unfinished) ? "a recording was cut off here" : "is no file of a tape"
            // A file's name may be anything.
            return TapeFault(.unknown, TapeDifference.shown(file), message)
        }
    }

    /// Where a secret stands that a recording of today would cut, and what looks like one.
    private static func standing(_ recording: TapeRecording, _ secrets: TapeSecrets) -> [TapeFault] {
        let (kept, clean) = (recording.exchange, secrets.cut(recording.exchange))
        var places: [String] = []
        if clean.request.url != kept.request.url { places.append("URL") }
        for (line, other) in zip(kept.request.fields, clean.request.fields) where line.value != other.value {
            places.append("field \(line.name) of the request")
        }
        if clean.request.content != kept.request.content { places.append("content") }
        for (line, other) in zip(kept.answer.fields, clean.answer.fields) where line.value != other.value {
            places.append("field \(line.name) of the answer")
        }
        if clean.answer.body != kept.answer.body { places.append("body") }
        let query = kept.request.url.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let names = TapeFacts.pairs(query.utf8).filter { name, value in
            RequestCredentials.isParameter(name) && !secrets.isSecret(name) && !value.contains(TapeSecrets.word)
        }.map { TapeDifference.shown($0.name) }
        let file = recording.name.file
        return places.map { TapeFault(.secret, file, "a secret stands in the \($0)") }
            + names.map {
                TapeFault(.suspect, file, "the parameter \($0) may be a secret; if it is, add it to \"secrets\"")
            }
    }

    private static func duplicates(_ recordings: [TapeRecording], _ omissions: TapeOmissions) -> [TapeFault] {
        var last: [Digest: TapeRecording] = [:]
        var found: [TapeFault] = []
        for recording in recordings.sorted(by: { ($0.name.series, $0.name) < ($1.name.series, $1.name) }) {
            let (request, answer) = (recording.exchange.request, recording.exchange.answer)
            let digest = TapeFacts(omissions.secrets.cut(request), omissions).digest
            if let before = last[digest], before.exchange.request.fields == request.fields,
                TapeDifference.between(recorded: before.exchange.answer, fresh: answer, omissions).isEmpty
            {
                let message = "answers the same request with the same answer as \(before.name)"
                found.append(TapeFault(.duplicate, recording.name.file, message))
            }
            last[digest] = recording
        }
        return found
    }
}
