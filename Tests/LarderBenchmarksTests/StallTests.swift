// What is slow beside the hits is told apart by paths, counts and lines: one of them wrong, and a round measures something else.
import Glibc
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct StallLookupTests {
    /// What the counts in a file of these bytes are.
    private func lookups(_ bytes: Bytes) throws -> StallLookups {
        var template = Array("/tmp/larder-lookups-XXXXXX".utf8CString)
        close(mkstemp(&template))
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        try Files.write(bytes, to: path)
        return try StallLookups(file: path)
    }

    @Test func theFileTellsWhatBeganAndThenWhatEnded() throws {
        #expect(try lookups([3, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]) == StallLookups(begun: 259, ended: 2))
    }

    @Test func whatBeganAndHasNotEndedIsUnderWay() {
        #expect(StallLookups(begun: 9, ended: 7).underWay == 2)
    }

    @Test func aFileWithoutBothCountsIsAFailure() {
        #expect(throws: Failure.self) { try lookups(Bytes(repeating: 0, count: 8)) }
    }
}
