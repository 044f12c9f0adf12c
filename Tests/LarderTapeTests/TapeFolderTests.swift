// The folder: bounds, hostile files, and several writers.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import Testing

@testable import LarderTape

struct TapeFolderTests {
    @Test func aFolderThatDoesNotExistIsAnEmptyTape() throws {
        let ground = try Ground()
        let tape = try Tape(path: "\(ground.path)/none")
        #expect(try tape.load().recordings.isEmpty)
        #expect(ground.files.isEmpty)
    }

    @Test func theFirstRecordingMakesTheFolder() throws {
        let ground = try Ground()
        let tape = try Tape(path: "\(ground.path)/new/tape")
        let name = try tape.keep(exchange())
        #expect(try Set(tape.files()) == [name.file, "tape.yaml", ".gitattributes"])
    }

    @Test func equalRequestsAreASeries() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let names = try (1...12).map { try tape.keep(exchange(body: "\($0)")) }
        #expect(names.map(\.series) == Array(1...12))
        #expect(Set(names.map(\.stem)).count == 1)
    }

    @Test(arguments: [500, 503, 599, 429])
    func errorsAreNotRecordedUnlessAskedFor(_ status: Int) throws {
        let ground = try Ground()
        #expect(try ground.tape().record(exchange(status: status)) == .error(status))
        #expect(ground.files.isEmpty)
        try ground.write("tape.yaml", "version: 1\nerrors: keep\n")
        try ground.tape().keep(exchange(status: status))
    }

    @Test func anAnswerOfNotFoundIsRecorded() throws {
        let ground = try Ground()
        try ground.tape().keep(exchange(status: 404))
    }

    @Test func aBodyBeyondTheLimitIsToldAndNotRecorded() throws {
        let ground = try Ground()
        var limits = TapeLimits()
        limits.body = 10
        #expect(try ground.tape(limits: limits).record(exchange(body: "12345678901")) == .tooLong(limit: 10))
        #expect(
            try ground.tape(limits: limits).record(exchange(method: .post, content: "12345678901", body: ""))
                == .tooLong(limit: 10))
        #expect(ground.files.isEmpty)
    }

    @Test func aBombIsTooLong() throws {
        let ground = try Ground()
        var written = try exchange(answer: ["Content-Encoding": "gzip"])
        written.answer.body = try ContentCoding.gzip(Bytes(repeating: 0, count: 17 << 20))
        #expect(try ground.tape().record(written) == .tooLong(limit: 16 << 20))
    }

    @Test func moreExchangesThanTheLimitAreAnError() throws {
        let ground = try Ground()
        var limits = TapeLimits()
        limits.exchanges = 1
        let tape = try ground.tape(limits: limits)
        for body in ["a", "b"] { try tape.keep(exchange(body: body)) }
        let fault = #expect(throws: TapeFault.self) { try tape.load() }
        #expect(fault?.kind == .tooLarge)
    }

    @Test func moreBytesThanTheLimitAreAnError() throws {
        let ground = try Ground()
        var limits = TapeLimits()
        limits.total = 300
        let tape = try ground.tape(limits: limits)
        for _ in 0..<3 { try tape.keep(exchange()) }
        let fault = #expect(throws: TapeFault.self) { try tape.load() }
        #expect(fault?.kind == .tooLarge)
    }

    @Test func fieldsOfTheConnectionAreNotWritten() throws {
        let ground = try Ground()
        let answer: HeaderFields = [
            "Connection": "X-Hop", "X-Hop": "1", "Transfer-Encoding": "chunked", "Content-Length": "5", "X-Kept": "1",
        ]
        try ground.tape().keep(exchange(answer: answer))
        #expect(try ground.tape().load().recordings.first?.exchange.answer.fields == ["X-Kept": "1"])
    }

    @Test func anAnswerToHEADKeepsItsLength() throws {
        let ground = try Ground()
        try ground.tape().keep(exchange(method: .head, answer: ["Content-Length": "5"], body: ""))
        #expect(try ground.tape().load().recordings.first?.exchange.answer.fields == ["Content-Length": "5"])
    }

    @Test func aFieldThatWouldBreakTheTextIsLeftOut() throws {
        let ground = try Ground()
        let answer: HeaderFields = ["X-Bad": "a\nX-Evil: b", "A b": "c", "X-Good": "d"]
        try ground.tape().keep(exchange(answer: answer))
        #expect(try ground.tape().load().recordings.first?.exchange.answer.fields == ["X-Good": "d"])
    }

    @Test func aMethodThatWouldBreakTheTextIsRefused() throws {
        let ground = try Ground()
        #expect(throws: TapeFault.self) { try ground.tape().record(exchange(method: Method("GET /\n"))) }
        #expect(ground.files.isEmpty)
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        let (ground, outside) = (try Ground(), try Ground())
        let tape = try outside.tape()
        let name = try tape.keep(exchange())
        #expect(symlink("\(outside.path)/\(name.file)", "\(ground.path)/\(name.file)") == 0)
        let contents = try ground.tape().load()
        #expect(contents.recordings.isEmpty)
        #expect(contents.torn.map(\.file) == [name.file])
    }

    @Test func aSymbolicLinkInPlaceOfABodyIsNotFollowed() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        var written = try exchange()
        written.answer.body = [0]
        let name = try tape.keep(written)
        #expect(rename("\(ground.path)/\(name).body", "\(ground.path)/moved") == 0)
        #expect(symlink("moved", "\(ground.path)/\(name).body") == 0)
        #expect(try tape.load().torn.map(\.file) == ["\(name).body"])
    }

    @Test func recordingDoesNotWriteThroughALink() throws {
        let (ground, outside) = (try Ground(), try Ground())
        let tape = try ground.tape()
        let name = try tape.keep(exchange())
        try tape.remove([name])
        #expect(symlink("\(outside.path)/target", "\(ground.path)/\(name.file)") == 0)
        #expect(try tape.keep(exchange()).series == 2)
        #expect(outside.files.isEmpty)
    }

    @Test func aPipeInTheFolderDoesNotStopTheReader() throws {
        let ground = try Ground()
        #expect(mkfifo("\(ground.path)/a-00000000-01.http", 0o600) == 0)
        #expect(try ground.tape().load().torn.count == 1)
    }

    @Test func aFolderInPlaceOfAFileIsNamed() throws {
        let ground = try Ground()
        #expect(mkdir("\(ground.path)/a-00000000-01.http", 0o700) == 0)
        #expect(try ground.tape().load().torn.count == 1)
    }

    @Test func filesWithOtherNamesAreNotRead() throws {
        let ground = try Ground()
        for name in ["README.md", "..http", "A-01.http", "a-1.http"] { try ground.write(name, "x") }
        let contents = try ground.tape().load()
        #expect(contents.recordings.isEmpty && contents.torn.isEmpty)
    }

    @Test func recordersAtOnceTakeDifferentNames() async throws {
        let ground = try Ground()
        let path = ground.path
        var binary = try exchange()
        binary.answer.body = [0, 1]
        let written = binary
        let names = try await withThrowingTaskGroup(of: [TapeName].self) { group in
            for _ in 0..<4 {
                // Each opens the folder for itself, as processes do.
                group.addTask { try (0..<25).map { _ in try Tape(path: path).keep(written) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(names).count == 100)
        let contents = try ground.tape().load()
        #expect(contents.recordings.count == 100 && contents.torn.isEmpty)
        #expect(ground.files.count == 202)
    }

    @Test func aTapeIsReadWholeWhileItIsWritten() async throws {
        let ground = try Ground()
        let path = ground.path
        var binary = try exchange()
        binary.answer.body = [0, 1]
        let written = binary
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<50 { try Tape(path: path).keep(written) } }
            group.addTask {
                for _ in 0..<50 {
                    let torn = try Tape(path: path).load().torn
                    #expect(torn.isEmpty)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func nothingUnfinishedIsLeftBehind() throws {
        let ground = try Ground()
        for _ in 0..<3 { try ground.tape().keep(exchange()) }
        #expect(!ground.files.contains { $0.hasPrefix(".unfinished") })
    }

    @Test func aFolderThatCannotBeWrittenIsATypedError() throws {
        let ground = try Ground()
        try ground.write("file", "x")
        #expect(throws: TapeFault.self) { try Tape(path: "\(ground.path)/file/tape").record(exchange()) }
    }

    @Test func removingTakesAllFilesOfAnExchange() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        var written = try exchange()
        written.answer.body = [0]
        try tape.remove([tape.keep(written)])
        #expect(ground.files == [".gitattributes", "tape.yaml"])
    }
}
