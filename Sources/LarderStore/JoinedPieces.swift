// The pieces of a body as one array, and bytes of a statement held against others: for the readers and the loops alike.
import Glibc
import LarderCore

extension Statement {
    /// Runs a statement whose rows are pieces (id, data, sum) in their order, and joins them. Nil where they are not exactly so
    /// many bytes, or one of them is not sound.
    func joined(size: Int, isSound: (Statement) -> Bool) throws(StoreError) -> Bytes? {
        defer { reset() }
        var failure: StoreError?
        let body = Bytes(room: size) { buffer, count in
            do throws(StoreError) {
                while try step() {
                    let piece = raw(1)
                    guard isSound(self), count + piece.count <= size else {
                        count = 0
                        return
                    }
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                        .copyMemory(from: piece)
                    count += piece.count
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return body.count == size ? body : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the same bytes.
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
