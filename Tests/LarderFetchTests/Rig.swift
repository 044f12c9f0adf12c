// A fetcher on its own loop, with short forms for its orders.
import LarderCore
import LarderFetch
import LarderIO
import Testing

struct Rig: Sendable {
    let fetcher: CurlUpstream
    let counters: CounterRegistry
    let loop: EventLoop

    /// The outcome of an order as a value.
    func outcome(_ order: FetchOrder) async -> Result<UpstreamResponse, FetchError> {
        do throws(FetchError) {
            return .success(try await fetcher.fetch(order))
        } catch {
            return .failure(error)
        }
    }

    /// The body of the response, or the error in words.
    func text(_ order: FetchOrder) async -> String {
        switch await outcome(order) {
        case .success(let response): response.body.lossyText
        case .failure(let error): "\(error)"
        }
    }

    /// The error of an order. A response is recorded as an issue.
    func failure(_ order: FetchOrder, _ location: SourceLocation = #_sourceLocation) async -> FetchError? {
        switch await outcome(order) {
        case .failure(let error): return error
        case .success(let response):
            Issue.record("answered with \(response.status)", sourceLocation: location)
            return nil
        }
    }

    func count(_ family: MetricFamily, _ label: String? = nil) -> Int {
        label.map { counters.cell(family, $0).current } ?? counters.cell(family).current
    }
}

extension FetchSettings {
    /// The same with more time to connect. libcurl reads the real clock, whatever clock the test has, so a slow machine
    /// could otherwise fail a test whose subject is another one.
    var patient: FetchSettings {
        var settings = self
        settings.connectTimeout = .seconds(120)
        return settings
    }
}

/// Runs a test with a fetcher and ends the fetcher even if the test throws. Afterwards no descriptor may be watched and
/// no timer may be left.
func withRig(
    _ settings: FetchSettings = FetchSettings(), time: any TimeSource = SystemTime(),
    _ body: (Rig) async throws -> Void
) async throws {
    let loop = try EventLoop(name: "fetch", index: 0, time: time)
    let counters = CounterRegistry()
    let fetcher = CurlUpstream(loop: loop, settings: settings.patient, log: .silent, counters: counters)
    try loop.start()
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(Rig(fetcher: fetcher, counters: counters, loop: loop)))
    } catch {
        outcome = .failure(error)
    }
    await fetcher.shutdown()
    let left = await handover { continuation in
        loop.post { continuation.resume(returning: [loop.load.descriptors, loop.load.timers]) }
    }
    #expect(left == [0, 0])
    loop.stop()
    loop.join()
    try outcome.get()
}

/// An order with the defaults that most tests want.
func order(
    _ url: String, method: Method = .get, fields: HeaderFields = [:], secretFields: HeaderFields = [:],
    body: Bytes? = nil, addresses: AddressPolicy = .configured, maxBody: Int = 1 << 20,
    deadline: Duration = .seconds(30), maxRedirects: Int = 0, mayRetry: Bool = false,
    permits: @escaping @Sendable (String) -> AddressPolicy? = { _ in nil }
) -> FetchOrder {
    FetchOrder(
        url: url, method: method, fields: fields, secretFields: secretFields, body: body, addresses: addresses,
        maxBody: maxBody, deadline: deadline, maxRedirects: maxRedirects, mayRetry: mayRetry, permits: permits)
}
