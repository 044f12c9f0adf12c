// Kept TLS connections. Bytes that the upstream sent unasked are never a response, and records that belong to TLS
// itself do not end the connection.
import CCurl
import CSSL
import Glibc
import LarderCore
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderFetch

@Suite(.enabled(if: access(OpenSSLProgram.path, X_OK) == 0, "the openssl program is not installed"))
struct KeptTLSTests {
    /// A response, and the bytes that follow it unasked.
    struct Talk: Sendable, CustomTestStringConvertible {
        var method: LarderCore.Method
        var answer: String
        var extra: String
        var testDescription: String { "\(method.name) \(answer.prefix(12)) \(extra.prefix(20))" }

        static let forged = ok("forged")
        static let all = [
            Talk(
                method: .head, answer: "HTTP/1.1 200 OK\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", extra: forged),
            Talk(method: .get, answer: "HTTP/1.1 204 No Content\r\n\r\n", extra: forged),
            Talk(method: .get, answer: "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", extra: forged),
            Talk(method: .get, answer: ok("whole"), extra: forged),
            Talk(
                method: .get, answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
                extra: forged),
            Talk(method: .get, answer: ok("whole"), extra: "x"),
        ]
    }

    /// From version 8 on, libcurl itself closes a kept connection on which any bytes have come, session tickets
    /// included, before it asks whether the request may be sent. The fetcher then has nothing left to find.
    static let libraryLeavesItToUs = curl_version_info(CURLVERSION_FIRST).pointee.version_num < 0x08_00_00

    static let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

    /// Requests `/first`, lets the origin do `later` after that response, and requests `/second`.
    /// - Returns: The connections that both requests came on, the second response, and the number of unfit connections.
    private func twice(
        _ version: Int32, _ method: LarderCore.Method, first: [TLSAct], later: [TLSAct], isStream: Bool = false
    ) async throws -> (connections: [Int], answer: String, unfit: Int) {
        let isAnswered = Gate()
        let isDone = Atomic(false)
        let origin = try TLSOrigin(version: version) { request in
            guard request.target == "/first" else { return [.record(ok("second"))] }
            return first + [.await(isAnswered)] + later + [.call { isDone.store(true, ordering: .releasing) }]
        }
        defer { origin.stop() }
        var found = (connections: [Int](), answer: "", unfit: 0)
        try await withRig(FetchSettings(caFile: origin.certificate)) { rig in
            if isStream {
                let stream = try await rig.fetcher.open(
                    order(origin.base + "/first", method: method), upload: nil, stall: .seconds(30))
                try await eventually { stream.body.hasEnded }
            } else {
                _ = try await rig.fetcher.fetch(order(origin.base + "/first", method: method))
            }
            isAnswered.open()
            try await eventually { isDone.load(ordering: .acquiring) }
            found.answer = await rig.text(order(origin.base + "/second"))
            found.unfit = rig.count(FetchCounters.unfitConnections)
        }
        found.connections = origin.requests.map(\.connection)
        return found
    }

    @Test(arguments: versions, Talk.all)
    func whatComesAfterAnAnswerUnaskedEndsTheConnection(version: Int32, talk: Talk) async throws {
        let found = try await twice(
            version, talk.method, first: [.record(talk.answer)], later: [.record(talk.extra)])
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
        if Self.libraryLeavesItToUs { #expect(found.unfit == 1) }
    }

    @Test(arguments: versions, Talk.all)
    func whatStandsInOneRecordWithAnAnswerIsNobodysAnswer(version: Int32, talk: Talk) async throws {
        let found = try await twice(version, talk.method, first: [.record(talk.answer + talk.extra)], later: [])
        #expect(found.answer == "second")
    }

    @Test(arguments: versions, [false, true])
    func whatFollowsAWholeBodyInItsRecordEndsTheConnection(version: Int32, isStream: Bool) async throws {
        let found = try await twice(
            version, .get, first: [.record(ok("whole") + Talk.forged)], later: [], isStream: isStream)
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
    }

    /// libcurl reads the first record with the response and drops its excess bytes. The rest is still unread.
    @Test(arguments: versions)
    func whatReachesFromTheAnswersRecordIntoALaterOneEndsTheConnection(version: Int32) async throws {
        let forged = Talk.forged
        let (start, rest) = (String(forged.prefix(20)), String(forged.dropFirst(20)))
        let found = try await twice(
            version, .head, first: [.record("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + start)],
            later: [.record(rest + forged)])
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
    }

    /// A partial record cannot be recognised as data before it is complete.
    @Test(arguments: versions, [1, 4, 5, 6, 20])
    func aPartOfARecordEndsTheConnection(version: Int32, count: Int) async throws {
        let found = try await twice(
            version, .get, first: [.record(ok("first"))], later: [.part(of: Talk.forged, count)])
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
    }

    @Test(arguments: versions)
    func anAnnouncedEndEndsTheConnection(version: Int32) async throws {
        let found = try await twice(version, .get, first: [.record(ok("first"))], later: [.closeNotify])
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
    }

    @Test(arguments: versions)
    func aConnectionIsUsedAgain(version: Int32) async throws {
        let origin = try TLSOrigin(version: version) { _ in [.record(ok("answer"))] }
        defer { origin.stop() }
        try await withRig(FetchSettings(caFile: origin.certificate)) { rig in
            for _ in 0..<20 { #expect(await rig.text(order(origin.base + "/")) == "answer") }
            #expect(rig.count(FetchCounters.requests, "new") == 1)
            #expect(rig.count(FetchCounters.requests, "kept") == 19)
        }
        #expect(origin.requests.allSatisfy { $0.connection == 0 })
    }

    @Test(arguments: [[TLSAct.ticket], [.ticket, .ticket], [.keyUpdate], [.keyUpdate, .ticket]].indices)
    func whatBelongsToTLSCostsNoConnection(number: Int) async throws {
        let later = [[TLSAct.ticket], [.ticket, .ticket], [.keyUpdate], [.keyUpdate, .ticket]][number]
        let found = try await twice(TLS1_3_VERSION, .get, first: [.record(ok("first"))], later: later)
        #expect(found.answer == "second")
        if Self.libraryLeavesItToUs { #expect(found.connections == [0, 0]) }
        #expect(found.unfit == 0)
    }

    @Test func theLibraryInUseIsFoundAmongAllThatLibcurlNames() {
        #expect(TLSInput.isInUse("OpenSSL/3.0.16", in: "OpenSSL/3.0.16"))
        #expect(TLSInput.isInUse("OpenSSL/3.0.16", in: "(GnuTLS/3.7.9) OpenSSL/3.0.16"))
        #expect(!TLSInput.isInUse("OpenSSL/3.0.16", in: "GnuTLS/3.7.9 (OpenSSL/3.0.16)"))
        #expect(!TLSInput.isInUse("OpenSSL/3.0.1", in: "OpenSSL/3.0.16"))
    }

    @Test func dataBehindATicketEndsTheConnection() async throws {
        let found = try await twice(
            TLS1_3_VERSION, .get, first: [.record(ok("first"))], later: [.ticket, .record(Talk.forged)])
        #expect(found.answer == "second")
        #expect(found.connections == [0, 1])
    }
}
