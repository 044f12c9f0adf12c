// Chooses the form of a built-in provider's coded answer for a client: the stored coded form, or the plain form that is
// made from it here. Larder asks these providers for gzip, whatever the client accepts.
// `Accept-Encoding` decides, and both forms say so in `Vary` (RFC 9110 §12.5.5).
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer

extension Answer {
    /// A body whose plain form is at most this many bytes is decoded whole, and memory may keep it ready. A larger body
    /// is decoded piece by piece for each client, so slow clients do not each hold a whole plain body.
    static let undoneWhole = 1 << 20

    /// Marks the answer as varying by `Accept-Encoding`.
    /// - Returns: the coding to undo for this client; nil if the client gets the answer as it is.
    mutating func chooseCoding(for request: ServerRequest) -> String? {
        // A part of a coded body cannot be decoded, and no-transform forbids decoding (RFC 9111 §5.2.2.6).
        guard let coding = self.fields.first(.contentEncoding), self.status != 206, ContentCoding.isKnown(coding),
            !CacheControl(self.fields.all(.cacheControl)).noTransform
        else { return nil }
        switch Vary(self.fields) {
        case .any: break
        case .names(let names): if !names.contains("accept-encoding") { self.fields.add(.vary, "Accept-Encoding") }
        }
        return ContentCoding.accepts(request.fields.combined(.acceptEncoding), coding) ? nil : coding
    }

    /// Changes to the plain form. If it cannot be made, the answer stays as it is.
    fileprivate mutating func undoCoding(_ coding: String, _ lengths: PlainLengths, _ bodies: BodyMemory) {
        guard let coded = self.body.whole else {
            guard ContentInflater(coding: coding) != nil else { return }
            return becomePlain(.plain(self.body, coding: coding, length: nil))
        }
        do throws(ContentCodingError) {
            let plain = try ContentCoding.inflate(coded, coding: coding, limit: Self.undoneWhole)
            let room = bodies.hold()
            if plain.count > BodyMemory.uncounted, !room.resize(to: plain.count) {
                // There is no memory for another whole plain body, so it is decoded piece by piece too.
                return becomePlain(.plain(self.body, coding: coding, length: Int64(plain.count)))
            }
            becomePlain(.bytes(plain))
            self.hold = room
        } catch .tooLarge {
            guard let length = lengths.length(of: coded, coding: coding) else { return }
            becomePlain(.plain(self.body, coding: coding, length: length))
        } catch {
            return
        }
    }

    private mutating func becomePlain(_ plain: BodySource) {
        self.body = plain
        // The plain form is not what the row holds, so the database must not keep it as the row's answer.
        self.keeping?.row = nil
        self.fields.describeOtherBytes()
    }
}

extension Responder {
    /// Returns the answer in a coding that the client accepts. Decoding a whole body runs outside the event loops.
    func accepted(_ answer: Answer, by request: ServerRequest) async -> Answer {
        var answer = answer
        guard let coding = answer.chooseCoding(for: request) else { return answer }
        return await plain(answer, coding)
    }

    /// Returns the answer with its coding undone.
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
            // Memory distinguishes clients by gzip support only, and this form may not suit others.
            if !ASCII.equalFolded(coding, "gzip") { answer.keeping = nil }
            return answer
        }
    }
}
