// Commands to the engine as bytes. hiredis formats each command from its separate words. No word is ever parsed, so
// none can be split into two.
import CHiredis
import LarderCore

/// One command.
struct Command: Sendable {
    var words: [Bytes]

    init(_ words: Bytes...) { self.words = words }

    init(_ name: String, _ words: Bytes...) { self.words = [Bytes(text: name)] + words }

    /// Formats the commands in the order in which they are sent. Returns nil if there is no memory.
    static func format(_ commands: [Command]) -> Bytes? {
        var out = Bytes()
        for command in commands {
            guard command.append(to: &out) else { return nil }
        }
        return out
    }

    private func append(to out: inout Bytes) -> Bool {
        let lengths = words.map(\.count)
        let joined = words.flatMap { $0 }
        var target: UnsafeMutablePointer<CChar>?
        let count = joined.withUnsafeBytes { raw -> Int32 in
            // An empty word still needs an address.
            let base = raw.bindMemory(to: CChar.self).baseAddress
            var offset = 0
            var places: [UnsafePointer<CChar>?] = lengths.map { length in
                defer { offset += length }
                return base.map { $0 + offset }
            }
            return redisFormatCommandArgv(&target, Int32(places.count), &places, lengths)
        }
        guard count > 0, let target else { return false }
        defer { redisFreeCommand(target) }
        out.append(contentsOf: UnsafeRawBufferPointer(start: target, count: Int(count)))
        return true
    }
}
