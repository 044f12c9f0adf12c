// Numbers keep the digits they came with: money never passes through binary fractions on its way to the answer.
import LarderCore

enum Numbers {
    /// A JSON number without zeros at the end of its fraction: "1.290" becomes "1.29", "0.0" becomes "0". A number in
    /// scientific notation stays as it is.
    static func plain(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: plain($0), as: UTF8.self) }
    }

    /// The same as a part of the text.
    static func plain(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard text.contains(0x2E), !text.contains(where: { $0 | 0x20 == 0x65 }) else { return text }
        var end = text.count
        while end > 0, text[end - 1] == 0x30 { end -= 1 }
        if end > 0, text[end - 1] == 0x2E { end -= 1 }
        // "-0" is 0.
        let start = end == 2 && text[0] == 0x2D && text[1] == 0x30 ? 1 : 0
        return UnsafeBufferPointer(rebasing: text[start..<end])
    }

    /// A price upstream, or nil where nothing is for sale: the member is absent, or a negative number says so.
    static func price(_ value: JSONValue?, currency: String?) -> ResultItem.Price? {
        guard let currency, !currency.isEmpty else { return nil }
        let amount = value?.withNumberText { $0.first == 0x2D ? nil : String(decoding: plain($0), as: UTF8.self) }
        return amount.flatMap { $0 }.map { ResultItem.Price(amount: $0, currency: currency) }
    }

    /// A number, or digits in quotation marks, as a number.
    static func lenient(_ value: JSONValue?) -> String? {
        if let text = value?.withNumberText({ String(decoding: plain($0), as: UTF8.self) }) { return text }
        guard let text = value?.string, !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy(ASCII.isDigit),
            let number = Int(text)
        else { return nil }
        return String(number)
    }
}
