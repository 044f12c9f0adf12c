// The attributes that only one source gives a result. Each is written as soon as it is set: a result has about twenty
// of them, and holding them until the result is written would cost more than writing them. Absent values, empty texts
// and empty lists are not written.
import LarderCore

/// The name of an attribute. One in a Swift source needs no escaping; another is escaped once.
struct AttributeName: ExpressibleByStringLiteral, Sendable {
    private let known: StaticString?
    /// A comma, the name in quotation marks, and a colon.
    private let escaped: Bytes

    init(stringLiteral name: StaticString) { (known, escaped) = (name, []) }

    init(escaping name: String) {
        var bytes: Bytes = [0x2C]
        JSONText.append(name, to: &bytes)
        (known, escaped) = (nil, bytes + [0x3A])
    }

    /// Appends the name and its colon, with a comma before it unless it is the first.
    func append(first: Bool, to bytes: inout Bytes) {
        if let known { return JSONText.append(name: known, first: first, to: &bytes) }
        bytes.append(contentsOf: first ? escaped.dropFirst() : escaped[...])
    }
}

/// The attributes of one result, in the order in which they were set.
struct ResultAttributes {
    /// The members of a JSON object, without its braces.
    private(set) var members: Bytes = []

    var isEmpty: Bool { members.isEmpty }

    /// Reserves capacity once, for results with many attributes.
    mutating func reserve(_ count: Int) { members.reserveCapacity(count) }

    private mutating func begin(_ name: AttributeName) {
        name.append(first: members.isEmpty, to: &members)
    }

    fileprivate mutating func add(_ name: AttributeName, _ text: String) {
        begin(name)
        JSONText.append(text, to: &members)
    }

    fileprivate mutating func add(_ name: AttributeName, _ text: UnsafeBufferPointer<UInt8>) {
        begin(name)
        JSONText.append(text, to: &members)
    }

    fileprivate mutating func add(_ name: AttributeName, _ texts: [String]) {
        begin(name)
        JSONText.append(texts, to: &members)
    }

    fileprivate mutating func add(_ name: AttributeName, json: some Collection<UInt8>) {
        begin(name)
        members.append(contentsOf: json)
    }

    fileprivate mutating func add(_ name: AttributeName, json: UnsafeBufferPointer<UInt8>) {
        begin(name)
        members.append(contentsOf: json)
    }

    fileprivate mutating func add(_ name: AttributeName, _ price: ResultItem.Price) {
        begin(name)
        price.append(to: &members)
    }
}

extension ResultItem {
    mutating func attribute(_ name: AttributeName, text: String?) {
        if let text, !text.isEmpty { attributes.add(name, text) }
    }

    /// - Parameter number: a JSON number.
    mutating func attribute(_ name: AttributeName, number: String?) {
        if let number { attributes.add(name, json: number.utf8) }
    }

    mutating func attribute(_ name: AttributeName, flag: Bool?) {
        if let flag { attributes.add(name, json: (flag ? "true" : "false").utf8) }
    }

    mutating func attribute(_ name: AttributeName, numbers: [Int]) {
        guard !numbers.isEmpty else { return }
        attributes.add(name, json: "[\(numbers.map(String.init).joined(separator: ","))]".utf8)
    }

    mutating func attribute(_ name: AttributeName, texts: [String]) {
        if !texts.isEmpty { attributes.add(name, texts) }
    }

    mutating func attribute(_ name: AttributeName, price: Price?) {
        if let price { attributes.add(name, price) }
    }

    /// - Parameter json: any JSON text that is known to be valid.
    mutating func attribute(_ name: AttributeName, json: Bytes) {
        attributes.add(name, json: json)
    }

    // MARK: Values as they came, without a text in between

    /// - Parameter text: the attribute is left out if this is nil or not a text.
    mutating func attribute(_ name: AttributeName, text: JSONValue?) {
        guard let text else { return }
        let isDone: Void? = text.withPlainText { bytes in if !bytes.isEmpty { attributes.add(name, bytes) } }
        if isDone == nil { attribute(name, text: text.string) }
    }

    /// - Parameter link: the attribute is also left out if this is not an http or https URL.
    mutating func attribute(_ name: AttributeName, link: JSONValue?) {
        guard let link else { return }
        let isDone: Void? = link.withPlainText { bytes in if WebURL.isWeb(bytes) { attributes.add(name, bytes) } }
        if isDone == nil, let text = link.string, WebURL.isWeb(text) { attribute(name, text: text) }
    }

    /// - Parameter number: a number, or digits in quotation marks (`Numbers.lenient`).
    mutating func attribute(_ name: AttributeName, number: JSONValue?) {
        guard let number else { return }
        let isDone: Void? = number.withNumberText { attributes.add(name, json: Numbers.plain($0)) }
        if isDone == nil { attribute(name, number: Numbers.lenient(number)) }
    }
}
