// Stores the body of a whole response while it arrives: all of it, or its beginning if it is cut off.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderStore

extension PassFetch {
    /// Archives the body of a whole response as it arrives. If it is cut off, its beginning is stored as a part if
    /// possible.
    func archive(
        _ made: Made, _ stream: UpstreamStream, _ body: TapeBody, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async -> FlightResult {
        let tape = stream.body
        defer { tape.release() }
        let begun = request.mayHaveParts ? PartRequest.incomplete(stream.head) : nil
        var check = check(stream.head)
        switch await engine.copy(tape, expecting: body.length, &check, most: begun == nil ? nil : .max) {
        case .refused:
            await hideOlder(than: made.entry, found, began, place)
            stream.becamePaced()
            return .answered(made)
        case .cut(let failure): return .failed(request.cutOff(failure))
        case .part(let writer, let count, let failure):
            if let begun, count >= Self.leastBeginning {
                await saveBeginning(count, of: begun, made.entry, writer, began, place)
            } else {
                writer.abandon()
            }
            return failure.map { .failed(request.cutOff($0)) } ?? .answered(made)
        case .whole(let writer, _):
            if let fault = check.fault {
                tape.archiveEnded()
                writer.abandon()
                await notKept(made.entry, fault, found, began, place)
                return .answered(made)
            }
            _ = await keep(made.entry, found, began, place) {
                await engine.cache.complete(
                    writer, made.entry, since: began, supersedes: $0, when: { !place.isOvertaken })
            }
            return .answered(made)
        }
    }

    /// A shorter beginning of a whole response, in bytes, is not stored when the response is cut off.
    private static let leastBeginning: Int64 = 64 * 1024
}
