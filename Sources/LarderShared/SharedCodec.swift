// A stored response as a value in the engine. Layout of version 1, with big-endian numbers and texts preceded by their
// length: magic and version, flags, layer, the generations under which it was written, instants by the engine's clock,
// numbers, texts, parents, fields, and the body, plain or in gzip. At the end stands an HMAC-SHA-256 over all of it and
// the value's own name. So nobody without the fleet's key can create a value, change one, or move one to another name.
// A reader treats any damage as a miss.
import LarderCache
import LarderCore
import LarderHTTP

/// Encodes and decodes values. It has no state but its key.
struct SharedCodec: Sendable {
    private static let magic = Bytes(text: "LRDR\u{1}")
    private static let isGzip: UInt8 = 1
    private static let isNegative: UInt8 = 2
    /// The body size in bytes from which compressing is worth the work.
    private static let compressed = 1 << 10

    /// Why a value counts as a miss. The raw values are labels of `larder_shared_lookups_total`.
    enum Miss: String, Error, Sendable, Hashable {
        /// The value's code was not made with this fleet's key.
        case forged
        /// The value is damaged, of another version, or not a value of Larder.
        case unreadable
        /// The value belongs to another key with the same digest.
        case otherKey
        /// A removal has happened since the value was written.
        case removed
    }

    let key: HMACKey

    init(key: String) { self.key = HMACKey(Bytes(text: key)) }

    /// The bytes of a value that hold the instants of the request and of the response head. They differ between two
    /// responses of one name.
    static func instants(_ value: Bytes) -> Bytes { Bytes(value.dropFirst(39).prefix(16)) }

    /// The command that reads these instants from the engine.
    static func instants(of name: Bytes) -> Command {
        Command("GETRANGE", name, Bytes(text: "39"), Bytes(text: "54"))
    }

    // MARK: Writing

    /// Encodes an entry.
    /// - Parameters:
    ///   - name: the value's name in the engine.
    ///   - ahead: the engine's clock minus this host's.
    func encode(_ entry: StoredResponse, _ generations: SharedGenerations, name: Bytes, ahead: Duration) -> Bytes {
        var body = entry.body
        var flags: UInt8 = entry.isNegative ? Self.isNegative : 0
        if body.count >= Self.compressed, !entry.fields.contains(.contentEncoding), entry.layer != .artwork,
            let small = try? ContentCoding.gzip(body, level: 1), small.count + small.count / 8 < body.count
        {
            body = small
            flags |= Self.isGzip
        }
        var out = Bytes()
        out.reserveCapacity(body.count + 512 + entry.key.bytes.count)
        out.append(contentsOf: Self.magic)
        out.append(flags)
        out.append(entry.layer.rawValue)
        for generation in [generations.global, generations.provider] {
            Self.put(generation.high, &out)
            Self.put(generation.low, &out)
        }
        for time in [entry.requestTime, entry.responseTime, entry.freshUntil, entry.staleUntil] {
            Self.put(UInt64(bitPattern: (time + ahead).milliseconds), &out)
        }
        for figure in [entry.initialAge, Int64(entry.status), Int64(entry.normaliserVersion), Int64(entry.body.count)] {
            Self.put(UInt64(bitPattern: figure), &out)
        }
        Self.put(entry.key.bytes, &out)
        for text in [entry.provider, entry.endpoint, entry.reason, entry.label] { Self.put(Bytes(text.utf8), &out) }
        Self.put(UInt64(entry.parents.count), &out)
        for parent in entry.parents { out.append(contentsOf: parent.bytes) }
        Self.put(UInt64(entry.fields.count), &out)
        for line in entry.fields {
            Self.put(Bytes(line.name.utf8), &out)
            Self.put(Bytes(line.value.utf8), &out)
        }
        Self.put(body, &out)
        out.append(contentsOf: code(of: out, name).bytes)
        return out
    }

    /// The authentication code of bytes stored under a name.
    func code(of value: Bytes, _ name: Bytes) -> Digest {
        var text = Bytes()
        text.reserveCapacity(value.count + name.count + 8)
        Self.put(name, &text)
        text.append(contentsOf: value)
        return key.code(of: text)
    }

    private static func put(_ word: UInt64, _ out: inout Bytes) {
        for shift in stride(from: 56, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    private static func put(_ bytes: Bytes, _ out: inout Bytes) {
        put(UInt64(bytes.count), &out)
        out.append(contentsOf: bytes)
    }

    // MARK: Reading

    /// The parameters for decoding a value.
    struct Question {
        var key: CacheKey
        var name: Bytes
        /// The generations in force. A value of other generations is a miss.
        var generations: SharedGenerations
        /// The engine's clock minus this host's.
        var ahead: Duration
        /// The maximum size in bytes of a body after decompression.
        var maxObject: Int64
    }

    /// Decodes the response in a value.
    func decode(_ value: Bytes, _ question: Question) throws(Miss) -> StoredResponse {
        guard value.count > Self.magic.count + 32, value.starts(with: Self.magic) else { throw .unreadable }
        let signed = Bytes(value.dropLast(32))
        guard Self.areEqual(code(of: signed, question.name).bytes, Bytes(value.suffix(32))) else { throw .forged }
        var input = Input(bytes: signed, offset: Self.magic.count)
        guard let flags = input.byte(), let layer = input.byte().flatMap(CacheKey.Layer.init(rawValue:)),
            let generations = input.generations()
        else { throw .unreadable }
        guard generations == question.generations else { throw .removed }
        guard let times = input.words(4), let figures = input.words(4), let key = input.part() else {
            throw .unreadable
        }
        guard key == question.key.bytes else { throw .otherKey }
        guard let texts = input.texts(4), let parents = input.parents(), let fields = input.fields(),
            var body = input.part(), input.isAtEnd, figures[3] <= question.maxObject, figures[3] >= 0
        else { throw .unreadable }
        if flags & Self.isGzip != 0 {
            guard let plain = try? ContentCoding.inflate(body, coding: "gzip", limit: Int(clamping: figures[3])) else {
                throw .unreadable
            }
            body = plain
        }
        guard body.count == figures[3] else { throw .unreadable }
        let instants = times.map { WallTime(milliseconds: $0) + (.zero - question.ahead) }
        return StoredResponse(
            key: question.key, layer: layer, provider: texts[0], endpoint: texts[1],
            isNegative: flags & Self.isNegative != 0, status: Int(clamping: figures[1]), reason: texts[2],
            fields: fields, body: body, requestTime: instants[0], responseTime: instants[1], initialAge: figures[0],
            freshUntil: instants[2], staleUntil: instants[3], parents: parents,
            normaliserVersion: Int(clamping: figures[2]), label: texts[3])
    }

    /// Compares in a time that does not depend on where the bytes differ.
    private static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The part of a value that has not been read yet.
    private struct Input {
        let bytes: Bytes
        var offset: Int

        var isAtEnd: Bool { offset == bytes.count }

        mutating func byte() -> UInt8? {
            guard offset < bytes.count else { return nil }
            defer { offset += 1 }
            return bytes[offset]
        }

        mutating func word() -> UInt64? {
            guard bytes.count - offset >= 8 else { return nil }
            defer { offset += 8 }
            return bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }

        mutating func words(_ count: Int) -> [Int64]? {
            var words: [Int64] = []
            for _ in 0..<count {
                guard let word = word() else { return nil }
                words.append(Int64(bitPattern: word))
            }
            return words
        }

        /// Reads a count of items that take at least `size` bytes each. More items than could follow means damage.
        mutating func count(of size: Int) -> Int? {
            guard let word = word(), word <= UInt64((bytes.count - offset) / size) else { return nil }
            return Int(word)
        }

        mutating func part() -> Bytes? {
            guard let count = count(of: 1) else { return nil }
            defer { offset += count }
            return Bytes(bytes[offset..<offset + count])
        }

        mutating func texts(_ count: Int) -> [String]? {
            var texts: [String] = []
            for _ in 0..<count {
                guard let bytes = part() else { return nil }
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
            return texts
        }

        mutating func generations() -> SharedGenerations? {
            guard let a = word(), let b = word(), let c = word(), let d = word() else { return nil }
            return SharedGenerations(
                global: SharedGeneration(high: a, low: b), provider: SharedGeneration(high: c, low: d))
        }

        mutating func parents() -> [Digest]? {
            guard let count = count(of: 32) else { return nil }
            var parents: [Digest] = []
            for _ in 0..<count {
                guard let parent = Digest(bytes: Bytes(bytes[offset..<offset + 32])) else { return nil }
                offset += 32
                parents.append(parent)
            }
            return parents
        }

        mutating func fields() -> HeaderFields? {
            guard let count = count(of: 16) else { return nil }
            var fields = HeaderFields()
            for _ in 0..<count {
                guard let name = part(), let value = part() else { return nil }
                fields.add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            }
            return fields
        }
    }
}
