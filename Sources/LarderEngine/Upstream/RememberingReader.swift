// A request body that is sent while it is received, and remembered if it is short, so that it can be sent again.
import LarderCore

final class RememberingReader: BodyReader {
    /// The longest body that is remembered, in bytes.
    static let longest = 64 << 10

    private struct State {
        /// Nil once the body is too long.
        var bytes: Bytes? = []
        var isWhole = false
    }
    private let upload: Upload
    private let state = Lock(State())

    init(_ upload: Upload) {
        self.upload = upload
    }

    /// The upload to send.
    var remembered: Upload {
        Upload(reader: self, length: upload.length, expectsContinue: upload.expectsContinue)
    }

    /// The whole body; nil if it was too long, or not read to its end.
    var whole: Bytes? { state.withLock { $0.isWhole ? $0.bytes : nil } }

    func next() async throws(BodyFailure) -> Bytes? {
        let piece = try await upload.reader.next()
        state.withLock { state in
            guard let piece else { return state.isWhole = true }
            guard let count = state.bytes?.count, count + piece.count <= Self.longest else { return state.bytes = nil }
            state.bytes?.append(contentsOf: piece)
            // The end of a body with a length need not be read.
            if Int64(count + piece.count) == upload.length { state.isWhole = true }
        }
        return piece
    }

    func abandon() { upload.reader.abandon() }
}
