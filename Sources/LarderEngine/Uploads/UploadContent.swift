// The bytes of one file on their way from a client to the API. They are taken out of a form or as they are, checked by
// their first bytes, counted, and held back while the upload is paused. No step holds more than a piece or two.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

/// The body of a request that brings content.
public enum UploadSource: Sendable {
    /// The file's bytes, and their number if it is known.
    case file(any BodyReader, length: Int64?)
    case form(any BodyReader, boundary: String)

    /// The reader of the whole body, including the form.
    public var reader: any BodyReader {
        switch self {
        case .file(let reader, _), .form(let reader, _): reader
        }
    }
}

/// The file in a form, and the fields around it. Like every reader it has one caller at a time.
final class FormFile: BodyReader {
    private struct State {
        var form: MultipartFormReader
        var waiting: [MultipartFormReader.Event] = []
        var fields: UploadFields
        var fault: ClientFacingError?
        /// The text field being read.
        var field: (name: String, value: Bytes)?
        var isInFile = false
        var hadFile = false
    }
    private let base: any BodyReader
    private let state: Lock<State>

    init(_ base: any BodyReader, boundary: String, of format: any UploadFormat) throws(MultipartFault) {
        self.base = base
        state = Lock(State(form: try MultipartFormReader(boundary: boundary), fields: UploadFields(format)))
    }

    /// Why the form is refused, if the form itself is at fault.
    var fault: ClientFacingError? { state.withLock { $0.fault } }

    /// The form's fields read so far.
    var fields: UploadFields { state.withLock { $0.fields } }

    /// Reads up to the file. Returns false if the form has none.
    func findFile() async throws(BodyFailure) -> Bool {
        while state.withLock({ !$0.isInFile }) {
            guard try await step() else { return false }
        }
        return true
    }

    /// Returns the file's next bytes; nil at the end of the form, after the fields behind the file were read.
    func next() async throws(BodyFailure) -> Bytes? {
        while true {
            let piece = state.withLock { state -> Bytes? in
                guard state.isInFile, case .content(let bytes) = state.waiting.first else { return nil }
                state.waiting.removeFirst()
                return bytes
            }
            if let piece { return piece }
            guard try await step() else { return nil }
        }
    }

    func abandon() { base.abandon() }

    /// Processes an event, or reads more of the body. Returns false at the end of the body.
    private func step() async throws(BodyFailure) -> Bool {
        let isDone = try refusing { state throws(ClientFacingError) in
            while let event = state.waiting.first {
                if state.isInFile, case .content = event { return true }
                state.waiting.removeFirst()
                try Self.take(event, &state)
                if state.isInFile { return true }
            }
            return false
        }
        if isDone { return true }
        let piece = try await base.next()
        return try refusing { state throws(ClientFacingError) in
            do throws(MultipartFault) {
                guard let piece else {
                    try state.form.finish()
                    return false
                }
                state.waiting += try state.form.feed(piece)
            } catch {
                throw Self.refusal("The form cannot be read: \(error.rawValue).")
            }
            return true
        }
    }

    private func refusing(_ body: (inout State) throws(ClientFacingError) -> Bool) throws(BodyFailure) -> Bool {
        let result = state.withLock { state -> Result<Bool, BodyFailure> in
            do throws(ClientFacingError) {
                return .success(try body(&state))
            } catch {
                state.fault = error
                return .failure(BodyFailure(error.detail))
            }
        }
        return try result.get()
    }

    private static func take(_ event: MultipartFormReader.Event, _ state: inout State) throws(ClientFacingError) {
        switch event {
        case .part(let part):
            let ofFiles = state.fields.format.fileFields
            if part.filename != nil || ofFiles.contains(part.name) {
                guard ofFiles.contains(part.name) || part.name == "file" else {
                    let names = ofFiles.map { "\"\($0)\"" }.joined(separator: " or ")
                    throw refusal("The file must be in the field \(names).")
                }
                // Without a file name the field holds base64 or a URL, which other clients of the API send.
                guard part.filename != nil else {
                    throw ClientFacingError(
                        status: 415, code: "unsupportedKind",
                        detail: "The field \"\(part.name)\" has no file: base64 and URLs are not passed on.",
                        parameter: part.name)
                }
                guard !state.hadFile else { throw refusal("The form has more than one file. Send one file at a time.") }
                (state.isInFile, state.hadFile) = (true, true)
            } else {
                state.field = (part.name, [])
            }
        case .content(let bytes):
            guard let count = state.field?.value.count else { return }
            guard count + bytes.count <= UploadFields.maxValue else {
                throw refusal("A field is longer than \(UploadFields.maxValue) bytes.")
            }
            state.field?.value += bytes
        case .partEnd:
            state.isInFile = false
            guard let field = state.field.take() else { return }
            guard let text = field.value.strictText else { throw refusal("A field's text is not UTF-8.") }
            try state.fields.set(field.name, text)
        case .end: break
        }
    }

    private static func refusal(_ detail: String) -> ClientFacingError {
        ClientFacingError(status: 400, code: UploadFailure.malformed.rawValue, detail: detail)
    }
}

/// Hands a file's bytes on when the coordinator allows it.
final class MeteredContent: BodyReader {
    private struct State {
        var held: [Bytes]
        var left: Int64
    }
    private let base: any BodyReader
    private let pass: @Sendable (Int) async throws(BodyFailure) -> Void
    private let ended: @Sendable (Result<Void, ContentEnd>) async -> Void
    private let state: Lock<State>

    enum ContentEnd: Error, Sendable {
        case tooLarge
        case lost
    }

    /// - Parameters:
    ///   - held: pieces of the content that were read before.
    ///   - limit: the limit of the whole content, in bytes.
    ///   - pass: called before a number of bytes is handed on; waits while they must not be.
    ///   - ended: called once, with the way the content ended.
    init(
        _ base: any BodyReader, held: [Bytes], limit: Int64,
        pass: @escaping @Sendable (Int) async throws(BodyFailure) -> Void,
        ended: @escaping @Sendable (Result<Void, ContentEnd>) async -> Void
    ) {
        self.base = base
        self.pass = pass
        self.ended = ended
        state = Lock(State(held: held, left: limit))
    }

    func next() async throws(BodyFailure) -> Bytes? {
        let held = state.withLock { state -> Bytes? in
            state.held.isEmpty ? nil : state.held.removeFirst()
        }
        let piece: Bytes?
        if let held {
            piece = held
        } else {
            do throws(BodyFailure) {
                piece = try await base.next()
            } catch {
                await ended(.failure(.lost))
                throw error
            }
        }
        guard let piece else {
            await ended(.success(()))
            return nil
        }
        let isTooLarge = state.withLock { state in
            state.left -= Int64(piece.count)
            return state.left < 0
        }
        guard !isTooLarge else {
            await ended(.failure(.tooLarge))
            throw BodyFailure("It is larger than permitted.")
        }
        try await pass(piece.count)
        return piece
    }

    /// Ends the content for good. Giving up one attempt must not call this; see `LentReader`.
    func abandon() { base.abandon() }
}

/// A reader for the first of two attempts. Its receiver cannot end the content for the second attempt, and gets nothing
/// after the content was taken back.
final class LentReader: BodyReader {
    private struct State {
        var wasAsked = false
        var isOver = false
    }
    private let base: any BodyReader
    private let state = Lock(State())

    init(_ base: any BodyReader) {
        self.base = base
    }

    func next() async throws(BodyFailure) -> Bytes? {
        let isOver = state.withLock { state in
            if !state.isOver { state.wasAsked = true }
            return state.isOver
        }
        guard !isOver else { throw BodyFailure("The upload is over.") }
        return try await base.next()
    }

    func abandon() {}

    /// Takes the content back. Returns true if none of it was asked for, so all of it can be sent again. A later
    /// `next()`, on another thread, throws and consumes nothing.
    func takeBack() -> Bool {
        state.withLock { state in
            state.isOver = true
            return !state.wasAsked
        }
    }
}

/// A body whose bytes are made when they are asked for.
final class LateBytesReader: BodyReader {
    private let make: Hook<(@Sendable () -> Bytes)?>

    init(_ make: @escaping @Sendable () -> Bytes) {
        self.make = Hook(make)
    }

    func next() async throws(BodyFailure) -> Bytes? { make.exchange(nil)?() }

    func abandon() { make.set(nil) }
}
