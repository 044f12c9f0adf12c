// Figures that the kernel reports about this process (proc(5), clock(3), getrlimit(2)).
import Glibc

/// Figures of the process. Each is nil if the kernel does not report it.
public struct ProcessFigures: Sendable {
    /// Processor time in user and system mode together.
    public var processorSeconds: Double?
    public var residentBytes: Int?
    public var virtualBytes: Int?
    public var openDescriptors: Int?
    /// The soft limit; nil also if there is none.
    public var mostDescriptors: Int?
    public var threads: Int?

    /// Reads the present figures.
    public static func read() -> ProcessFigures {
        var figures = ProcessFigures()
        // The time of all threads, in microseconds (POSIX, clock()).
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

    /// Counts the entries of a directory. Reading it opens one descriptor.
    private static func entries(of path: String) -> Int? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // Skips "." and "..".
            if entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count
    }
}
