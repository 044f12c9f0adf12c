// One connection to the engine, from socket to close. It writes bytes in the given order and reports each reply. Its
// owner matches replies to operations. Confined to its loop.
import Glibc
import LarderCore
import LarderIO

final class SharedLink: EventHandler {
    private let loop: EventLoop
    private let descriptor: Int32
    private let reader: ReplyReader
    private var registration: Registration?
    private var output = Bytes()
    private var sent = 0
    private(set) var isConnected = false
    /// When bytes last arrived; at first, when the link was created.
    private(set) var heardAt: MonotonicTime

    /// Callbacks on the loop. Each of them may end the link.
    var connected: () -> Void = {}
    var replied: (Reply) -> Void = { _ in }
    var ended: (SharedFailure) -> Void = { _ in }

    /// Bytes that were accepted and not sent yet.
    var waiting: Int { output.count - sent }

    /// Starts connecting.
    /// - Parameter limit: the maximum size of one reply in bytes.
    init(to address: Address, on loop: EventLoop, limit: Int) throws(SharedFailure) {
        guard let reader = ReplyReader(limit: limit) else { throw .overloaded }
        do throws(SystemError) {
            descriptor = try Socket.beginConnecting(to: address)
        } catch {
            throw .unreachable
        }
        self.loop = loop
        self.reader = reader
        heardAt = loop.monotonic
        do throws(SystemError) {
            registration = try loop.register(descriptor, [.readable, .writable], handler: self)
        } catch {
            Syscall.close(descriptor)
            throw .unreachable
        }
    }

    /// Sends the bytes after those sent before. Does nothing after the link has ended.
    func send(_ bytes: Bytes) {
        guard registration != nil else { return }
        output.append(contentsOf: bytes)
        flush()
    }

    func ready(_ events: ReadyEvents) {
        guard registration != nil else { return }
        if !isConnected {
            guard Socket.connectionError(descriptor) == nil else { return end(.unreachable) }
            guard events.contains(.writable) else { return }
            isConnected = true
            connected()
        }
        read()
        if registration != nil { flush() }
    }

    /// Closes the connection and calls `ended`, once.
    func end(_ failure: SharedFailure) {
        guard let registration else { return }
        self.registration = nil
        loop.deregister(registration)
        Syscall.close(descriptor)
        let ended = ended
        (connected, replied, self.ended) = ({}, { _ in }, { _ in })
        ended(failure)
    }

    private func read() {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            // The loop reports again what is left unread after this many rounds.
            for _ in 0..<16 {
                guard registration != nil else { return }
                switch Syscall.receive(descriptor, into: buffer) {
                case .bytes(let count):
                    heardAt = loop.monotonic
                    guard take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
                    if count < buffer.count { return }
                case .wouldBlock: return
                case .end, .failed: return end(.cut)
                }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SharedFailure) {
            for reply in try reader.take(bytes) {
                guard registration != nil else { return false }
                replied(reply)
            }
            return true
        } catch {
            end(error)
            return false
        }
    }

    private func flush() {
        guard isConnected, registration != nil else { return }
        while sent < output.count {
            let transfer = output.withUnsafeBytes {
                Syscall.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch transfer {
            case .bytes(let count): sent += count
            case .wouldBlock: return watch([.readable, .writable])
            case .end, .failed: return end(.cut)
            }
        }
        output.removeAll(keepingCapacity: output.count <= 64 << 10)
        sent = 0
        watch(.readable)
    }

    private var watched: Interest = [.readable, .writable]

    private func watch(_ interest: Interest) {
        guard let registration, watched != interest else { return }
        watched = interest
        do throws(SystemError) {
            try loop.modify(registration, interest)
        } catch {
            end(.cut)
        }
    }
}
