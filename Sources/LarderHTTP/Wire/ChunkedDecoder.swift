// Decodes the chunked transfer coding (RFC 9112 §7.1) as a value that is fed the bytes as they come. Extensions are
// skipped and trailer fields dropped (§7.1.2 allows this). Both are bounded and must follow their grammar: a line that
// another reader could take for another size or for the next request is refused. The only accepted line end is CRLF.
import LarderCore

/// Decodes one chunked body.
public struct ChunkedDecoder: Sendable, Hashable {
    public enum Progress: Sendable, Hashable {
        /// All given bytes were used, and the body continues.
        case more
        /// The body has ended. The bytes after the used ones belong to the next request.
        case done
        case fault(RequestFault)
    }

    private enum State: Sendable, Hashable {
        case size(digits: Int)
        case extensions(ChunkExtension)
        case sizeEnd
        case data
        case dataEnd
        case dataEndFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerEnd
        case lastFeed
        case done
    }

    private var state = State.size(digits: 0)
    /// Bytes of the current chunk that are still to come.
    private var left = 0
    /// Bytes of extensions and trailers so far.
    private var overhead = 0
    /// Bytes of the body so far.
    private var total = 0

    private static let maximumOverhead = 8 * 1024

    public init() {}

    /// Decodes the part of the input that belongs to the body and appends it to `body`.
    /// - Parameter limit: the largest size of the whole body in bytes.
    /// - Returns: the number of input bytes used, and the state of the body.
    public mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, into body: inout Bytes, limit: Int
    ) -> (used: Int, progress: Progress) {
        var index = 0
        while index < input.count {
            if state == .done { break }
            if state == .data {
                let count = min(left, input.count - index)
                body.append(contentsOf: UnsafeBufferPointer(rebasing: input[index..<index + count]))
                left -= count
                index += count
                if left == 0 { state = .dataEnd }
                continue
            }
            if let fault = step(input[index], limit: limit) { return (index, .fault(fault)) }
            index += 1
        }
        return (index, state == .done ? .done : .more)
    }

    /// Reads one byte of framing.
    private mutating func step(_ byte: UInt8, limit: Int) -> RequestFault? {
        switch state {
        case .size(let digits): return size(byte, digits: digits, limit: limit)
        case .extensions(let place):
            if byte == 0x0D {
                guard place.mayEnd else { return .badChunk }
                state = .sizeEnd
            } else {
                guard let next = place.after(byte) else { return .badChunk }
                guard spend() else { return .trailersTooLarge }
                state = .extensions(next)
            }
        case .sizeEnd:
            guard byte == 0x0A else { return .badChunk }
            state = left > 0 ? .data : .trailerStart
        case .dataEnd:
            guard byte == 0x0D else { return .badChunk }
            state = .dataEndFeed
        case .dataEndFeed:
            guard byte == 0x0A else { return .badChunk }
            state = .size(digits: 0)
        case .trailerStart:
            if byte == 0x0D {
                state = .lastFeed
            } else {
                // A trailer line is a field line, so it begins with a name.
                guard Octet.isToken(byte) else { return .badChunk }
                guard spend() else { return .trailersTooLarge }
                state = .trailerName
            }
        case .trailerName:
            // The colon directly follows the name (RFC 9112 §5.1).
            guard byte == 0x3A || Octet.isToken(byte) else { return .badChunk }
            guard spend() else { return .trailersTooLarge }
            if byte == 0x3A { state = .trailerValue }
        case .trailerValue:
            if byte == 0x0D {
                state = .trailerEnd
            } else if !Octet.isValue(byte) {
                return .badChunk
            } else if !spend() {
                return .trailersTooLarge
            }
        case .trailerEnd:
            guard byte == 0x0A else { return .badChunk }
            state = .trailerStart
        case .lastFeed:
            guard byte == 0x0A else { return .badChunk }
            state = .done
        case .data, .done: break
        }
        return nil
    }

    private mutating func size(_ byte: UInt8, digits: Int, limit: Int) -> RequestFault? {
        if let value = ASCII.hexValue(byte) {
            // Sixteen digits fill a word. No legitimate size has more, even as leading zeros.
            guard digits < 16 else { return .badChunk }
            if digits == 0 { left = 0 }
            guard left >> 58 == 0 else { return .bodyTooLarge }
            left = left << 4 | Int(value)
            guard left <= limit - total else { return .bodyTooLarge }
            state = .size(digits: digits + 1)
            return nil
        }
        guard digits > 0 else { return .badChunk }
        if byte == 0x0D {
            state = .sizeEnd
        } else {
            guard let place = ChunkExtension.end.after(byte) else { return .badChunk }
            state = .extensions(place)
        }
        total += left
        return nil
    }

    private mutating func spend() -> Bool {
        overhead += 1
        return overhead <= Self.maximumOverhead
    }
}
