// What follows a known beginning of a text.

extension StringProtocol {
    /// What follows the prefix, or nil where the text does not begin with it.
    public func dropping(prefix: String) -> SubSequence? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
