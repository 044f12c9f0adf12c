// The environment of larder in a soak: a small disk that is filled, and a clock that is moved.
import CLinux
import Glibc
import LarderCore

/// The file system of the cache. It is a separate one if this process may mount it.
struct SoakDisk {
    static let size = 96 << 20

    let directory: String
    /// If false, the disk is only declared full, by a `cache.minFree` that no disk can meet.
    let isMounted: Bool
    private let stand: Stand

    init(_ stand: Stand) throws(Failure) {
        self.stand = stand
        directory = try stand.newDirectory("disk")
        let child = try ChildProcess(
            "mount", ["mount", "-t", "tmpfs", "-o", "size=\(Self.size),mode=0700", "larder-soak", directory], core: nil,
            stand: stand)
        try child.waitForEnd(seconds: 20)
        isMounted = child.hasSucceeded
    }

    private var filler: String { "\(directory)/filler" }

    /// Fills the disk up to this many free bytes.
    func fill(free: Int) {
        let file = open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let block = Bytes(repeating: 0x55, count: 65_536)
        while freeBytes > free {
            let wanted = min(block.count, max(1, freeBytes - free))
            guard Glibc.write(file, block, wanted) > 0 else { return }
        }
    }

    func empty() { unlink(filler) }

    private var freeBytes: Int {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return 0 }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    func remove() {
        guard isMounted, let child = try? ChildProcess("umount", ["umount", directory], core: nil, stand: stand) else {
            return
        }
        try? child.waitForEnd(seconds: 20)
    }
}

/// The error of larder's wall clock in seconds, in a file that the process has mapped (Benchmarks/clock.c).
struct SoakClock {
    let path: String
    private let shift: UnsafeMutablePointer<Int64>

    init(_ stand: Stand) throws(Failure) {
        path = stand.newFile("clock")
        try Files.write(Bytes(repeating: 0, count: 8), to: path)
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw .failed(path, systemReason()) }
        defer { close(file) }
        guard let mapped = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), mapped != MAP_FAILED else {
            throw .failed(path, systemReason())
        }
        shift = mapped.assumingMemoryBound(to: Int64.self)
    }

    var seconds: Int {
        get { Int(shift.pointee) }
        nonmutating set { shift.pointee = Int64(newValue) }
    }
}
