// The answers of a tape. Requests come to the stand-in's own address, so what names the recorded host is, in this order:
// the `Host` field, the first segment of the path (/api.example.com/search), or that the tape has one host only.
import LarderCore
import LarderHTTP
import LarderTape

/// A tape that a stand-in plays.
public final class OriginTape: Sendable {
    /// The recorded hosts with their ports, sorted.
    public let hosts: [String]
    /// The files that are torn and never played.
    public let torn: [String]
    private let replay: TapeReplay
    private let state = Lock(TapeReplay.State())
    /// The scheme of each host. A client of the stand-in tells none: if a host was recorded with both, https counts.
    private let schemes: [String: String]

    /// Nil if the folder is no tape.
    init?(folder: String) throws(OriginError) {
        do throws(TapeFault) {
            let tape = try Tape(path: folder)
            guard try tape.files().contains(TapeRules.file) else { return nil }
            let contents = try tape.load()
            replay = TapeReplay(contents.recordings, rules: tape.rules, secrets: tape.secrets)
            let urls = contents.recordings.map(\.exchange.request.url)
            schemes = Dictionary(urls.map { ($0.authority, $0.scheme) }, uniquingKeysWith: max)
            hosts = schemes.keys.sorted()
            torn = contents.torn.map { "\($0)" }
        } catch {
            throw OriginError("\(folder): \(error)")
        }
    }

    func answer(_ request: OriginRequest) -> OriginAnswer {
        guard let url = recorded(request) else { return .text(400, "Bad Request") }
        let asked = TapeRequest(request.method, url, fields: request.fields, content: request.body)
        switch state.withLock({ replay.answer(asked, &$0) }) {
        case .recording(let found):
            let answer = found.exchange.answer
            return OriginAnswer(status: answer.status, fields: answer.fields, body: answer.body)
        case .miss(let miss):
            let fields: HeaderFields = ["Content-Type": "application/problem+json", "Cache-Control": "no-store"]
            return OriginAnswer(status: TapeMiss.status, fields: fields, body: miss.problem)
        }
    }

    /// The URL that the request has at the recorded host. If it names none of several, its own: that is a miss, whose
    /// differences name the host.
    private func recorded(_ request: OriginRequest) -> HTTPURL? {
        let host = (request.fields.first("Host") ?? "").lowercased()
        let first = request.path.dropFirst().prefix { $0 != "/" }
        var (authority, path) = (hosts.count == 1 ? hosts[0] : host, request.path[...])
        if schemes[host] != nil {
            authority = host
        } else if schemes[first.lowercased()] != nil {
            (authority, path) = (first.lowercased(), path.dropFirst(1 + first.count))
        }
        return HTTPURL("\(schemes[authority] ?? "http")://\(authority)\(path)\(request.query.map { "?\($0)" } ?? "")")
    }
}
