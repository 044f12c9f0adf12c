// The memory that a body collected whole claims before it takes bytes.
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct WholeBodyTests {
    /// A body in a class, which can be filled inside a claim.
    private final class Filling {
        private var body: WholeBody?
        let memory: BodyMemory

        init(_ memory: BodyMemory) {
            self.memory = memory
            body = WholeBody()
        }

        func expect(_ length: Int) -> Bool { body?.expect(length, memory) == true }

        func append(_ count: Int) -> Bool {
            Bytes(repeating: 0x61, count: count).withUnsafeBytes { body?.append($0, limit: 10 << 20, memory) } == true
        }

        func take() -> (Bytes, BodyHold?) { body?.take() ?? ([], nil) }

        func drop() { body = nil }
    }

    @Test func aLengthIsAskedForAtTheHead() {
        let memory = BodyMemory(limit: 1 << 20)
        let first = Filling(memory)
        #expect(first.expect(700_000))
        #expect(memory.held == 700_000)
        let second = Filling(memory)
        #expect(!second.expect(700_000), "before a byte of it came")
        #expect(first.append(700_000))
        let (bytes, hold) = first.take()
        #expect(bytes.count == 700_000)
        #expect(memory.held == 700_000)
        withExtendedLifetime(hold) {}
    }

    @Test func whatGrowsIsAskedForAsItGrowsAndKeptAsItIs() {
        let memory = BodyMemory(limit: 10 << 20)
        let body = Filling(memory)
        for _ in 0..<100 { #expect(body.append(10_000)) }
        #expect(memory.held >= 1_000_000 && memory.held <= 2_000_000)
        do {
            let (bytes, hold) = body.take()
            #expect(bytes.count == 1_000_000)
            #expect(memory.held == 1_000_000)
            withExtendedLifetime(hold) {}
        }
        #expect(memory.held == 0)
    }

    @Test func whatFindsNoRoomIsTold() {
        let memory = BodyMemory(limit: 300_000)
        let first = Filling(memory)
        let second = Filling(memory)
        #expect(first.append(100_000))
        #expect(second.append(100_000))
        #expect(!second.append(150_000))
        second.drop()
        #expect(first.append(150_000), "the other's room is free again")
    }

    @Test func smallBodiesAreNotCounted() {
        let memory = BodyMemory(limit: 1)
        let bodies = (0..<20).map { _ in Filling(memory) }
        for body in bodies { #expect(body.append(16 << 10)) }
        #expect(memory.held == 0)
    }
}
