// The number of cores that this process may use. A service manager, a container or taskset(1) may permit fewer than the
// machine has; more loops than these cores would only wait for each other. A quota of CPU time
// (CPUQuota=, docker --cpus) permits all cores for a part of the time, and does not count here.
import CLinux

public enum UsableCores {
    /// At least 1 (sched_getaffinity(2)).
    public static var count: Int { max(1, Int(larder_usable_cores())) }
}
