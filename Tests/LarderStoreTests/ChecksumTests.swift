// CRC32C against the vectors of RFC 3720, appendix B.4, computed by the processor's instruction and by the table.
import LarderCore
import Testing

@testable import LarderStore

struct ChecksumTests {
    private func sum(_ bytes: Bytes, isFast: Bool) -> UInt32 {
        var sum = Checksum(isFast: isFast)
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.value
    }

    @Test(arguments: [true, false])
    func theVectorsOfTheStandardAreMet(isFast: Bool) {
        #expect(sum(Bytes(text: "123456789"), isFast: isFast) == 0xE306_9283)
        #expect(sum(Bytes(repeating: 0, count: 32), isFast: isFast) == 0x8A91_36AA)
        #expect(sum(Bytes(repeating: 0xFF, count: 32), isFast: isFast) == 0x62A8_AB43)
        #expect(sum(Bytes(0..<32), isFast: isFast) == 0x46DD_794E)
        #expect(sum(Bytes((0..<32).reversed()), isFast: isFast) == 0x113F_DB5C)
        let command: Bytes = [
            0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0,
            0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
        ]
        #expect(sum(command, isFast: isFast) == 0xD996_3A56)
        #expect(sum([], isFast: isFast) == 0)
    }

    @Test func threeStreamsAgreeWithTheTableWhereverTheyBeginAndEnd() {
        let bytes = Bench.body("x", 70_000, 3)
        for count in [3071, 3072, 3073, 3079, 6143, 6144, 9217, 65_535, 65_536, 69_990] {
            for start in 0..<9 {
                let part = Bytes(bytes[start..<(start + count)])
                #expect(sum(part, isFast: true) == sum(part, isFast: false))
            }
        }
    }

    @Test func theInstructionAndTheTableAgreeOnEveryLengthAndOnNumbers() {
        for count in 0..<200 {
            let bytes = Bench.body("x", count, 7)
            #expect(sum(bytes, isFast: true) == sum(bytes, isFast: false))
        }
        for isFast in [true, false] {
            var number = Checksum(isFast: isFast)
            number.add(0x0807_0605_0403_0201 as UInt64)
            #expect(number.value == sum([1, 2, 3, 4, 5, 6, 7, 8], isFast: isFast))
        }
    }

    @Test func bytesThatMoveFromOneTextToTheNextChangeTheSum() {
        func sum(_ texts: String...) -> UInt32 {
            var sum = Checksum()
            for text in texts { sum.add(measured: text) }
            return sum.value
        }
        #expect(sum("ab", "c") != sum("a", "bc"))
        #expect(sum("ab") != sum("ab", ""))
    }
}
