// What a scenario expects of a message. A check is a claim and a function that tells whether the message meets it.

/// A received message: a response at the client, or a request at the origin.
struct Message: Sendable {
    /// The status line or the request line.
    var start: String
    var fields: [(name: String, value: String)]
    var body: String

    var status: Int { Int(start.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    /// The values of a field, in order.
    func all(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var text: String {
        let lines = [start] + fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\n") + (body.isEmpty ? "" : "\n\n" + body.prefix(2000))
    }
}

struct Check: Sendable {
    let claim: String
    /// Returns nil if the claim holds, otherwise what was found.
    let look: @Sendable (Message) -> String?

    init(_ claim: String, _ look: @escaping @Sendable (Message) -> String?) {
        self.claim = claim
        self.look = look
    }

    /// Holds if at least one of the checks holds.
    static func either(_ checks: Check...) -> Check {
        Check(checks.map(\.claim).joined(separator: " or ")) { message in
            let found = checks.compactMap { $0.look(message) }
            return found.count < checks.count ? nil : found[0]
        }
    }
}

func status(_ code: Int) -> Check {
    Check("status is \(code)") { $0.status == code ? nil : "\($0.status)" }
}

func startLine(_ text: String) -> Check {
    Check("first line is \"\(text)\"") { $0.start == text ? nil : $0.start }
}

func body(_ text: String) -> Check {
    Check("body is \"\(text)\"") { $0.body == text ? nil : "\"\($0.body.prefix(200))\"" }
}

func notBody(_ text: String) -> Check {
    Check("body is not \"\(text)\"") { $0.body != text ? nil : "it is" }
}

/// The field is present with any value.
func has(_ name: String) -> Check {
    Check("has \(name)") { $0.all(name).isEmpty ? "it is absent" : nil }
}

/// The field is present with exactly these lines.
func has(_ name: String, _ values: String...) -> Check {
    Check("\(name) is \(values)") { $0.all(name) == values ? nil : "\($0.all(name))" }
}

/// One line of the field contains this text.
func contains(_ name: String, _ part: String) -> Check {
    Check("\(name) contains \"\(part)\"") { message in
        message.all(name).contains { $0.contains(part) } ? nil : "\(message.all(name))"
    }
}

func excludes(_ name: String, _ part: String) -> Check {
    Check("\(name) does not contain \"\(part)\"") { message in
        message.all(name).contains { $0.contains(part) } ? "\(message.all(name))" : nil
    }
}

func lacks(_ name: String) -> Check {
    Check("has no \(name)") { $0.all(name).isEmpty ? nil : "\($0.all(name))" }
}

/// The head contains this line, byte for byte.
func line(_ text: String) -> Check {
    Check("has the line \"\(text)\"") { message in
        message.fields.contains { "\($0.name): \($0.value)" == text } ? nil : "no such line"
    }
}

// MARK: Cache-Status (RFC 9211)

/// The parameters of Larder's member of Cache-Status, by name. Parameters without a value are ""; nil if there is no
/// such member.
func ourCacheStatus(_ message: Message) -> [String: String]? {
    let members = message.all("Cache-Status").joined(separator: ",").split(separator: ",")
    guard let last = members.last else { return nil }
    var parts = last.split(separator: ";").map { $0.drop { $0 == " " } }
    guard !parts.isEmpty, parts.removeFirst() == "larder" else { return nil }
    var out: [String: String] = [:]
    for part in parts {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        out[pair[0]] = pair.count > 1 ? pair[1] : ""
    }
    return out
}

private func cacheStatus(_ claim: String, _ holds: @escaping @Sendable ([String: String]) -> Bool) -> Check {
    Check(claim) { message in
        guard let status = ourCacheStatus(message) else { return "no Cache-Status of ours" }
        // RFC 9211 §2.2: a response is either a hit, or its request was forwarded.
        guard status["hit"] == nil || status["fwd"] == nil else { return "both hit and fwd: \(status)" }
        return holds(status) ? nil : "\(message.all("Cache-Status"))"
    }
}

/// The cache answered without forwarding the request.
func hit(ttl: Int? = nil) -> Check {
    cacheStatus(ttl.map { "a hit with ttl=\($0)" } ?? "a hit") { status in
        status["hit"] != nil && (ttl.map { status["ttl"] == "\($0)" } ?? true)
    }
}

/// The request was forwarded.
func forwarded() -> Check {
    cacheStatus("the request went forward") { $0["fwd"] != nil }
}

/// The request was forwarded for this reason. Only the other values that are given are compared.
func forwarded(_ reason: String, status code: Int? = nil, stored: Bool? = nil, collapsed: Bool? = nil) -> Check {
    var claim = "fwd=\(reason)"
    if let code { claim += ", fwd-status=\(code)" }
    if let stored { claim += stored ? ", stored" : ", not stored" }
    if let collapsed { claim += collapsed ? ", collapsed" : ", not collapsed" }
    return cacheStatus(claim) { found in
        found["fwd"] == reason && (code.map { found["fwd-status"] == "\($0)" } ?? true)
            && (stored.map { (found["stored"] != nil) == $0 } ?? true)
            && (collapsed.map { (found["collapsed"] != nil) == $0 } ?? true)
    }
}
