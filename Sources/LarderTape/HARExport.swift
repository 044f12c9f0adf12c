// Writes recordings as HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), with all members that the
// format demands. What a tape does not know has the value that the format names for that: -1 for sizes and times.
import LarderCore
import LarderHTTP

/// Writes archives.
public enum HARExport {
    /// - Parameters:
    ///   - version: of the program that writes, for `creator`.
    ///   - now: the time of entries whose answer has no readable `Date`.
    public static func text(_ recordings: [TapeRecording], version: String, now: WallTime) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("log")
            writer.object { writer in
                writer.member("version", "1.2")
                writer.name("creator")
                writer.object {
                    $0.member("name", "larder")
                    $0.member("version", version)
                }
                writer.name("entries")
                writer.array { writer in
                    for recording in recordings { write(recording, now, to: &writer) }
                }
            }
        }
        return writer.bytes + [0x0A]
    }

    private static let timings = Bytes(
        text: #"{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":0,"receive":0}"#)

    private static func write(_ recording: TapeRecording, _ now: WallTime, to writer: inout JSONWriter) {
        let (request, answer) = (recording.exchange.request, recording.exchange.answer)
        let time = answer.fields.first(.date).flatMap { HTTPDate.parse($0, now: now) } ?? now
        writer.object { writer in
            writer.member("startedDateTime", time.rfc3339Milliseconds)
            writer.member("time", 0)
            writer.name("request")
            writer.object { write(request, to: &$0) }
            writer.name("response")
            writer.object { write(answer, to: &$0) }
            writer.member("cache", raw: Bytes(text: "{}"))
            writer.member("timings", raw: timings)
            writer.member("comment", "\(recording.name)")
        }
    }

    private static func write(_ request: TapeRequest, to writer: inout JSONWriter) {
        writer.member("method", request.method.name)
        writer.member("url", request.url.text)
        head(request.fields, request.content, to: &writer)
        let query = request.url.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        pairs("queryString", TapeFacts.pairs(query.utf8), to: &writer)
        guard !request.content.isEmpty else { return }
        writer.name("postData")
        writer.object { content(request.content, request.fields, encoding: "_encoding", to: &$0) }
    }

    private static func write(_ answer: TapeAnswer, to writer: inout JSONWriter) {
        writer.member("status", answer.status)
        writer.member("statusText", "")
        head(answer.fields, answer.body, to: &writer)
        writer.name("content")
        writer.object { writer in
            writer.member("size", answer.body.count)
            content(answer.body, answer.fields, encoding: "encoding", to: &writer)
        }
        writer.member("redirectURL", answer.fields.first(.location) ?? "")
    }

    private static func head(_ fields: HeaderFields, _ body: Bytes, to writer: inout JSONWriter) {
        writer.member("httpVersion", "HTTP/1.1")
        // Cookies are secrets and not in a tape. The member must be there.
        writer.member("cookies", strings: [])
        pairs("headers", fields.map { ($0.name, $0.value) }, to: &writer)
        writer.member("headersSize", -1)
        writer.member("bodySize", body.count)
    }

    private static func pairs(_ name: String, _ pairs: [(String, String)], to writer: inout JSONWriter) {
        writer.name(name)
        writer.array { writer in
            for (name, value) in pairs {
                writer.object {
                    $0.member("name", name)
                    $0.member("value", value)
                }
            }
        }
    }

    /// - Parameter encoding: HAR 1.2 has a member for base64 in an answer's content and none in that of a request,
    ///   where only a name that begins with "_" is free.
    private static func content(_ bytes: Bytes, _ fields: HeaderFields, encoding: String, to writer: inout JSONWriter) {
        writer.member("mimeType", fields.first(.contentType) ?? "")
        writer.member("text", bytes.strictText ?? Base64.encode(bytes))
        if bytes.strictText == nil { writer.member(encoding, "base64") }
    }
}
