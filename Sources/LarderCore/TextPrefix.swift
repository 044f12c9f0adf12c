// Removal of a known prefix from a text.

extension StringProtocol {
    /// Returns the text after the prefix, or nil if the text does not begin with it.
    public func dropping(prefix: String) -> SubSequence? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
