// The number of cores that this process may use. A service manager, a container or taskset(1) may permit fewer than the
// machine has; more loops than these cores would only wait for each other.
import Glibc

public enum UsableCores {
    /// At least 1 (sched_getaffinity(2)). All cores that are online, if the kernel does not tell.
    public static var count: Int {
        var permitted = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &permitted) == 0 else {
            return max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        }
        return max(1, withUnsafeBytes(of: permitted) { $0.reduce(0) { $0 + $1.nonzeroBitCount } })
    }
}
