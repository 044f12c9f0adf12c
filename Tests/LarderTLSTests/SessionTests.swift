// A session after its handshake: ends, bounds, and what it refuses.
import CSSL
import LarderCore
import Testing

@testable import LarderTLS

struct SessionTests {
    private func done(_ version: Int32 = TLS1_3_VERSION) throws -> Pair {
        let pair = try Pair.with {
            SSL_CTX_ctrl($0, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
            // The tests' client may ask for what the server must refuse.
            SSL_CTX_clear_options($0, 1 << 30)
        }
        pair.run()
        try #require(pair.server.isHandshakeDone && pair.client.isHandshakeDone)
        return pair
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aServerStillAnswersAClientThatHasClosed(version: Int32) throws {
        let pair = try done(version)
        _ = pair.client.write("question")
        pair.client.close()
        pair.run()
        #expect(pair.serverGot.lossyText == "question" && pair.serverState == .ended)
        #expect(pair.server.write("answer") == 6)
        pair.server.close()
        pair.run()
        #expect(pair.clientGot.lossyText == "answer" && pair.clientState == .ended)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aServerThatHasClosedStillReads(version: Int32) throws {
        let pair = try done(version)
        pair.server.close()
        pair.run()
        #expect(pair.clientState == .ended)
        #expect(pair.client.write("question") == 8)
        pair.run()
        #expect(pair.serverGot.lossyText == "question" && pair.serverState == .needsInput)
    }

    @Test func closingTwiceSaysItOnce() throws {
        let pair = try done()
        pair.server.close()
        let count = pair.server.ciphertextCount
        pair.server.close()
        #expect(count > 0 && pair.server.ciphertextCount == count)
        #expect(pair.server.write("late") == 0)
    }

    @Test func anEndWithoutCloseNotifyIsTruncatedAndCanStillBeAnswered() throws {
        let pair = try done()
        _ = pair.client.write("question")
        _ = Pair.carry(pair.client, pair.server)
        pair.server.inputEnded()
        pair.readServer()
        #expect(pair.serverGot.lossyText == "question" && pair.serverState == .failed(.truncated))
        #expect(pair.server.write("answer") == 6)
        pair.run()
        #expect(pair.clientGot.lossyText == "answer")
    }

    @Test func anEndAfterCloseNotifyIsAnEnd() throws {
        let pair = try done()
        pair.client.close()
        _ = Pair.carry(pair.client, pair.server)
        pair.server.inputEnded()
        pair.readServer()
        #expect(pair.serverState == .ended)
    }

    @Test func aClientThatLeavesInTheHandshakeIsTruncated() throws {
        let pair = try Pair()
        pair.readClient()
        _ = Pair.carry(pair.client, pair.server, 20)
        pair.server.inputEnded()
        pair.readServer()
        #expect(pair.serverState == .failed(.truncated))
    }

    @Test func nothingIsWrittenBeforeTheHandshakeIsDone() throws {
        let pair = try Pair()
        #expect(pair.server.write("early") == 0)
        pair.server.close()
        #expect(pair.server.ciphertextCount == 0)
    }

    @Test func aSecondHandshakeIsRefused() throws {
        let pair = try done(TLS1_2_VERSION)
        SSL_renegotiate(pair.client.ssl)
        SSL_do_handshake(pair.client.ssl)
        _ = Pair.carry(pair.client, pair.server)
        pair.readServer()
        #expect(pair.serverState == .failed(.renegotiation))
        #expect(pair.server.write("answer") == 0)
        _ = Pair.carry(pair.server, pair.client)
        pair.readClient()
        #expect(pair.clientState == .failed(.malformed("no renegotiation")))
    }

    @Test func aFloodOfKeyUpdatesEndsTheSession() throws {
        let pair = try done()
        for _ in 0..<40 { updateKeys(pair.client) }
        _ = Pair.carry(pair.client, pair.server)
        pair.readServer()
        #expect(pair.serverState == .failed(.tooManyKeyUpdates))
    }

    @Test func keyUpdatesBetweenDataAreFollowed() throws {
        let pair = try done()
        for _ in 0..<40 {
            updateKeys(pair.client)
            _ = pair.client.write("a")
            pair.run()
        }
        #expect(pair.serverGot.count == 40)
        #expect(pair.serverState == .needsInput && pair.clientState == .needsInput)
    }

    @Test func aPeerThatTakesNoAnswersGetsNoFurther() throws {
        let pair = try done()
        #expect(pair.server.write(Bytes(repeating: 1, count: 1 << 20)) < TLSSession.limit)
        for _ in 0..<200 where pair.serverState != .needsOutput {
            updateKeys(pair.client)
            _ = pair.client.write("a")
            _ = Pair.carry(pair.client, pair.server)
            pair.readServer()
        }
        #expect(pair.serverState == .needsOutput)
        pair.run()
        #expect(pair.serverState == .needsInput)
    }

    private func updateKeys(_ session: TLSSession) {
        SSL_key_update(session.ssl, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(session.ssl)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aLargeTransferIsWholeAndItsCiphertextBounded(version: Int32) throws {
        let pair = try done(version)
        let sent = Bytes((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) })
        var (place, most) = (0, 0)
        while place < sent.count {
            let written = pair.server.write(Bytes(sent[place...].prefix(1 << 20)))
            try #require(written > 0)
            place += written
            most = max(most, pair.server.ciphertextCount)
            // A slow socket takes parts.
            while pair.server.ciphertextCount > 0 {
                _ = Pair.carry(pair.server, pair.client, 20_000)
                pair.readClient()
            }
        }
        pair.run()
        #expect(pair.clientGot == sent)
        #expect(most <= TLSSession.limit)
    }

    @Test func aLargeUploadIsWholeAndTheInputKeptIsBounded() throws {
        let pair = try done()
        let sent = Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) })
        var (place, ciphertext) = (0, Bytes())
        while place < sent.count {
            place += pair.client.write(Bytes(sent[place...]))
            ciphertext += pair.client.withCiphertext { Bytes($0) }
            pair.client.drop(pair.client.ciphertextCount)
        }
        #expect(pair.server.receive(ciphertext) == TLSSession.limit)
        #expect(pair.server.receive(ciphertext) == 0 && pair.server.hasUndeliveredInput)
        ciphertext.removeFirst(TLSSession.limit)
        while true {
            pair.readServer()
            if ciphertext.isEmpty { break }
            ciphertext.removeFirst(pair.server.receive(ciphertext))
        }
        #expect(pair.serverGot == sent && !pair.server.hasUndeliveredInput)
    }

    @Test func aRecordReadInPartsIsUndeliveredInput() throws {
        let pair = try done()
        _ = pair.client.write("question")
        _ = Pair.carry(pair.client, pair.server)
        var byte: UInt8 = 0
        #expect(withUnsafeMutableBytes(of: &byte) { pair.server.read(into: $0) } == .bytes(1))
        #expect(pair.server.hasUndeliveredInput)
        pair.readServer()
        #expect(pair.serverGot.lossyText == "uestion" && !pair.server.hasUndeliveredInput)
    }

    @Test func aFailureLeavesTheThreadsQueueEmpty() throws {
        for pair in [try Pair(asked: "example.com"), try done()] {
            pair.run()
            _ = pair.server.receive(Bytes(text: "GET / HTTP/1.1\r\n\r\n"))
            pair.readServer()
            guard case .failed = pair.serverState else { Issue.record("no failure"); continue }
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test func anErrorThatOthersLeftInTheThreadsQueueIsNotTheSessions() throws {
        let pair = try done()
        try #require(BIO_new_file("/no/such/file", "r") == nil && ERR_peek_error() != 0)
        _ = pair.client.write("question")
        pair.run()
        #expect(pair.serverState == .needsInput && pair.serverGot.lossyText == "question")
    }
}
