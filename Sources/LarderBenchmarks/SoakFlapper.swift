// A provider of a soak that fails at every other request for the whole time, as fast as one client can ask. Each answer
// changes its state, so everything that follows from a change is done as often as the machine can.
import CLinux
import Glibc
import LarderCore

/// The origin, and the client that sends it requests without a pause. Every URL is requested once.
struct SoakFlapper {
    static let provider = "flapping"

    let port: UInt16

    /// Starts the origin. A request for an odd number gets half of its answer, and then the connection's end.
    init() throws(Failure) {
        let listener = try SoakOrigin.listen()
        port = listener.port
        try SoakThread.start {
            while true {
                let descriptor = larder_accept4(listener.descriptor, nil, nil)
                guard descriptor >= 0 else { continue }
                _ = fcntl(descriptor, F_SETFL, 0)
                do { try SoakThread.start { Self.serve(SoakSocket(descriptor)) } } catch { close(descriptor) }
            }
        }
    }

    private static func serve(_ socket: SoakSocket) {
        while let (first, _) = try? socket.head() {
            let target = first.split(separator: " ").dropFirst().first ?? ""
            let isGood = target.utf8.last.map { $0 & 1 == 0 } ?? true
            let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(body.count)\r\n\r\n"
            guard isGood, (try? socket.write(Bytes(text: head) + body)) != nil else {
                // Half of the head: there is no answer that could be passed on.
                try? socket.write(Bytes(text: String(head.prefix(20))))
                return
            }
        }
    }

    static let body = Bytes(text: "every other request of this provider fails")

    /// Starts the client, which ends with the soak.
    func startClient(_ state: SoakState) throws(Failure) {
        try SoakThread.start {
            let client = SoakClient(state)
            var number = 0
            while !state.isOver {
                guard !state.isPaused else {
                    SoakThread.sleep(milliseconds: 20)
                    continue
                }
                state.addBusy(1)
                number += 1
                client.flap(number)
                state.addBusy(-1)
            }
        }
    }
}
