// Replies of the engine as values, and the reader that parses them with hiredis. Two bounds limit what the reader may
// hold. The bytes of one reply are bounded here. They are counted from the last whole reply on, because within an array
// hiredis keeps no more than the last element unread. The C shim bounds the number of elements of an array.
import CHiredis
import LarderCore

/// One reply of the engine.
enum Reply: Sendable, Hashable {
    case bytes(Bytes)
    case integer(Int64)
    case array([Reply])
    case none
    case status(String)
    case error(String)

    /// The bytes of a string reply; nil for any other reply.
    var bytes: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var elements: [Reply]? { if case .array(let elements) = self { elements } else { nil } }
    var failure: SharedFailure? { if case .error(let text) = self { SharedFailure(reply: text) } else { nil } }
}

/// Parses the replies of one connection. Confined to the loop of that connection.
final class ReplyReader {
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let reader: UnsafeMutablePointer<redisReader>
    private let limit: Int
    /// Bytes received since the last whole reply.
    private var pending = 0

    /// - Parameter limit: the maximum size of one reply in bytes.
    /// - Returns: nil if there is no memory.
    init?(limit: Int) {
        functions = .allocate(capacity: 1)
        functions.initialize(to: redisReplyObjectFunctions())
        guard let reader = larder_hiredis_reader(functions) else {
            functions.deallocate()
            return nil
        }
        self.reader = reader
        self.limit = limit
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// Adds received bytes and returns the replies that they complete.
    /// - Throws: `garbage`. The reader must not be used after that.
    func take(_ bytes: UnsafeRawBufferPointer) throws(SharedFailure) -> [Reply] {
        guard let base = bytes.bindMemory(to: CChar.self).baseAddress,
            redisReaderFeed(reader, base, bytes.count) == REDIS_OK
        else { throw .garbage }
        pending += bytes.count
        var replies: [Reply] = []
        while true {
            var raw: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &raw) == REDIS_OK else { throw .garbage }
            guard let raw else { break }
            defer { freeReplyObject(raw) }
            guard let reply = Self.value(raw.assumingMemoryBound(to: redisReply.self), depth: 0) else { throw .garbage }
            replies.append(reply)
            pending = larder_hiredis_unread(reader)
        }
        guard pending <= limit else { throw .garbage }
        return replies
    }

    /// Converts a reply. Replies nest no deeper than hiredis can read.
    private static func value(_ reply: UnsafePointer<redisReply>, depth: Int) -> Reply? {
        guard depth < 9 else { return nil }
        switch reply.pointee.type {
        case REDIS_REPLY_STRING: return .bytes(bytes(reply))
        case REDIS_REPLY_STATUS: return .status(String(decoding: bytes(reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: return .error(String(decoding: bytes(reply).prefix(200), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return .integer(reply.pointee.integer)
        case REDIS_REPLY_NIL: return Reply.none
        case REDIS_REPLY_ARRAY:
            var elements: [Reply] = []
            for index in 0..<reply.pointee.elements {
                guard let raw = larder_hiredis_element(reply, index), let element = value(raw, depth: depth + 1) else {
                    return nil
                }
                elements.append(element)
            }
            return .array(elements)
        default: return nil
        }
    }

    private static func bytes(_ reply: UnsafePointer<redisReply>) -> Bytes {
        guard let text = reply.pointee.str else { return [] }
        return Bytes(UnsafeRawBufferPointer(start: text, count: Int(reply.pointee.len)))
    }
}
