// How the C library's heap gives memory back, for a process whose buffers come and go by the hundred kilobytes.
import CLinux
import Glibc

public enum ProcessMemory {
    /// To be called before the first thread is made.
    ///
    /// One heap for all threads: a body is allocated by the thread that reads it, a loop's or the store's, and
    /// freed by whoever answers with it. With a heap for each thread (mallopt(3), M_ARENA_MAX), what one loop's heap
    /// got back stayed there while the next bodies came out of the readers': measured, 590 MiB for 256 MiB of bodies,
    /// and 343 MiB so. A hit from memory allocates nothing, and small objects come from a cache of the thread's own.
    ///
    /// Up to 16 MiB of freed heap is kept instead of being returned at once. glibc otherwise gives the top of its heap
    /// back after each large free and faults it in again for the next body: measured, 100 KB reads from the store took
    /// 17–29 µs so and 8 µs otherwise.
    public static func shapeHeap() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }

    /// Gives back what is free. The heap is locked for that long: milliseconds for some hundred megabytes.
    public static func trim() {
        malloc_trim(0)
    }

    /// What of the heap is in use. Walks through what is free, with the heap locked.
    public static func used() -> Int {
        let figures = mallinfo2()
        return figures.uordblks + figures.hblkhd
    }

    /// What of the process is in memory; nil where the kernel does not tell (proc(5), statm).
    public static func resident() -> Int? { pages()?.resident }

    /// Address space and memory in bytes; nil where the kernel does not tell.
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
