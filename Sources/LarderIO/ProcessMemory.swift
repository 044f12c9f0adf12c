// How the C library's heap gives memory back, for a process whose buffers come and go by the hundred kilobytes.
import CLinux

public enum ProcessMemory {
    /// Keeps up to 16 MiB of freed heap instead of returning it at once. glibc otherwise gives the top of its heap back
    /// after each large free and faults it in again for the next body: measured, 100 KB reads from the store took
    /// 17–29 µs so and 8 µs otherwise (mallopt(3)).
    public static func keepFreed() {
        mallopt(M_TRIM_THRESHOLD, 16 << 20)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }

    /// Gives back what is free, when there is time for it.
    public static func trim() {
        malloc_trim(0)
    }
}
