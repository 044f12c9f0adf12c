// An upstream that sends its whole response while the request's body is still on its way.
import LarderCore
import LarderFetch
import LarderTestSupport
import Synchronization
import Testing

@Suite struct EarlyAnswerTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nea\r\n3\r\nrly\r\n0\r\nX-End: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly",
    ]

    @Test(.timeLimit(.minutes(10)), arguments: answers)
    func itsEndIsGivenOnceTheSenderHasPausedForASecond(answer: String) async throws {
        let origin = RawOrigin()
        let reader = StuckReader()
        let time = ManualTime()
        try await withRig(time: time) { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                connection.say(answer)
                return connection.rest()
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .put),
                upload: Upload(reader: reader, length: nil, expectsContinue: false))
            let isEnded = Atomic(false)
            async let body = {
                defer { isEnded.store(true, ordering: .releasing) }
                return await text(stream.body)
            }()
            try await eventually { reader.isWaiting }
            try await eventually {
                time.advance(by: .milliseconds(250))
                await rig.turn()
                return isEnded.load(ordering: .acquiring)
            }
            #expect(await body == "early")
            #expect(try await !served.lossyText.hasSuffix("0\r\n\r\n"))
            #expect(reader.isAbandoned)
        }
    }

    /// The upstream closes once its answer was read. If it closes at once, and both come between a look at the
    /// connection and a write, the write meets the reset and the answer is lost, as RFC 9112 §9.6 warns upstreams.
    @Test(.timeLimit(.minutes(10)), arguments: answers + ["HTTP/1.1 204 No\r\n\r\n"])
    func itIsWholeAlthoughTheUpstreamClosesWithoutReadingTheRest(answer: String) async throws {
        let origin = RawOrigin()
        let isRead = Gate()
        try await withRig { rig in
            defer { isRead.open() }
            async let served: Void = origin.serve { connection in
                _ = connection.head()
                connection.say(answer)
                isRead.wait()
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .put),
                upload: Upload(reader: PatternReader(50_000_000), length: 50_000_000, expectsContinue: false))
            isRead.open()
            #expect(await text(stream.body) == (answer.contains("204") ? "" : "early"))
            try await served
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: answers)
    func theRestOfTheRequestStillReachesAnUpstreamThatReadsIt(answer: String) async throws {
        let origin = RawOrigin()
        // The clock stands still: a sender delayed by a busy machine has not paused.
        try await withRig(time: ManualTime()) { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                connection.say(answer)
                return connection.take(3_000_000)
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .put),
                upload: Upload(reader: PatternReader(3_000_000), length: 3_000_000, expectsContinue: false))
            #expect(await text(stream.body) == "early")
            #expect(try await served == pattern(3_000_000))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func anAnswerThatIsCutIsNotTakenForAWholeOne() async throws {
        let origin = RawOrigin()
        try await withRig { rig in
            async let served: Void = origin.serve { connection in
                _ = connection.head()
                connection.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n0\r\n")
            }
            let outcome = await rig.opened(
                order(origin.base + "/", method: .put),
                upload: Upload(reader: PatternReader(50_000_000), length: 50_000_000, expectsContinue: false))
            // The end may arrive before the head was handed out.
            if case .success(let stream) = outcome { #expect(await text(stream.body).hasPrefix("early! ")) }
            try await served
        }
    }
}
