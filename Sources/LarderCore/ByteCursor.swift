// Keys and heads are put together from many short texts. Appending each to an array asks each time whether the array is
// shared and large enough; where the size can be reckoned beforehand, this writes them behind each other.

/// A place in memory of a known size that is being filled. Writing past its end is a trap.
public struct ByteCursor {
    @usableFromInline let base: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var end = 0

    /// Bytes written.
    @inlinable
    public var count: Int { end }

    /// A cursor at the beginning of that memory, which must outlive it.
    @inlinable
    public init(_ base: UnsafeMutableBufferPointer<UInt8>) {
        self.base = base
    }

    @inlinable
    public mutating func put(_ byte: UInt8) {
        precondition(end < base.count, "more is written than was reckoned")
        base[end] = byte
        end += 1
    }

    /// The UTF-8 bytes of a text.
    @inlinable
    public mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put($0) }
    }

    @inlinable
    public mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= base.count - end, "more is written than was reckoned")
        guard let start = base.baseAddress, let source = bytes.baseAddress else { return }
        (start + end).initialize(from: source, count: bytes.count)
        end += bytes.count
    }

    /// What has been written from that place on.
    @inlinable
    public func written(from start: Int) -> UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(rebasing: base[start..<end])
    }

    /// Forgets what has been written from that place on.
    @inlinable
    public mutating func goBack(to start: Int) {
        precondition(start >= 0 && start <= end)
        end = start
    }
}
