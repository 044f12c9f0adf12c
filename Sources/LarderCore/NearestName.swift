// Suggests the name that was probably meant by a mistyped one.
/// Finds the name that a person probably meant.
public enum NearestName {
    /// Returns the nearest candidate if it is near enough to have been meant: at most two typing errors in a short
    /// name, or a third of the letters in a longer one. Differences in letter case do not count as errors.
    public static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
        let reach = max(2, wanted.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let distance = self.distance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(64)))
            // If the errors are more than half of the name, the candidate is a different name.
            guard distance <= reach, 2 * distance <= wanted.count || candidate.hasPrefix(name) else { continue }
            if let known = best, known.distance <= distance { continue }
            best = (distance, candidate)
        }
        return best?.name
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
    /// alignment).
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row] + [Int](repeating: 0, count: right.count)
            for column in 1...right.count {
                let replaced = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                current[column] = min(last[column] + 1, current[column - 1] + 1, replaced)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    current[column] = min(current[column], beforeLast[column - 2] + 1)
                }
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
