// Which form of a coded answer a client gets: the coded one that is stored, or the plain one that is made of it here. The
// choice is by Accept-Encoding, and both forms say so (RFC 9110 §12.5.5).
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer

extension Answer {
    /// A body that is plain within this is made whole, and memory may keep it ready. A larger one is made piece by piece
    /// for each client, so that it is never held once for each of those who do not read.
    static let undoneWhole = 1 << 20

    /// Notes that the answer's form is chosen here.
    /// - Returns: the coding to undo for this client; nil where it gets the answer as it is.
    mutating func chooseCoding(for request: ServerRequest) -> String? {
        // A part of a coded body cannot be undone, and what is not to be transformed is not (RFC 9111 §5.2.2.6).
        guard let coding = fields.first("Content-Encoding"), status != 206, ContentCoding.isKnown(coding),
            !CacheControl(fields.all("Cache-Control")).noTransform
        else { return nil }
        switch Vary(fields) {
        case .any: break
        case .names(let names): if !names.contains("accept-encoding") { fields.add("Vary", "Accept-Encoding") }
        }
        return ContentCoding.accepts(request.fields.combined("Accept-Encoding"), coding) ? nil : coding
    }

    /// Takes the plain form; stays as it is where that cannot be made.
    fileprivate mutating func undoCoding(_ coding: String, _ lengths: PlainLengths, _ bodies: BodyMemory) {
        guard let coded = body.whole else {
            guard ContentInflater(coding: coding) != nil else { return }
            return becomePlain(.plain(body, coding: coding, length: nil))
        }
        do throws(ContentCodingError) {
            let plain = try ContentCoding.inflate(coded, coding: coding, limit: Self.undoneWhole)
            let room = bodies.hold()
            if plain.count > BodyMemory.uncounted, !room.resize(to: plain.count) {
                // No room for another whole form: it is made piece by piece as well.
                return becomePlain(.plain(body, coding: coding, length: Int64(plain.count)))
            }
            becomePlain(.bytes(plain))
            hold = room
        } catch .tooLarge {
            guard let length = lengths.length(of: coded, coding: coding) else { return }
            becomePlain(.plain(body, coding: coding, length: length))
        } catch {
            return
        }
    }

    private mutating func becomePlain(_ plain: BodySource) {
        body = plain
        // It is not the row's answer any more.
        keeping?.row = nil
        fields.describeOtherBytes()
    }
}

extension Responder {
    /// The answer in a coding that the client takes, undone off the loops where it must be.
    func accepted(_ answer: Answer, by request: ServerRequest) async -> Answer {
        var answer = answer
        guard let coding = answer.chooseCoding(for: request) else { return answer }
        return await plain(answer, coding)
    }

    /// The answer with its coding undone.
    func plain(_ answer: Answer, _ coding: String) async -> Answer {
        let lengths = plainLengths
        if answer.body.whole == nil {
            var answer = answer
            answer.undoCoding(coding, lengths, engine.bodies)
            return answer
        }
        return await engine.compute.run { [bodies = engine.bodies] in
            var answer = answer
            answer.undoCoding(coding, lengths, bodies)
            // Memory tells clients apart by whether they take gzip; others may get another form of this one.
            if !ASCII.equalFolded(coding, "gzip") { answer.keeping = nil }
            return answer
        }
    }
}
