// What a category of a source's search means for results that are searched without it: which kinds they have. A category
// that the kinds do not tell (an app's and a song's kinds do, a headline's topic does not) is unknown here.
import LarderCore

extension Provider {
    public func kinds(of category: String?) -> [String]? { category == nil ? [] : nil }
}
