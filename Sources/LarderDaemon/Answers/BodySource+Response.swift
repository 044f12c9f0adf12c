// Turns a body into a response body: the whole or a part.
import LarderCore
import LarderEngine
import LarderServer

extension BodySource {
    /// The whole body as a response body.
    /// - Parameter isRead: whether the body is sent; false if only its length is needed.
    func response(isRead: Bool) -> ResponseBody {
        switch self {
        case .bytes(let bytes): return .bytes(bytes)
        case .large(let body): return .stream(body.reader(0..<body.length), length: body.length)
        case .tape(let body):
            guard isRead else { return .stream(WholeBodyReader([]), length: body.length) }
            return .stream(body.reader() ?? Self.gone, length: body.length)
        case .plain(let coded, let coding, let length):
            return .stream(isRead ? Self.inflating(coded, coding) : WholeBodyReader([]), length: length)
        }
    }

    private static func inflating(_ coded: BodySource, _ coding: String) -> any BodyReader {
        let reader: any BodyReader =
            switch coded.response(isRead: true) {
            case .stream(let reader, _): reader
            case .bytes(let bytes): WholeBodyReader(bytes)
            case .empty, .slices: gone
            }
        return InflatingReader(reader, coding: coding) ?? gone
    }

    private static var gone: any BodyReader { FailingBodyReader("The beginning of the body is no longer kept.") }

    /// A part of the body as a response body.
    func part(_ range: Range<Int64>) -> ResponseBody {
        let count = range.upperBound - range.lowerBound
        switch self {
        case .bytes(let bytes): return .bytes(Bytes(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        case .large(let body): return .stream(body.reader(range), length: count)
        case .tape(let body):
            let reader: any BodyReader = body.reader() ?? Self.gone
            return .stream(RangeBodyReader(reader, range: range), length: count)
        case .plain(let coded, let coding, _):
            return .stream(RangeBodyReader(Self.inflating(coded, coding), range: range), length: count)
        }
    }
}
