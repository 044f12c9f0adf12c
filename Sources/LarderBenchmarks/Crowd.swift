// A thousand clients request the same uncached object at once. The origin takes 300 ms, so all requests arrive before
// its answer. The origin counts its requests.
import CLinux
import Glibc
import LarderCore

/// The results of the crowds of one server.
struct CrowdFigures {
    var upstreamCalls = Sample()
    /// From the first request to the last answer, in milliseconds, including the origin's 300 ms.
    var milliseconds = Sample()
}

struct CrowdRun {
    static let clients = 1000
    let stand: Stand

    func measure() throws(Failure) -> [ServerKind: CrowdFigures] {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var figures: [ServerKind: CrowdFigures] = [:]
        for kind in [ServerKind.nginx, .varnish, .larder] where stand.arguments.servers.contains(kind) {
            let server = try kind.start(on: stand, origin: origin.port, job: .crowd)
            defer { server.process.stop() }
            for round in 1...stand.arguments.rounds {
                let before = try origin.requestCount()
                let text = try stand.pinned(["crowd", "\(server.port)", "\(Self.clients)", "\(round)"], seconds: 60)
                guard let nanoseconds = Int64(text.filter(\.isNumber)) else { throw .failed("crowd", "no result") }
                let calls = try origin.requestCount() - before
                figures[kind, default: CrowdFigures()].upstreamCalls.add(Double(calls))
                figures[kind, default: CrowdFigures()].milliseconds.add(Double(nanoseconds) / 1e6)
                note("\(Self.clients) identical misses, \(kind.title): \(calls) upstream calls")
            }
        }
        return figures
    }

    /// The work of the pinned child: it opens all connections, then sends all requests, then reads and compares all
    /// answers.
    static func part(_ words: [String]) throws(Failure) {
        guard words.count == 4, let port = UInt16(words[1]), let count = Int(words[2]), let id = Int(words[3]) else {
            throw .usage("--part crowd is for the harness itself")
        }
        let object = OriginObject(kind: .slow, size: 10_240, id: id)
        let pool = Pool()
        var clients: [ProbeClient] = []
        for _ in 0..<count { clients.append(try ProbeClient(port: port, patience: 30)) }
        let request = ProbeClient.request(object.path, port: port)
        let start = monotonicNanoseconds()
        for client in clients { try client.send(request) }
        for client in clients {
            let reply = try client.receiveReply(object.path, hasBody: true)
            guard reply.status == 200, pool.isBody(reply.body, of: object) else {
                throw .failed(object.path, "status \(reply.status), \(reply.body.count) bytes")
            }
        }
        print(monotonicNanoseconds() - start)
    }
}
