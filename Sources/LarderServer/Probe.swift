// The watchdog's probe: does a request get through? The probe takes the same path as any client's request, except for
// the listening socket, whose queue may be full. It uses a socketpair, and the loop serves one end like a connection.
import LarderCore
import LarderIO

/// The client's end of one probe. Confined to the probed loop.
final class Probe: EventHandler {
    private let descriptor: Int32
    private let loop: EventLoop
    /// Fulfilled by the response or by the deadline, whichever comes first.
    private let answer: Promise<Bool>
    private var registration: Registration?
    private var received: Bytes = []

    /// Probes one loop. Returns true if it answers 200 within the limit.
    static func run(path: String, on loop: EventLoop, worker: LoopBound<Worker>, within limit: Duration) async -> Bool {
        let answer = Promise<Bool>()
        // Not on one of the server's loops: a stuck loop could not report that it is stuck.
        let alarm = Task.detached {
            do {
                try await Task.sleep(for: limit)
                answer.fulfil(false)
            } catch {
                // Cancelled because the answer came.
            }
        }
        defer { alarm.cancel() }
        loop.post {
            do throws(SystemError) {
                let (near, far) = try Socket.pair()
                worker.value.adopt(near, from: Probe.listener, isProbe: true)
                try Probe(descriptor: far, loop: loop, answer: answer).begin(path: path)
            } catch {
                answer.fulfil(false)
            }
        }
        return await answer.wait()
    }

    /// Takes the place of a listener. A probe's connection does not come from one.
    private static let listener = ListenerSpec(address: .unix(""), number: .max)

    private init(descriptor: Int32, loop: EventLoop, answer: Promise<Bool>) {
        self.descriptor = descriptor
        self.loop = loop
        self.answer = answer
    }

    private func begin(path: String) throws(SystemError) {
        do throws(SystemError) {
            registration = try loop.register(descriptor, .readable, handler: self)
        } catch {
            Syscall.close(descriptor)
            throw error
        }
        let request = Bytes(text: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let sent = request.withUnsafeBytes { Syscall.send(descriptor, $0) }
        if sent != .bytes(request.count) { end(false) }
    }

    func ready(_ events: ReadyEvents) {
        let transfer = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let transfer = Syscall.receive(descriptor, into: buffer)
            if case .bytes(let count) = transfer, received.count < 64 * 1024 {
                received.append(contentsOf: buffer[..<count])
            }
            return transfer
        }
        switch transfer {
        case .bytes, .wouldBlock: break
        case .end: end(received.starts(with: "HTTP/1.1 200 ".utf8))
        case .failed: end(false)
        }
    }

    private func end(_ result: Bool) {
        if let registration { loop.deregister(registration) }
        registration = nil
        Syscall.close(descriptor)
        answer.fulfil(result)
    }
}
