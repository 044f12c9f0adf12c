// The form in which memory answers a request with conditions or a range: RFC 9110 §13.2.2 and §14.2, applied to the raw
// bytes of the head. It decides plainly written values only. All others go to the slow path, which has the same rules
// (`Conditional`, `ByteRange`).
import Glibc
import LarderCore
import LarderHTTP

/// Which part of a ready response is sent.
enum HitForm: Equatable {
    case whole
    case notModified
    /// A slice of the body: at least one byte. It may be all of the body.
    case part(start: Int, end: Int)
    /// Memory cannot decide; the request goes to the slow path.
    case undecided

    /// The form that the request's conditions and range ask for.
    @inline(never)
    static func chosen(
        by head: RequestHead, _ bytes: UnsafeBufferPointer<UInt8>, for response: ReadyResponse, now: WallTime
    ) -> HitForm {
        guard response.hasConditions else { return .undecided }
        if head.flags.contains(.ifNoneMatch) {
            // If-None-Match takes precedence over If-Modified-Since, which is ignored beside it.
            switch isListed(response, in: head.ifNoneMatch.bytes(in: bytes)) {
            case .yes: return .notModified
            case .no: break
            case .unknown: return .undecided
            }
        } else if head.flags.contains(.ifModifiedSince), response.lastModified != .max {
            let value = head.ifModifiedSince.bytes(in: bytes)
            if equal(value, response.lastModifiedText) { return .notModified }
            // A value that is not a valid date is ignored.
            if let since = HTTPDate.parse(bytes: value, now: now), response.lastModified <= since.seconds {
                return .notModified
            }
        }
        guard head.flags.contains(.range), head.methodCode == .get else { return .whole }
        if head.flags.contains(.ifRange) {
            switch isSame(response, as: head.ifRange.bytes(in: bytes)) {
            case .yes: break
            case .no: return .whole
            case .unknown: return .undecided
            }
        }
        return part(head.range.bytes(in: bytes), of: response.length)
    }

    private enum Verdict {
        case yes, no, unknown
    }

    @inline(__always)
    private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ known: Bytes) -> Bool {
        guard bytes.count == known.count, bytes.count > 0, let start = bytes.baseAddress else { return false }
        return known.withUnsafeBufferPointer { known in
            known.baseAddress.map { memcmp(start, $0, bytes.count) == 0 } ?? false
        }
    }

    /// The end of the entity tag that begins at `start`, after any "W/"; nil if there is no valid tag.
    @inline(__always)
    private static func tagEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == 0x22 else { return nil }
        var place = start + 1
        while place < bytes.count, bytes[place] != 0x22 {
            // RFC 9110 §8.8.3, etagc: no white space in a tag. Other parsers would read such a tag differently.
            guard bytes[place] > 0x20, bytes[place] != 0x7F else { return nil }
            place += 1
        }
        return place < bytes.count ? place + 1 : nil
    }

    private static func isWeakMark(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        place + 1 < bytes.count && bytes[place] == 0x57 && bytes[place + 1] == 0x2F
    }

    /// `If-None-Match` by weak comparison (RFC 9110 §13.1.2). "*" matches any stored response.
    private static func isListed(_ response: ReadyResponse, in list: UnsafeBufferPointer<UInt8>) -> Verdict {
        if list.count == 1, list[0] == 0x2A { return .yes }
        var place = 0
        while true {
            while place < list.count, list[place] == 0x20 || list[place] == 0x09 || list[place] == 0x2C { place += 1 }
            guard place < list.count else { return .no }
            if isWeakMark(list, at: place) { place += 2 }
            guard let end = tagEnd(list, from: place) else { return .unknown }
            let tag = UnsafeBufferPointer(rebasing: list[place..<end])
            place = end
            while place < list.count, list[place] == 0x20 || list[place] == 0x09 { place += 1 }
            guard place == list.count || list[place] == 0x2C else { return .unknown }
            if equal(tag, response.tag) { return .yes }
        }
    }

    /// `If-Range` by strong comparison (RFC 9110 §13.1.5). A date is left to the slow path.
    private static func isSame(_ response: ReadyResponse, as value: UnsafeBufferPointer<UInt8>) -> Verdict {
        let isWeak = isWeakMark(value, at: 0)
        guard let end = tagEnd(value, from: isWeak ? 2 : 0), end == value.count else { return .unknown }
        return !isWeak && !response.isTagWeak && equal(value, response.tag) ? .yes : .no
    }

    /// The slice of a body of that length for a single, plainly written range (RFC 9110 §14.1.2).
    private static func part(_ value: UnsafeBufferPointer<UInt8>, of length: Int) -> HitForm {
        guard value.count > 6, length > 0, let start = value.baseAddress, isBytesUnit(start) else { return .undecided }
        var place = 6
        let first = number(value, &place)
        guard place < value.count, value[place] == 0x2D else { return .undecided }
        place += 1
        let last = number(value, &place)
        guard place == value.count else { return .undecided }
        let range: Range<Int>
        switch (first, last) {
        case (let first?, let last?):
            guard first <= last, first < length else { return .undecided }
            range = first..<min(last, length - 1) + 1
        case (let first?, nil):
            guard first < length else { return .undecided }
            range = first..<length
        case (nil, let count?):
            guard count > 0 else { return .undecided }
            range = max(0, length - count)..<length
        case (nil, nil): return .undecided
        }
        return .part(start: range.lowerBound, end: range.upperBound)
    }

    /// Whether the value begins with "bytes=", with letters in either case (RFC 9110 §14.1).
    private static func isBytesUnit(_ start: UnsafePointer<UInt8>) -> Bool {
        let unit: StaticString = "bytes"
        for index in 0..<5 where start[index] | 0x20 != unit.utf8Start[index] { return false }
        return start[5] == 0x3D
    }

    /// Reads up to 18 digits; nil if there are none. If more follow, `place` stays on a digit, where the caller expects
    /// another character, and the form is undecided.
    @inline(__always)
    private static func number(_ value: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int? {
        var figure = 0
        let start = place
        while place < value.count, place - start < 18, ASCII.isDigit(value[place]) {
            figure = figure &* 10 &+ Int(value[place] &- 0x30)
            place += 1
        }
        return place > start ? figure : nil
    }
}
