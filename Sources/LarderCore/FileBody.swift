// The body of a ready response that lies in a file and goes from there to the socket, without an array in between.
// A loop sends only what the kernel has in memory: whoever made the object has just read the whole body, and before each
// later part the loop asks again.

/// A body in a file that stays open and unchanged as long as the object lives.
public protocol FileBody: AnyObject, Sendable {
    var descriptor: Int32 { get }
    /// Bytes of the whole body.
    var length: Int { get }
    /// Whether these bytes are in memory, so that sending them does not wait for the disk. Never waits.
    func isInMemory(_ stretch: Range<Int>) -> Bool
    /// Reads the body into memory on another thread, and calls `then` there. False if it is not as it was written: the
    /// answer must be cut.
    func load(then: @escaping @Sendable (_ isWhole: Bool) -> Void)
}
