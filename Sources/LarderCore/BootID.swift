// Which start of the machine the monotonic clock counts from. Linux makes a random id at each (proc_sys_kernel(5),
// `random/boot_id`).
import Glibc

enum BootID {
    /// A short mark of the present id.
    static let present = mark(of: "/proc/sys/kernel/random/boot_id")

    /// Two ids have the same mark once in four thousand million times. 0 if there is no such file.
    static func mark(of path: String) -> UInt32 {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { return 0 }
        defer { close(opened) }
        let id = Bytes(room: 64) { buffer, count in
            count = max(0, read(opened, buffer.baseAddress, buffer.count))
        }
        return id.isEmpty ? 0 : max(1, UInt32(truncatingIfNeeded: Digest(of: id).words.0))
    }
}
