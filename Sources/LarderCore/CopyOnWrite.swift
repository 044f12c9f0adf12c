// A wide value with a dozen references costs a retain for each of them whenever it is handed on, and fills the frames
// of every asynchronous function that it passes through. Such a value is kept in one object. Copies share the object;
// whoever changes a shared one gets a copy of it first. So it behaves like any other value (Swift Standard Library,
// `Array`; `isKnownUniquelyReferenced`).

/// A value whose content is one object. Its members are those of `Content`.
@dynamicMemberLookup
public protocol CopyOnWrite {
    associatedtype Content
    /// The object.
    var content: Shared<Content> { get set }
}

extension CopyOnWrite {
    /// All members. A change of several costs one look whether the object is shared.
    @inlinable
    public var whole: Content {
        get { content.object.value }
        _modify {
            content.own()
            yield &content.object.value
        }
    }

    @inlinable
    public subscript<Member>(dynamicMember path: KeyPath<Content, Member>) -> Member {
        content.object.value[keyPath: path]
    }

    @inlinable
    public subscript<Member>(dynamicMember path: WritableKeyPath<Content, Member>) -> Member {
        get { content.object.value[keyPath: path] }
        _modify {
            content.own()
            yield &content.object.value[keyPath: path]
        }
    }
}

/// The object of a value that is copied on write.
public struct Shared<Content> {
    @usableFromInline
    final class Object {
        @usableFromInline var value: Content

        @inlinable
        init(_ value: Content) { self.value = value }
    }

    @usableFromInline var object: Object

    @inlinable
    public init(_ content: Content) { object = Object(content) }

    /// Makes the object this value's own.
    @inlinable
    mutating func own() {
        if !isKnownUniquelyReferenced(&object) { object = Object(object.value) }
    }
}

extension Shared: Equatable where Content: Equatable {
    @inlinable
    public static func == (left: Shared, right: Shared) -> Bool {
        left.object === right.object || left.object.value == right.object.value
    }
}

extension Shared: Hashable where Content: Hashable {
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(object.value) }
}

// Unchecked because the object can be changed. It is changed only by the caller of `own()`, on that caller's thread, when there is
// no other reference to it.
extension Shared: @unchecked Sendable where Content: Sendable {}
