// Which saved tokens are removed when settings are put in force.
import LarderCache
import LarderCore
import LarderIO
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct FormerTokensTests {
    private struct Silent: Upstream {
        static let error = FetchError(stage: .cancelled, origin: "", message: "")

        func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse { throw Self.error }

        func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream {
            throw Self.error
        }
    }

    private static let former = "account.former"
    private static let present = "account.api"

    /// The state database has a value for a former provider, and one for the provider `api`.
    private func withSaved(_ body: (AccountCoordinator, StateStore) async throws -> Void) async throws {
        let directory = TemporaryDirectory()
        let time = ManualTime()
        let loop = try EventLoop(name: "accounts", index: 0, time: time)
        try loop.start()
        let counters = CounterRegistry()
        let state = try StateStore.open(directory: directory.path, log: .silent, counters: counters, time: time)
        for name in [Self.former, Self.present] { try await state.setValue(name, Bytes(text: "saved")) }
        let accounts = AccountCoordinator(
            loop: loop, upstream: Silent(), store: state, secrets: SecretRegistry(try load("")), time: time,
            log: .silent, counters: counters)
        try await body(accounts, state)
        await state.close()
        loop.stop()
        loop.join()
    }

    private func settings(_ key: String, _ more: String = "") throws -> Settings {
        try load(
            """
            providers:
              api:
                kind: passthrough
                baseURL: "http://127.0.0.1:1"
                keyIn: "oauth2 http://127.0.0.1:1/token"
                key: "\(key)"
                \(more)
            """)
    }

    @Test func theTokenOfAFormerProviderIsRemoved() async throws {
        try await withSaved { accounts, state in
            _ = await accounts.open(try settings("a:b"))
            #expect(try await state.value(Self.former) == nil)
            #expect(try await state.value(Self.present) != nil)
        }
    }

    @Test func aProviderThatIsOffKeepsItsToken() async throws {
        try await withSaved { accounts, state in
            _ = await accounts.open(try settings("a:b", "enabled: false"))
            #expect(try await state.value(Self.former) == nil)
            #expect(try await state.value(Self.present) != nil)
        }
    }

    @Test func aProviderWhoseKeyFileIsMissingKeepsItsToken() async throws {
        try await withSaved { accounts, state in
            let settings = try settings("file:/no/such/file/of/a/key")
            #expect(settings.providers["api"]?.keyFileProblem != nil)
            _ = await accounts.open(settings)
            #expect(try await state.value(Self.former) == nil)
            #expect(try await state.value(Self.present) != nil)
        }
    }

    @Test func aProviderWithoutATokenServerKeepsNone() async throws {
        try await withSaved { accounts, state in
            _ = await accounts.open(
                try load("providers: { api: { kind: passthrough, baseURL: \"http://127.0.0.1:1\", key: k } }"))
            #expect(try await state.value(Self.present) == nil)
        }
    }

    @Test func aRemovalThatFailedIsTriedAgainWithTheNextSettings() async throws {
        try await withSaved { accounts, state in
            try await state.perform { (connection) throws(StoreError) in
                try connection.execute(
                    "CREATE TEMP TRIGGER held BEFORE DELETE ON main.value BEGIN SELECT RAISE(ABORT, 'held'); END")
            }
            _ = await accounts.open(try settings("a:b"))
            #expect(try await state.value(Self.former) != nil)
            try await state.perform { (connection) throws(StoreError) in
                try connection.execute("DROP TRIGGER held")
            }
            _ = await accounts.open(try settings("a:b"))
            #expect(try await state.value(Self.former) == nil)
        }
    }
}
