// A miss as the answer to the request that was not found.
import LarderCore

extension TapeDifference {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("place", "\(place)")
        writer.member(ifPresent: "recorded", recorded)
        writer.member(ifPresent: "now", now)
    }
}

extension TapeMiss {
    /// What is behind a gateway gave no answer (RFC 9110 §15.6.5).
    public static let status = 504

    /// The body of the answer, of type `application/problem+json` (RFC 9457).
    public var problem: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("title", "No recording answers the request")
            writer.member("status", Self.status)
            writer.member("detail", detail)
            writer.member(ifPresent: "nearest", nearest.map { "\($0)" })
            writer.name("differences")
            writer.array { writer in for difference in differences { writer.object { difference.write(to: &$0) } } }
        }
        return writer.bytes
    }
}
