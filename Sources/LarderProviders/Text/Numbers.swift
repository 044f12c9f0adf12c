// Numbers keep their decimal digits. A price is never converted to binary floating point on its way to the response.
import LarderCore

enum Numbers {
    /// Removes the zeros at the end of a JSON number's fraction: "1.290" becomes "1.29", "0.0" becomes "0". A number in
    /// scientific notation is unchanged.
    static func plain(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: plain($0), as: UTF8.self) }
    }

    /// The same, as a part of the given buffer.
    static func plain(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard text.contains(0x2E), !text.contains(where: { $0 | 0x20 == 0x65 }) else { return text }
        var end = text.count
        while end > 0, text[end - 1] == 0x30 { end -= 1 }
        if end > 0, text[end - 1] == 0x2E { end -= 1 }
        // "-0" is 0.
        let start = end == 2 && text[0] == 0x2D && text[1] == 0x30 ? 1 : 0
        return UnsafeBufferPointer(rebasing: text[start..<end])
    }

    /// An upstream price; nil if nothing is for sale. APIs say so by omitting the member or by a negative number.
    static func price(_ value: JSONValue?, currency: String?) -> ResultItem.Price? {
        guard let currency, !currency.isEmpty else { return nil }
        let amount = value?.withNumberText { $0.first == 0x2D ? nil : String(decoding: plain($0), as: UTF8.self) }
        return amount.flatMap { $0 }.map { ResultItem.Price(amount: $0, currency: currency) }
    }

    /// A number, or a string of digits, as a number.
    static func lenient(_ value: JSONValue?) -> String? {
        if let text = value?.withNumberText({ String(decoding: plain($0), as: UTF8.self) }) { return text }
        guard let text = value?.string, !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy(ASCII.isDigit),
            let number = Int(text)
        else { return nil }
        return String(number)
    }
}
