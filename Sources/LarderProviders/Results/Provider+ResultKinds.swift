// The default of `kinds(of:)`, which tells what a category means when stored results are searched without asking the
// source. No category means every kind. The categories of a provider are unknown unless it implements `kinds(of:)`,
// because not every category shows in the kind: an app's and a song's kinds tell theirs, a headline's topic does not.
import LarderCore

extension Provider {
    public func kinds(of category: String?) -> [String]? { category == nil ? [] : nil }
}
