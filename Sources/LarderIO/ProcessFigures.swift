// What the kernel tells of this process (proc(5), clock(3), getrlimit(2)).
import Glibc

/// Figures of the process; nil where the kernel does not tell.
public struct ProcessFigures: Sendable {
    /// In user and system mode together.
    public var processorSeconds: Double?
    public var residentBytes: Int?
    public var virtualBytes: Int?
    public var openDescriptors: Int?
    /// The soft limit; nil also where there is none.
    public var mostDescriptors: Int?
    public var threads: Int?

    /// As they are now.
    public static func read() -> ProcessFigures {
        var figures = ProcessFigures()
        // Of all threads, in microseconds (POSIX, clock()).
        let processor = clock()
        if processor >= 0 { figures.processorSeconds = Double(processor) / 1e6 }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int.max) {
            figures.mostDescriptors = Int(limit.rlim_cur)
        }
        if let pages = ProcessMemory.pages() {
            figures.virtualBytes = pages.virtual
            figures.residentBytes = pages.resident
        }
        figures.openDescriptors = entries(of: "/proc/self/fd").map { $0 - 1 }
        figures.threads = entries(of: "/proc/self/task")
        return figures
    }

    /// How many names a directory holds. Looking takes a descriptor for itself.
    private static func entries(of path: String) -> Int? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // "." and ".." are no entries.
            if entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count
    }
}
