// The size that decides whether a job is small. Only a body without a content coding has a known size.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct PlainSizeTests {
    private func response(_ fields: HeaderFields) -> UpstreamResponse {
        let now = WallTime(milliseconds: 0)
        return UpstreamResponse(
            status: 200, fields: fields, body: Bytes(text: "12345"), requestTime: now, responseTime: now)
    }

    @Test func aBodyWithoutCodingHasItsOwnSize() {
        #expect(response([:]).plainSize == 5)
        #expect(response(["Content-Encoding": "identity"]).plainSize == 5)
    }

    @Test func aCodedBodyMayBeOfAnySize() {
        #expect(response(["Content-Encoding": "gzip"]).plainSize == .max)
    }
}
