// Sends requests to all hosts of a fleet at once: one on each connection, then reads all answers. Identical requests
// arrive at several hosts at the same time.
import LarderCore

struct SharedLoad {
    private let hosts: [MeasuredLarder]
    private let page: Bytes
    private var clients: [(host: Int, client: ProbeClient)] = []
    /// Whether a budget may refuse requests. 429 and 503 are then no errors.
    private let mayRefuse: Bool
    private(set) var answered = 0
    private(set) var refused = 0
    /// Results that no client should see: another status, a wrong body, a connection that ends.
    private(set) var errors = 0
    private(set) var firstError = ""

    /// The number of requests in one wave.
    var width: Int { clients.count }

    init(_ ground: SharedGround, perHost: Int, mayRefuse: Bool = false) throws(Failure) {
        hosts = ground.hosts
        page = ground.page
        self.mayRefuse = mayRefuse
        for _ in 0..<perHost {
            for host in hosts.indices {
                clients.append((host, try ProbeClient(port: hosts[host].ownPort, patience: 30)))
            }
        }
    }

    /// Sends one request on each connection and reads all answers.
    mutating func wave(_ terms: [Int]) throws(Failure) {
        var sent: [(place: Int, path: String)] = []
        for (place, term) in terms.prefix(clients.count).enumerated() {
            let path = SharedGround.path(term)
            do throws(Failure) {
                try clients[place].client.send(ProbeClient.request(path, port: hosts[clients[place].host].ownPort))
                sent.append((place, path))
            } catch {
                try failed(place, error.text)
            }
        }
        for (place, path) in sent {
            do throws(Failure) {
                let reply = try clients[place].client.receiveReply(path, hasBody: true)
                if reply.status == 200, reply.body == page {
                    answered += 1
                } else if mayRefuse, reply.status == 429 || reply.status == 503 {
                    refused += 1
                } else {
                    note(error: "\(path): status \(reply.status), \(reply.body.count) bytes")
                }
            } catch {
                try failed(place, error.text)
            }
        }
    }

    private mutating func note(error: String) {
        errors += 1
        if firstError.isEmpty { firstError = error }
    }

    private mutating func failed(_ place: Int, _ text: String) throws(Failure) {
        note(error: text)
        clients[place].client = try ProbeClient(port: hosts[clients[place].host].ownPort, patience: 30)
    }
}
