// The server's counter cells, looked up once at start.
import LarderCore
import LarderHTTP

/// One cell for each thing that the server counts.
final class ServerCells: Sendable {
    let accepted: CounterCell
    let open: CounterCell
    let connectionsLimit: CounterCell
    let left: CounterCell
    let sentBytes: CounterCell
    let connectionPauses: CounterCell
    let smallBuffers: CounterCell
    let descriptorPauses: CounterCell
    let foreignHost: CounterCell
    let crossSite: CounterCell
    let forwardProxy: CounterCell
    let tunnels: CounterCell
    private let tunnelBytes: (sent: CounterCell, received: CounterCell)
    private let tunnelEndings: [TunnelEnding: CounterCell]
    let proxyRefusals: CounterCell
    let tlsFailures: CounterCell
    let proxyPasswords: CounterCell
    let slowUploads: CounterCell
    let slowReaders: CounterCell
    let shed: CounterCell
    private let faults: [RequestFault: CounterCell]
    private let outcomes: [CacheOutcome: CounterCell]
    private let timeouts: [ConnectionMachine.Wait: CounterCell]
    let writeTimeouts: CounterCell
    private let cuts: [StreamEnding: CounterCell]
    private let counters: CounterRegistry

    init(_ counters: CounterRegistry) {
        self.counters = counters
        accepted = counters.cell(ServerCounters.accepted)
        open = counters.cell(ServerCounters.open)
        connectionsLimit = counters.cell(ServerCounters.connectionsLimit)
        left = counters.cell(ServerCounters.left)
        sentBytes = counters.cell(ServerCounters.sentBytes)
        smallBuffers = counters.cell(ServerCounters.smallBuffers)
        connectionPauses = counters.cell(ServerCounters.pauses, "connections")
        descriptorPauses = counters.cell(ServerCounters.pauses, "descriptors")
        foreignHost = counters.cell(ServerCounters.refusals, "foreignHost")
        crossSite = counters.cell(ServerCounters.refusals, "crossSite")
        forwardProxy = counters.cell(ServerCounters.refusals, "notAProxy")
        tunnels = counters.cell(ServerCounters.tunnels)
        tunnelBytes = (
            counters.cell(ServerCounters.tunnelBytes, "sent"), counters.cell(ServerCounters.tunnelBytes, "received")
        )
        tunnelEndings = Dictionary(
            uniqueKeysWithValues: TunnelEnding.allCases.map {
                ($0, counters.cell(ServerCounters.tunnelEndings, $0.rawValue))
            })
        tlsFailures = counters.cell(ServerCounters.tlsFailures)
        proxyRefusals = counters.cell(ServerCounters.refusals, "proxyRule")
        proxyPasswords = counters.cell(ServerCounters.refusals, "proxyPassword")
        slowUploads = counters.cell(ServerCounters.slow, "upload")
        slowReaders = counters.cell(ServerCounters.slow, "answer")
        shed = counters.cell(ServerCounters.shed)
        faults = Dictionary(
            uniqueKeysWithValues: RequestFault.allCases.map { ($0, counters.cell(ServerCounters.refusals, $0.code)) })
        outcomes = Dictionary(
            uniqueKeysWithValues: CacheOutcome.allCases.map {
                ($0, counters.cell(ServerCounters.requests, $0.rawValue))
            })
        timeouts = [
            .nextRequest: counters.cell(ServerCounters.timeouts, "idle"),
            .head: counters.cell(ServerCounters.timeouts, "head"),
            .body: counters.cell(ServerCounters.timeouts, "body"),
            .clientEnd: counters.cell(ServerCounters.timeouts, "linger"),
        ]
        writeTimeouts = counters.cell(ServerCounters.timeouts, "write")
        cuts = Dictionary(
            uniqueKeysWithValues: [StreamEnding.failed, .wrongLength, .left].map {
                ($0, counters.cell(ServerCounters.cuts, $0.rawValue))
            })
    }

    func refused(_ fault: RequestFault) { faults[fault]?.add() }
    func answered(_ response: ServerResponse, after took: Duration) {
        outcomes[response.outcome]?.add()
        counters.histogram(ServerCounters.durations, response.provider ?? "none", response.outcome.rawValue)
            .observe(took)
    }
    func ended(_ tunnel: TunnelRecord) {
        tunnelEndings[tunnel.ending]?.add()
    }
    /// Counts bytes that have passed through tunnels.
    func passed(sent: Int, received: Int) {
        tunnelBytes.sent.add(sent)
        tunnelBytes.received.add(received)
    }

    func cut(_ ending: StreamEnding) { cuts[ending]?.add() }
    func timedOut(_ wait: ConnectionMachine.Wait) { timeouts[wait]?.add() }
}
