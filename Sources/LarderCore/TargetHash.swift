// A fast keyed hash of a request target. Each step takes eight bytes and folds a full-width product, as in wyhash. The
// hash only distributes; code that finds something by it compares the bytes. The seed differs in each process, so no
// client can choose targets that collide.

public enum TargetHash {
    @inlinable @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// - Parameter scope: distinguishes equal targets of different listeners or providers.
    @inlinable
    public static func of(_ target: UnsafeBufferPointer<UInt8>, scope: UInt64, seed: UInt64) -> UInt64 {
        let raw = UnsafeRawBufferPointer(target)
        var state = seed ^ (scope &+ 1) &* 0xA076_1D64_78BD_642F
        var place = 0
        while place + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            state = fold(state ^ word, 0xE703_7ED1_A0B4_28DB)
            place += 8
        }
        var rest: UInt64 = 0
        while place < raw.count {
            rest = rest << 8 | UInt64(raw[place])
            place += 1
        }
        // The length is included, so targets that differ only by trailing zero bytes get different hashes.
        return fold(state ^ rest, 0x8EBC_6AF0_9C88_C6E3 ^ UInt64(truncatingIfNeeded: raw.count))
    }
}
