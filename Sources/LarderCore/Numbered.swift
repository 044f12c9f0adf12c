// Values by number, mostly one: the waiters of a flight, the readers of a body. A dictionary for one value would cost an
// object and a hash for each step.

/// A map from numbers to values. The first value needs no dictionary.
public struct Numbered<Value> {
    @usableFromInline var first: (number: UInt64, value: Value)?
    /// The values that came while `first` was there.
    @usableFromInline var others: [UInt64: Value] = [:]

    @inlinable public init() {}

    @inlinable public var count: Int { (first == nil ? 0 : 1) + others.count }
    @inlinable public var isEmpty: Bool { first == nil && others.isEmpty }

    /// All values, in any order.
    @inlinable
    public var values: [Value] {
        guard let first else { return others.isEmpty ? [] : Array(others.values) }
        return others.isEmpty ? [first.value] : [first.value] + others.values
    }

    /// All numbers, in any order.
    @inlinable
    public var numbers: [UInt64] {
        guard let first else { return Array(others.keys) }
        return [first.number] + others.keys
    }

    @inlinable
    public subscript(number: UInt64) -> Value? {
        get {
            if let first, first.number == number { return first.value }
            return others.isEmpty ? nil : others[number]
        }
        set {
            guard let newValue else {
                _ = removeValue(forKey: number)
                return
            }
            if first?.number == number || first == nil && others[number] == nil {
                first = (number, newValue)
            } else {
                others[number] = newValue
            }
        }
    }

    /// Removes the value with that number, and returns it.
    @inlinable
    public mutating func removeValue(forKey number: UInt64) -> Value? {
        if let known = first, known.number == number {
            first = nil
            return known.value
        }
        return others.isEmpty ? nil : others.removeValue(forKey: number)
    }
}

extension Numbered: Sendable where Value: Sendable {}
