// The head of an entry as one blob: everything about an answer except the body, the times of its freshness, and what
// the database itself must see (key, label, sizes).
//
// Layout, version 1: the version byte, then numbers as LEB128 (signed ones zigzag) and texts as length and UTF-8.
// Damage reads as nil and never traps: each read is checked against the bytes that are left.
import LarderCore

enum EntryCodec {
    static let version: UInt8 = 1

    static func encode(_ entry: StoredResponse) -> Bytes {
        // A number takes at most ten bytes. A byte of a field takes two in UTF-8 if it is no ASCII.
        let numbers = 10 * (11 + 2 * entry.fields.count)
        let texts = entry.provider.utf8.count + entry.endpoint.utf8.count + entry.reason.utf8.count
        let variant = entry.variant.map { 128 + ($0.language?.utf8.count ?? 0) } ?? 0
        return Bytes(room: 3 + numbers + texts + 32 * entry.parents.count + 2 * entry.fields.wireSize + variant) {
            memory, count in
            var out = ByteCursor(memory)
            out.put(version)
            out.put(entry.layer.rawValue)
            out.put((entry.isNegative ? 1 : 0) | (entry.variant == nil ? 0 : 2))
            put(signed: Int64(entry.status), &out)
            put(signed: entry.requestTime.milliseconds, &out)
            put(signed: entry.responseTime.milliseconds, &out)
            put(entry.arrival, &out)
            put(signed: entry.initialAge, &out)
            put(signed: Int64(entry.normaliserVersion), &out)
            put(entry.provider, &out)
            put(entry.endpoint, &out)
            put(entry.reason, &out)
            put(UInt64(entry.parents.count), &out)
            for parent in entry.parents {
                put(parent, &out)
            }
            put(UInt64(entry.fields.count), &out)
            entry.fields.visit { line in
                put(utf8Of: line.name, &out)
                put(utf8Of: line.value, &out)
                return true
            }
            if let variant = entry.variant { put(variant, &out) }
            count = out.count
        }
    }

    /// The entry of a head and its other columns; nil if the head is damaged or of another version.
    static func decode(
        _ raw: UnsafeRawBufferPointer, key: CacheKey, body: Bytes, freshUntil: Int64, staleUntil: Int64, label: String
    ) -> StoredResponse? {
        var input = Input(raw: raw)
        guard input.byte() == version, let layer = input.byte().flatMap(CacheKey.Layer.init(rawValue:)),
            let flags = input.byte(), flags < 4, let status = input.signed(), let requestTime = input.signed(),
            let responseTime = input.signed(), let arrival = input.number(), let initialAge = input.signed(),
            let normaliser = input.signed(),
            let provider = input.text(), let endpoint = input.text(), let reason = input.text(),
            let parentCount = input.count(of: 32)
        else { return nil }
        var parents: [Digest] = []
        for _ in 0..<parentCount {
            guard let bytes = input.take(32), let parent = Digest(bytes: Bytes(bytes)) else { return nil }
            parents.append(parent)
        }
        guard let fieldCount = input.count(of: 2) else { return nil }
        var fields = HeaderFields()
        fields.reserve(lines: fieldCount, bytes: raw.count - input.offset)
        for _ in 0..<fieldCount {
            guard let name = input.part(), let value = input.part() else { return nil }
            fields.add(utf8Name: name, utf8Value: value)
        }
        var variant: StoredVariant?
        if flags & 2 != 0 {
            variant = input.variant()
            if variant == nil { return nil }
        }
        guard input.isAtEnd else { return nil }
        var entry = StoredResponse(
            key: key, layer: layer, provider: provider, endpoint: endpoint, isNegative: flags & 1 != 0,
            status: Int(status), reason: reason, fields: fields, body: body,
            requestTime: WallTime(milliseconds: requestTime), responseTime: WallTime(milliseconds: responseTime),
            initialAge: initialAge, freshUntil: WallTime(milliseconds: freshUntil),
            staleUntil: WallTime(milliseconds: staleUntil), parents: parents, normaliserVersion: Int(normaliser),
            label: label)
        entry.arrival = arrival
        if let variant { entry.variant = variant }
        return entry
    }

    /// When the answer was received, and its number among those received, read from a head without the rest of it.
    static func arrival(of raw: UnsafeRawBufferPointer) -> (at: WallTime, number: UInt64)? {
        var input = Input(raw: raw)
        guard input.byte() == version, input.byte() != nil, input.byte() != nil, input.signed() != nil,
            input.signed() != nil, let time = input.signed(), let number = input.number()
        else { return nil }
        return (WallTime(milliseconds: time), number)
    }

    /// The facts at the beginning of a head.
    struct Origin {
        var provider: String
        var at: WallTime
        var layer: CacheKey.Layer?
        var status: Int
    }

    /// Provider, time, layer and status of the answer, read from a head without the rest of it.
    static func origin(of raw: UnsafeRawBufferPointer) -> Origin? {
        var input = Input(raw: raw)
        guard input.byte() == version, let layer = input.byte(), input.byte() != nil, let status = input.signed(),
            input.signed() != nil, let time = input.signed(), input.number() != nil, input.signed() != nil,
            input.signed() != nil, let provider = input.text()
        else { return nil }
        return Origin(
            provider: provider, at: WallTime(milliseconds: time), layer: CacheKey.Layer(rawValue: layer),
            status: Int(truncatingIfNeeded: status))
    }

    /// The facts that a purge may ask of the row with this head.
    static func facts(label: String, head: UnsafeRawBufferPointer) -> EntryFacts {
        let origin = origin(of: head)
        return EntryFacts(
            provider: origin?.provider, label: label, layer: origin?.layer, receivedAt: origin?.at)
    }

    private static func put(_ digest: Digest, _ out: inout ByteCursor) {
        digest.withRawBytes { out.put($0.assumingMemoryBound(to: UInt8.self)) }
    }

    private static func put(_ variant: StoredVariant, _ out: inout ByteCursor) {
        put(variant.url, &out)
        put(variant.selection, &out)
        put(variant.rest, &out)
        put(signed: variant.date.milliseconds, &out)
        out.put(variant.putsOthersInDoubt ? 1 : 0)
        put(variant.language ?? "", &out)
    }

    private static func put(_ value: UInt64, _ out: inout ByteCursor) {
        var value = value
        while value >= 0x80 {
            out.put(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        out.put(UInt8(truncatingIfNeeded: value))
    }

    private static func put(signed value: Int64, _ out: inout ByteCursor) {
        put(UInt64(bitPattern: value << 1 ^ value >> 63), &out)
    }

    /// Writes the UTF-8 form of the text whose scalars stand for the bytes. For ASCII it is the bytes.
    private static func put(utf8Of bytes: UnsafeBufferPointer<UInt8>, _ out: inout ByteCursor) {
        var others = 0
        for byte in bytes { others += Int(byte >> 7) }
        guard others > 0 else {
            put(UInt64(bytes.count), &out)
            out.put(bytes)
            return
        }
        put(HeaderField.text(bytes), &out)
    }

    private static func put(_ text: String, _ out: inout ByteCursor) {
        put(UInt64(text.utf8.count), &out)
        out.put(text)
    }

    /// Reads a head from its beginning to its end.
    private struct Input {
        let raw: UnsafeRawBufferPointer
        var offset = 0

        init(raw: UnsafeRawBufferPointer) { self.raw = raw }

        var isAtEnd: Bool { offset == raw.count }

        mutating func byte() -> UInt8? {
            guard offset < raw.count else { return nil }
            defer { offset += 1 }
            return raw[offset]
        }

        mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count <= raw.count - offset else { return nil }
            defer { offset += count }
            return UnsafeRawBufferPointer(rebasing: raw[offset..<offset + count])
        }

        mutating func number() -> UInt64? {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while let next = byte() {
                guard shift < 63 || next <= 1 else { return nil }
                value |= UInt64(next & 0x7F) << shift
                if next < 0x80 { return value }
                shift += 7
                if shift > 63 { return nil }
            }
            return nil
        }

        mutating func signed() -> Int64? {
            number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
        }

        /// The number of items that each take at least `size` bytes. More than the remaining bytes can hold is damage:
        /// nil.
        mutating func count(of size: Int) -> Int? {
            guard let value = number(), value <= UInt64((raw.count - offset) / size) else { return nil }
            return Int(value)
        }

        mutating func part() -> UnsafeRawBufferPointer? {
            guard let length = count(of: 1) else { return nil }
            return take(length)
        }

        mutating func text() -> String? { part().map { String(decoding: $0, as: UTF8.self) } }

        mutating func digest() -> Digest? { take(32).flatMap { Digest(raw: $0) } }

        mutating func variant() -> StoredVariant? {
            guard let url = digest(), let selection = digest(), let rest = digest(), let date = signed(),
                let doubt = byte(), doubt < 2, let language = text()
            else { return nil }
            return StoredVariant(
                url: url, selection: selection, date: WallTime(milliseconds: date), putsOthersInDoubt: doubt == 1,
                language: language.isEmpty ? nil : language, rest: rest)
        }
    }
}
