// CRC32C, the checksum of everything in cache.db. It finds every flipped bit of a row, every burst of up to 32 bits,
// and all but one in four thousand million other changes. It is no defence against somebody who may write to the file.
import CLinux
import LarderCore

/// A checksum being computed. Numbers are added as eight bytes, least significant first.
struct Checksum {
    /// Whether the processor has a CRC32C instruction. Asked once.
    static let hasInstruction = larder_crc32c_has_instruction() != 0

    private var state: UInt32 = .max
    private let isFast: Bool

    /// - Parameter isFast: false to use the table; true to use the processor's instruction if it has one.
    init(isFast: Bool = true) { self.isFast = isFast && Self.hasInstruction }

    var value: UInt32 { ~state }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        state =
            isFast ? larder_crc32c_fast(state, start, bytes.count) : larder_crc32c_slow(state, start, bytes.count)
    }

    mutating func add(_ number: UInt64) {
        if isFast {
            state = larder_crc32c_word(state, number.littleEndian)
        } else {
            withUnsafeBytes(of: number.littleEndian) { state = larder_crc32c_slow(state, $0.baseAddress, 8) }
        }
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    /// Adds a text or blob with its length, so that bytes cannot move from one field to the next unnoticed.
    mutating func add(measured bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        add(bytes)
    }

    mutating func add(measured text: String) {
        var text = text
        text.withUTF8 { add(measured: UnsafeRawBufferPointer($0)) }
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = Checksum()
        sum.add(bytes)
        return sum.value
    }
}
