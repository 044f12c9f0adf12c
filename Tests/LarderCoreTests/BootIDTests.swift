// The mark of the machine's start.
import LarderTestSupport
import Testing

@testable import LarderCore

@Suite struct BootIDTests {
    @Test func theMarkStaysForAsLongAsTheMachineRuns() {
        #expect(SystemTime().boot == BootID.mark(of: "/proc/sys/kernel/random/boot_id"))
    }

    @Test func twoIDsHaveTwoMarks() {
        let directory = TemporaryDirectory()
        let marks = ["e2b0c0b0-1", "e2b0c0b0-2"].map { id in
            BootID.mark(of: directory.write(id, id))
        }
        #expect(!marks.contains(0) && marks[0] != marks[1])
    }

    @Test func withoutTheFileTheMarkIsZero() {
        #expect(BootID.mark(of: "/nowhere/boot_id") == 0)
    }
}
