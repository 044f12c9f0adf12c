// The heap of a process that allocates and frees buffers of hundreds of kilobytes. A release uses tcmalloc, whose heap all
// threads share; a debug build uses the C library's, which is told to (Docs/Decisions/0015, 0045).
import CLinux
import Glibc

public enum ProcessMemory {
    /// Configures the C library's heap. Must be called before the first thread is made.
    ///
    /// All threads share one heap. A body is allocated by the thread that reads it, a loop's or the store's, and freed
    /// by the thread that answers with it. With a heap for each thread (mallopt(3), M_ARENA_MAX), memory freed into one
    /// loop's heap stayed there while the next bodies came from the readers' heaps. Measured for 256 MiB of bodies: 590
    /// MiB with many heaps, 343 MiB with one. A hit from memory allocates nothing, and small objects come from a cache
    /// of each thread.
    ///
    /// Up to 16 MiB of freed heap is kept. By default glibc returns the top of its heap after each large free and
    /// faults it in again for the next body. Measured for 100 KB reads from the store: 17–29 µs by default, 8 µs with
    /// this setting.
    public static func shapeHeap() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }

    /// Returns free memory to the system. This locks the heap, for milliseconds if some hundred megabytes are free.
    public static func trim() {
        larder_trim_heap()
    }

    /// Lets go of the code of the program and its libraries that was used until now. What is used again is mapped again
    /// from the system's page cache, 16 pages at a time; a start uses some ten megabytes that nothing uses later.
    public static func forgetCode() { larder_forget_code() }

    /// The bytes of the heap in use. This walks the free memory with the heap locked.
    public static func used() -> Int { larder_heap_used() }

    /// The resident memory of the process in bytes; nil if the kernel does not report it (proc(5), statm).
    public static func resident() -> Int? { pages()?.resident }

    /// The address space and resident memory in bytes; nil if the kernel does not report them.
    static func pages() -> (virtual: Int, resident: Int)? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = fread(&buffer, 1, buffer.count, file)
        let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ").map { Int($0) }
        guard words.count > 1, let all = words[0], let resident = words[1] else { return nil }
        let size = sysconf(Int32(_SC_PAGESIZE))
        return (all * size, resident * size)
    }
}
