// Numbers keep the digits they came with: money never passes through binary fractions on its way to the answer.
import LarderCore

enum Numbers {
    /// A JSON number without zeros at the end of its fraction: "1.290" becomes "1.29", "0.0" becomes "0". A number in
    /// scientific notation stays as it is.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(0x2E), !text.utf8.contains(where: { $0 | 0x20 == 0x65 }) else { return text }
        var text = text[...]
        while text.utf8.last == 0x30 { text.removeLast() }
        if text.utf8.last == 0x2E { text.removeLast() }
        return text == "-0" ? "0" : String(text)
    }

    /// A price upstream, or nil where nothing is for sale: the member is absent, or a negative number says so.
    static func price(_ value: JSONValue?, currency: String?) -> ResultItem.Price? {
        guard let currency, !currency.isEmpty, let text = value?.numberText, text.utf8.first != 0x2D else { return nil }
        return ResultItem.Price(amount: plain(text), currency: currency)
    }

    /// A number, or digits in quotation marks, as a number.
    static func lenient(_ value: JSONValue?) -> String? {
        if let text = value?.numberText { return plain(text) }
        guard let text = value?.string, !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
            let number = Int(text)
        else { return nil }
        return String(number)
    }
}
