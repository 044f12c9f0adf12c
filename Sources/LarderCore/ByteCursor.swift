// Keys and heads are assembled from many short texts. Each append to an array checks whether the array is shared and
// large enough. If the size is known beforehand, a cursor writes the texts one behind another without these checks.

extension String {
    /// Runs the body with the UTF-8 bytes. `withUTF8` would need a copy that it may change, which costs two reference
    /// counts.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        var own = self
        return try own.withUTF8(body)
    }
}

/// A position in memory of a known size that is being filled. Writing past its end traps.
public struct ByteCursor {
    @usableFromInline let base: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var end = 0

    /// Bytes written.
    @inlinable
    public var count: Int { end }

    /// Creates a cursor at the beginning of `base`. The memory must outlive the cursor.
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

    /// Writes the UTF-8 bytes of a text.
    @inlinable
    public mutating func put(_ text: String) {
        text.withBytes { put($0) }
    }

    @inlinable
    public mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= base.count - end, "more is written than was reckoned")
        guard let start = base.baseAddress, let source = bytes.baseAddress else { return }
        (start + end).initialize(from: source, count: bytes.count)
        end += bytes.count
    }

    /// The bytes written from offset `start` on.
    @inlinable
    public func written(from start: Int) -> UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(rebasing: base[start..<end])
    }

    /// Discards the bytes written from offset `start` on.
    @inlinable
    public mutating func goBack(to start: Int) {
        precondition(start >= 0 && start <= end)
        end = start
    }
}
