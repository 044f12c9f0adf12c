// The store's checksums over the same columns in the same order, without its types: their cost is part of a hit.
import CLinux
import LarderCore

struct TrialSum {
    private var state: UInt32 = .max
    private static let isFast = larder_crc32c_has_instruction() != 0

    var value: UInt32 { ~state }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        state =
            Self.isFast
            ? larder_crc32c_fast(state, start, bytes.count) : larder_crc32c_slow(state, start, bytes.count)
    }

    @inline(__always)
    mutating func add(_ number: Int64) {
        if Self.isFast {
            state = larder_crc32c_word(state, UInt64(bitPattern: number))
        } else {
            withUnsafeBytes(of: number) { state = larder_crc32c_slow(state, $0.baseAddress, 8) }
        }
    }

    @inline(__always)
    mutating func add(measured bytes: UnsafeRawBufferPointer) {
        add(Int64(bytes.count))
        add(bytes)
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = TrialSum()
        sum.add(bytes)
        return sum.value
    }

    /// What never changes of a row.
    static func constant(
        id: Int64, provider: Int64, size: Int64, digest: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        head: UnsafeRawBufferPointer
    ) -> UInt32 {
        var sum = TrialSum()
        sum.add(id)
        sum.add(provider)
        sum.add(size)
        sum.add(1)
        sum.add(digest)
        sum.add(measured: key)
        sum.add(measured: head)
        return sum.value
    }

    static func life(id: Int64, freshUntil: Int64, staleUntil: Int64) -> Int64 {
        var sum = TrialSum()
        sum.add(id)
        sum.add(freshUntil)
        sum.add(staleUntil)
        return Int64(sum.value)
    }
}
