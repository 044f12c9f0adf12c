// Several answers of one upstream, one after another, through the real fetcher: one loop, one multi handle, kept
// connections. libcurl itself is not instrumented, so its memory comes from an allocator that finds writes through stale
// pointers: each block has guards, and a freed block is filled with a pattern and kept for a while. A guard or a pattern
// that has changed, or a block that is freed twice, ends the run.
// An input holds answers with 0xFF between them. The first byte of each says what is asked and what the origin does.
// Fuzzes: LarderFetch LarderHTTP/Wire/ResponseHeadReader.swift LarderHTTP/Wire/ChunkedDecoder.swift
import CCurl
import Glibc
import LarderCore
import LarderFetch
import LarderIO

/// Ends the run with a line for its log.
private func fail(_ what: StaticString) -> Never {
    write(2, what.utf8Start, what.utf8CodeUnitCount)
    write(2, "\n", 1)
    abort()
}

// MARK: libcurl's memory

/// The blocks that libcurl has freed lately. Each block is a header, a guard, the bytes of libcurl and a second guard.
private struct FreedBlocks {
    static let guardSize = 16
    static let start = MemoryLayout<Header>.stride + guardSize
    static let limit = 512

    struct Header {
        var size: Int
        var isFreed: Bool
    }

    private var blocks: [UnsafeMutableRawPointer] = []
    private var next = 0

    /// Takes a block that libcurl frees. The oldest one is given back.
    mutating func take(_ bytes: UnsafeMutableRawPointer) {
        let block = bytes - Self.start
        let header = block.assumingMemoryBound(to: Header.self)
        if header.pointee.isFreed { fail("libcurl freed a block twice") }
        Self.checkGuards(block, header.pointee.size)
        header.pointee.isFreed = true
        memset(bytes, 0xDB, header.pointee.size)
        guard blocks.count == Self.limit else { return blocks.append(block) }
        Self.check(blocks[next])
        free(blocks[next])
        blocks[next] = block
        next = (next + 1) % Self.limit
    }

    func checkAll() { for block in blocks { Self.check(block) } }

    static func checkGuards(_ block: UnsafeMutableRawPointer, _ size: Int) {
        for guardStart in [block + MemoryLayout<Header>.stride, block + start + size]
        where !isFilled(guardStart, guardSize, 0xA7) {
            fail("libcurl wrote beside a block")
        }
    }

    private static func check(_ block: UnsafeMutableRawPointer) {
        let size = block.assumingMemoryBound(to: Header.self).pointee.size
        checkGuards(block, size)
        if !isFilled(block + start, size, 0xDB) { fail("libcurl wrote into a block that it had freed") }
    }

    private static func isFilled(_ bytes: UnsafeMutableRawPointer, _ size: Int, _ byte: UInt8) -> Bool {
        size == 0
            || bytes.load(as: UInt8.self) == byte && (size == 1 || memcmp(bytes, bytes + 1, size - 1) == 0)
    }
}

private let freed = Lock(FreedBlocks())

private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard let block = malloc(FreedBlocks.start + size + FreedBlocks.guardSize) else { return nil }
    block.storeBytes(of: FreedBlocks.Header(size: size, isFreed: false), as: FreedBlocks.Header.self)
    memset(block + MemoryLayout<FreedBlocks.Header>.stride, 0xA7, FreedBlocks.guardSize)
    memset(block + FreedBlocks.start + size, 0xA7, FreedBlocks.guardSize)
    // Not zero, so that a read of what was never written is a read of nonsense.
    memset(block + FreedBlocks.start, 0xC5, size)
    return block + FreedBlocks.start
}

private func release(_ bytes: UnsafeMutableRawPointer?) {
    if let bytes { freed.withLock { $0.take(bytes) } }
}

/// Always moves, so that every pointer to the old place is stale at once.
private func reallocate(_ bytes: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
    guard let made = allocate(size) else { return nil }
    if let bytes {
        let header = (bytes - FreedBlocks.start).assumingMemoryBound(to: FreedBlocks.Header.self)
        if header.pointee.isFreed { fail("libcurl enlarged a block that it had freed") }
        memcpy(made, bytes, min(size, header.pointee.size))
        release(bytes)
    }
    return made
}

private func duplicate(_ text: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    guard let text, let made = allocate(strlen(text) + 1) else { return nil }
    memcpy(made, text, strlen(text) + 1)
    return made.assumingMemoryBound(to: CChar.self)
}

private func allocateZeroed(_ count: Int, _ size: Int) -> UnsafeMutableRawPointer? {
    let made = allocate(count * size)
    if let made { memset(made, 0, count * size) }
    return made
}

// MARK: The origin

private struct Answer: Sendable {
    var mode: UInt8
    var bytes: Bytes

    /// The origin closes the connection after the answer.
    var closes: Bool { mode & 1 != 0 }
    var isStreamed: Bool { mode & 2 != 0 }
    var isHead: Bool { mode & 4 != 0 }
    var hasUpload: Bool { mode & 8 != 0 }
    /// The answer comes in two pieces.
    var isSplit: Bool { mode & 16 != 0 }
}

/// Sends the next answer of the list for each request. One thread, on which a connection without a request for some
/// milliseconds is closed, so that an answer without end costs no more.
private final class Origin: Sendable {
    let port: UInt16
    private let listener: Int32
    private let answers = Lock<[Answer]>([])

    init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { raw in
            let place = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(listener, place, length) == 0 && listen(listener, 64) == 0
                && getsockname(listener, place, &length) == 0
        }
        if !isBound { fail("no port for the origin") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
    }

    func expect(_ list: [Answer]) { answers.withLock { $0 = list } }

    func run() {
        var connections: [Int32] = []
        while true {
            var polled = ([listener] + connections).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&polled, nfds_t(polled.count), connections.isEmpty ? -1 : 5)
            if count == 0 {
                for connection in connections { close(connection) }
                connections = []
            }
            for one in polled where one.revents != 0 {
                if one.fd == listener {
                    let made = accept(listener, nil, nil)
                    if made >= 0 { connections.append(made) }
                } else if !serve(one.fd) {
                    close(one.fd)
                    connections.removeAll { $0 == one.fd }
                }
            }
        }
    }

    /// Whether the connection goes on. A request arrives in one piece, since the fetcher sends it in one.
    private func serve(_ connection: Int32) -> Bool {
        var request = Bytes(repeating: 0, count: 8192)
        let count = recv(connection, &request, request.count, 0)
        guard count > 0 else { return false }
        // What continues the body of an upload is no request.
        guard
            request[..<count].starts(with: [0x47]) || request[..<count].starts(with: [0x48])
                || request[..<count].starts(with: [0x50])
        else { return true }
        let answer: Answer? = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else { return false }
        let half = answer.isSplit ? answer.bytes.count / 2 : answer.bytes.count
        for piece in [answer.bytes[..<half], answer.bytes[half...]] where !piece.isEmpty {
            let sent = piece.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent == piece.count else { return false }
            if answer.isSplit { sched_yield() }
        }
        return !answer.closes
    }
}

// MARK: The fetcher

private final class OneByte: BodyReader {
    private let left = Lock(1)

    func next() async throws(BodyFailure) -> Bytes? {
        left.withLock { left in
            defer { left = 0 }
            return left == 1 ? [0x61] : nil
        }
    }

    func abandon() {}
}

private func ask(_ answer: Answer, _ fetcher: CurlUpstream, port: UInt16) async {
    var order = FetchOrder(
        url: "http://127.0.0.1:\(port)/", method: answer.hasUpload ? .put : answer.isHead ? .head : .get,
        addresses: .configured, maxBody: 4096, deadline: .seconds(2))
    order.mayRetry = false
    guard answer.isStreamed || answer.hasUpload else {
        _ = try? await fetcher.fetch(order)
        return
    }
    let upload = answer.hasUpload ? Upload(reader: OneByte(), length: 1, expectsContinue: false) : nil
    guard let stream = try? await fetcher.open(order, upload: upload, stall: .seconds(2)),
        let reader = stream.body.reader()
    else { return }
    while let piece = try? await reader.next(), !piece.isEmpty {}
}

private struct Stand {
    let origin = Origin()
    let loop: EventLoop

    init() {
        let code = curl_global_init_mem(
            larder_CURL_GLOBAL_DEFAULT, allocate, release, reallocate, duplicate, allocateZeroed)
        guard code == CURLE_OK, let loop = try? EventLoop(name: "fetch", index: 0), (try? loop.start()) != nil else {
            fail("the fetcher could not be started")
        }
        self.loop = loop
        guard (try? SystemThread.start(named: "origin", { [origin] in origin.run() })) != nil else {
            fail("the origin could not be started")
        }
    }
}

private let stand = Stand()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Bytes(UnsafeBufferPointer(start: start, count: count))
    let answers = input.split(separator: 0xFF, maxSplits: 7).compactMap { part in
        part.first.map { Answer(mode: $0, bytes: Bytes(part.dropFirst())) }
    }
    guard !answers.isEmpty else { return 0 }
    stand.origin.expect(answers)
    let isDone = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(isDone, 0, 0)
    nonisolated(unsafe) let done = isDone
    // A fetcher for each input, so that an input fails by itself or not at all.
    Task(executorPreference: stand.loop) {
        let fetcher = CurlUpstream(
            loop: stand.loop, settings: FetchSettings(), log: .silent, counters: CounterRegistry())
        for answer in answers { await ask(answer, fetcher, port: stand.origin.port) }
        await fetcher.shutdown()
        sem_post(done)
    }
    while sem_wait(isDone) != 0 {}
    sem_destroy(isDone)
    isDone.deallocate()
    freed.withLock { $0.checkAll() }
    return 0
}
