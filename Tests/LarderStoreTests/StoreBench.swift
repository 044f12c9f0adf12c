// Shared by the tests of the store: a directory for each test, a manual clock, and entries of any size.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// A sink that keeps log lines for the test.
final class KeptLog: LogSink {
    private let kept = Lock<[LogLine]>([])
    func write(_ line: LogLine) { kept.withLock { $0.append(line) } }
    var messages: [String] { kept.withLock { $0.map(\.message) } }
}

/// A directory, a clock and counters for one test. `withBench` removes the directory, `withStore` also closes the
/// store.
struct Bench: Sendable {
    let directory: String
    let time = ManualTime(wall: WallTime(seconds: 1_800_000_000))
    let counters = CounterRegistry()
    let log = KeptLog()

    func open(_ settings: StoreSettings = StoreSettings(minFree: 0)) throws -> SQLiteStore {
        try SQLiteStore.open(
            directory: directory, settings: settings, log: Logger(label: "test", sink: log, time: time),
            counters: counters, time: time)
    }

    func openState() throws -> StateStore {
        try StateStore.open(
            directory: directory, log: Logger(label: "test", sink: log, time: time), counters: counters, time: time)
    }

    func count(_ family: MetricFamily, _ labels: String...) -> Int {
        Int(counters.snapshot().first { $0.family.name == family.name && $0.labels == labels }?.value ?? -1)
    }

    var path: String { directory + "/cache.db" }

    /// An entry with a body of this size. The bytes depend on the entry's name.
    func entry(
        _ name: String, size: Int = 100, provider: String = "itunes", seed: UInt8 = 0, parents: [Digest] = [],
        label: String? = nil, version: UInt8? = nil
    ) -> StoredResponse {
        var key = CacheKey(
            layer: parents.isEmpty ? .raw : .normalised, provider: provider, endpoint: "search",
            parameters: [KeyParameter("term", name)])
        if let version { key = CacheKey(bytes: [version] + key.bytes.dropFirst()) }
        let now = time.wall()
        return StoredResponse(
            key: key, layer: parents.isEmpty ? .raw : .normalised, provider: provider, endpoint: "search", status: 200,
            reason: "OK", fields: ["Content-Type": "application/json", "ETag": "\"\(name)\"", "X-Odd": "\u{e9}\u{ff}"],
            body: Self.body(name, size, seed), requestTime: now, responseTime: now, initialAge: 1500,
            freshUntil: now + .seconds(600), staleUntil: now + .seconds(86_400), parents: parents,
            normaliserVersion: parents.isEmpty ? 0 : 3, label: label ?? "itunes search term=\(name)")
    }

    static func body(_ name: String, _ size: Int, _ seed: UInt8) -> Bytes {
        var state = name.utf8.reduce(UInt64(seed) + 88_172_645_463_325_252) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return Bytes(room: size) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            // Eight bytes at a time: byte by byte, the tests of the store took a fifth of the suite's time.
            for start in stride(from: 0, to: size, by: 8) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                withUnsafeBytes(of: state.littleEndian) { word in
                    raw[start..<min(start + 8, size)].copyBytes(from: word.prefix(size - start))
                }
            }
            count = size
        }
    }
}

/// Runs a test with a directory that is removed afterwards.
func withBench(_ body: (Bench) async throws -> Void) async throws {
    var template = Array("/tmp/larder-store-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { removeAll(directory) }
    try await body(Bench(directory: directory))
}

/// Opens a store, runs the test, and closes the store even if the test throws.
func withStore(
    _ settings: StoreSettings = StoreSettings(minFree: 0), _ body: (SQLiteStore, Bench) async throws -> Void
) async throws {
    try await withBench { (bench) async throws in
        let store = try bench.open(settings)
        do {
            try await body(store, bench)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}

func removeAll(_ directory: String) {
    if let stream = opendir(directory) {
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            if unlink(directory + "/" + name) != 0 { removeAll(directory + "/" + name) }
        }
        closedir(stream)
    }
    rmdir(directory)
}

extension Bench {
    /// The directory of large bodies, of all generations.
    var bodies: String { directory + "/bodies" }

    /// The files of large bodies, by their paths below `bodies`.
    func bodyFiles() -> [String] {
        Self.names(in: bodies).flatMap { generation in
            Self.names(in: "\(bodies)/\(generation)").flatMap { directory in
                Self.names(in: "\(bodies)/\(generation)/\(directory)").map { "\(generation)/\(directory)/\($0)" }
            }
        }
    }

    /// The path of the only body file.
    func bodyFile() throws -> String {
        let found = bodyFiles()
        try #require(found.count == 1)
        return "\(bodies)/\(found[0])"
    }

    func copyBodies(to copy: Bench) throws {
        for name in bodyFiles() {
            var made = copy.bodies
            mkdir(made, 0o700)
            for part in name.split(separator: "/").dropLast() {
                made += "/" + part
                mkdir(made, 0o700)
            }
            try writeFile("\(copy.bodies)/\(name)", try readFile("\(bodies)/\(name)"))
        }
    }

    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { found.append(name) }
        }
        return found.sorted()
    }

    /// The total bytes of all body files.
    func bytesOfBodies() -> Int64 {
        bodyFiles().reduce(0) { sum, name in
            var status = stat()
            return stat("\(bodies)/\(name)", &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Changes bytes of a body behind the store's back, as a flipped bit would.
    static func flip(_ path: String, at offset: Int) throws {
        let file = Glibc.open(path, O_RDWR)
        defer { Glibc.close(file) }
        var byte: UInt8 = 0
        try #require(pread(file, &byte, 1, offset) == 1)
        byte ^= 0x40
        try #require(pwrite(file, &byte, 1, offset) == 1)
    }
}

func sameEntry(_ left: StoredResponse?, _ right: StoredResponse) -> Bool {
    guard let left else { return false }
    return left.key == right.key && left.layer == right.layer && left.provider == right.provider
        && left.endpoint == right.endpoint && left.isNegative == right.isNegative && left.status == right.status
        && left.reason == right.reason && left.fields == right.fields && left.body == right.body
        && left.requestTime == right.requestTime && left.responseTime == right.responseTime
        && left.initialAge == right.initialAge && left.freshUntil == right.freshUntil
        && left.staleUntil == right.staleUntil && left.parents == right.parents
        && left.normaliserVersion == right.normaliserVersion && left.label == right.label
}

extension SQLiteStore {
    /// Removes entries and returns how many have been removed so far.
    func purge(_ selector: PurgeSelector, soft: Bool) async throws(StoreError) -> Int {
        let outcome = await remove(selector, soft: soft, provider: nil)
        if case .refused(let error) = outcome { throw error }
        return outcome.count
    }
}
