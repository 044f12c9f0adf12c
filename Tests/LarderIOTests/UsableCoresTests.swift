// The loops of a process are as many as the cores that it may use.
import Glibc
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@Suite struct UsableCoresTests {
    @Test func aThreadThatMayUseOneCoreCountsOne() {
        // The kernel keeps the set for each thread, so the other tests' threads keep theirs.
        let count = Lock(0)
        let thread = startThread {
            var one = cpu_set_t()
            sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &one)
            withUnsafeMutableBytes(of: &one) { bytes in
                guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return }
                let lowest = bytes[first] & ~(bytes[first] - 1)
                for place in bytes.indices { bytes[place] = 0 }
                bytes[first] = lowest
            }
            sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &one)
            count.withLock { $0 = UsableCores.count }
        }
        thread.join()
        #expect(count.withLock { $0 } == 1)
    }
}
