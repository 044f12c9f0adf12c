// A file that is lent to the first of two tries is still whole for the second try, or is known not to be.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct LentReaderTests {
    @Test func whatNobodyAskedForIsWholeAndStaysSoForWhoAsksLate() async throws {
        let base = WholeBodyReader(Bytes(text: "film"))
        let lent = LentReader(base)
        lent.abandon()
        #expect(lent.takeBack())
        await #expect(throws: BodyFailure.self) { try await lent.next() }
        #expect(try await base.next() == Bytes(text: "film"))
    }

    @Test func whatWasAskedForIsGone() async throws {
        let lent = LentReader(WholeBodyReader(Bytes(text: "film")))
        #expect(try await lent.next() == Bytes(text: "film"))
        #expect(!lent.takeBack())
    }
}
