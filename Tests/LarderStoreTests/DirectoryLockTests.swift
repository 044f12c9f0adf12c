// The lock that keeps a second daemon out ends with its owner, even if another process still holds a copy of its
// descriptor.
import Glibc
import LarderCore
import LarderStore
import LarderTestSupport
import Testing

@Suite struct DirectoryLockTests {
    /// A process that is about to execute another program holds copies of all descriptors for a moment.
    @Test func aCopyOfTheDescriptorDoesNotKeepTheDirectoryLocked() async throws {
        let directory = TemporaryDirectory()
        let first = try StateStore.open(directory: directory.path, log: .silent, counters: CounterRegistry())
        let copy = try #require(Self.copyOfDescriptor(of: directory.path + "/state.lock"))
        defer { close(copy) }
        await first.close()
        let second = try StateStore.open(directory: directory.path, log: .silent, counters: CounterRegistry())
        await second.close()
    }

    private static func copyOfDescriptor(of path: String) -> Int32? {
        guard let stream = opendir("/proc/self/fd") else { return nil }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var text = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(name)", &text, text.count)
            guard count > 0, let descriptor = Int32(name) else { continue }
            if String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) == path {
                return dup(descriptor)
            }
        }
        return nil
    }
}
