// The name of a request: the number of its loop, and its sequence number there. Larder never echoes a client's own id.

/// A loop number and a sequence number, rendered in hexadecimal as "2-1f" in `X-Request-Id`, logs and explanations.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    public var loop: UInt16
    public var sequence: UInt64

    @inlinable
    public init(loop: UInt16, sequence: UInt64) {
        self.loop = loop
        self.sequence = sequence
    }

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let loop = UInt16(parts[0], radix: 16), let sequence = UInt64(parts[1], radix: 16)
        else {
            return nil
        }
        self.init(loop: loop, sequence: sequence)
    }

    public var description: String { String(loop, radix: 16) + "-" + String(sequence, radix: 16) }
}
