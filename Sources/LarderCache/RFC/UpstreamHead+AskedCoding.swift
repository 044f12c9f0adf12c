// A coded answer to a pass-through request is never decoded: a client gets the bytes, the length, the tag and the
// digests of the origin, and a range selects bytes of the same body. Larder asks for gzip for a client that accepts it,
// and for no coding otherwise. A coding that was asked for is a choice by `Accept-Encoding`, so the answer is kept from
// clients that do not accept it, also if the origin forgets to say so in `Vary` (RFC 9110 §12.5.5). A coding that was
// not asked for is that of the representation, such as that of a `.tar.gz`, and every client gets it.
import LarderCore
import LarderHTTP

extension UpstreamHead {
    /// The head with `Accept-Encoding` in `Vary`, if that field selected the coding.
    /// - Parameter requestFields: the fields that the upstream got.
    public func namingCoding(askedBy requestFields: HeaderFields) -> UpstreamHead {
        // A 304 has no content. What `Content-Encoding` it has says nothing about the stored body.
        guard self.status != 304, let coding = self.fields.combined(.contentEncoding),
            FieldList.names([coding]).contains(where: { $0 != "identity" }),
            ContentCoding.accepts(requestFields.combined(.acceptEncoding), coding),
            !Vary(self.fields).names("accept-encoding")
        else { return self }
        var head = self
        head.fields.add(.vary, "Accept-Encoding")
        return head
    }
}
