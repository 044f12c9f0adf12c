import Foundation
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import Testing

@testable import LarderCLI

/// What one command wrote, and its exit status.
struct Outcome {
    var status: CommandStatus?
    var out: Bytes
    var err: String

    var text: String { out.lossyText }
}

/// Runs a command with captured outputs.
func larder(
    _ words: String..., environment: [String: String] = [:], isTerminal: Bool = false, width: Int = 80
) async -> Outcome {
    await larder(words: words, environment: environment, isTerminal: isTerminal, width: width)
}

func larder(
    words: [String], environment: [String: String] = [:], isTerminal: Bool = false, width: Int = 80
) async -> Outcome {
    let out = Lock<Bytes>([])
    let err = Lock<Bytes>([])
    let console = Console(
        isTerminal: isTerminal, hasColour: false, width: width,
        write: { bytes in
            out.withLock { $0 += bytes }
            return true
        }, complain: { bytes in err.withLock { $0 += bytes } })
    var tool = CommandLineTool { _ throws(CommandFailure) in
        throw CommandFailure(.failed, "no daemon is started in these tests")
    }
    tool.shortLimit = .seconds(60)
    let home = ["HOME": "/nowhere", "LARDER_URL": "http://127.0.0.1:1"].merging(environment) { $1 }
    let status = await tool.run(words, environment: home, console: console)
    return Outcome(
        status: CommandStatus(rawValue: status), out: out.withLock { $0 }, err: err.withLock { $0.lossyText })
}

/// A daemon that answers as the test says, one connection after the other. The kernel chooses its port.
final class ScriptedDaemon: Sendable {
    private let listener: Int32
    private let ended = Lock(false)
    private let seen = Lock<[String]>([])
    let url: String

    /// - Parameters:
    ///   - keepsOpen: whether the connection stays open after the answer until the client closes it.
    ///   - answer: the whole answer to a request with the given head.
    init(
        keepsOpen: @escaping @Sendable (_ head: String) -> Bool = { _ in false },
        answer: @escaping @Sendable (_ head: String) -> Bytes
    ) throws {
        listener = try Socket.listen(on: try Address("127.0.0.1:0"))
        let address = try #require(Socket.localAddress(listener))
        url = "http://\(address)"
        let (listener, ended, seen) = (listener, ended, seen)
        Thread.detachNewThread {
            while !ended.withLock({ $0 }) {
                guard case .connection(let client) = Syscall.accept(listener) else {
                    var wanted = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                    poll(&wanted, 1, 50)
                    continue
                }
                Self.serve(client, seen: seen, keepsOpen: keepsOpen, answer: answer)
            }
            Syscall.close(listener)
        }
    }

    deinit { ended.withLock { $0 = true } }

    /// The heads of the requests that came, in order.
    var heads: [String] { seen.withLock { $0 } }

    private static func serve(
        _ client: Int32, seen: Lock<[String]>, keepsOpen: (String) -> Bool, answer: (String) -> Bytes
    ) {
        defer { Syscall.close(client) }
        var head = Bytes()
        var chunk = Bytes(repeating: 0, count: 4096)
        while head.firstRange(of: Bytes(text: "\r\n\r\n")) == nil {
            var wanted = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 60_000) > 0 else { return }
            switch chunk.withUnsafeMutableBytes({ Syscall.receive(client, into: $0) }) {
            case .bytes(let count): head += chunk.prefix(count)
            case .wouldBlock: continue
            case .end, .failed: return
            }
        }
        seen.withLock { $0.append(head.lossyText) }
        var rest = answer(head.lossyText)[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ Syscall.send(client, $0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                var wanted = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, 1000)
            case .end, .failed: return
            }
        }
        guard keepsOpen(head.lossyText) else { return }
        var wanted = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        poll(&wanted, 1, 60_000)
    }
}

/// An answer with a `Content-Length`.
func answer(_ status: Int, _ body: String, _ fields: [String] = []) -> Bytes {
    let lines = fields.map { "\($0)\r\n" }.joined()
    return Bytes(text: "HTTP/1.1 \(status) Some\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
}

/// Creates a directory for one test and removes it afterwards.
func withScratchDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = "/tmp/larder-cli-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
