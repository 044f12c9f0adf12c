// A value, mostly a function, that is set after its holder was made. A function in a generic container is stored in its
// most general form. Access in place (`inout`) converts it and converts it back, so each access leaves the function
// inside two more closures, until calling it overflows the stack. A hook has no access in place.

/// Holds a value that any thread may read and replace.
///
/// `scripts/check-house-rules` refuses functions in a `Lock`; they belong here.
public final class Hook<Content: Sendable>: Sendable {
    /// A reference to immutable content: what is read and written back in place is the reference alone.
    private final class Box: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private let box: Lock<Box>

    public init(_ content: Content) { box = Lock(Box(content)) }

    /// Returns the content.
    public func get() -> Content { box.withLock { $0 }.content }

    /// Replaces the content.
    public func set(_ content: Content) { _ = exchange(content) }

    /// Replaces the content in one step and returns the old one.
    public func exchange(_ content: Content) -> Content {
        let new = Box(content)
        return box.withLock { box in
            defer { box = new }
            return box
        }.content
    }
}
