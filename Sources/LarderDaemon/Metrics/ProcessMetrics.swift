// Metrics of the process itself, under the names that Prometheus' own client libraries use
// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
import LarderCore
import LarderIO
import LarderSettings

enum ProcessMetrics {
    static let build = MetricFamily(
        "larder_build_info", .gauge,
        help: "1, with the version and the commit of this daemon and the versions of its libraries.",
        labels: ["version", "commit"] + LibraryVersions.all.map(\.name))
    private static let processor = MetricFamily(
        "process_cpu_seconds_total", help: "Processor time of the process, in user and system mode.")
    private static let resident = MetricFamily(
        "process_resident_memory_bytes", .gauge, help: "Memory of the process that is not swapped out.")
    private static let virtual = MetricFamily(
        "process_virtual_memory_bytes", .gauge, help: "Size of the process's address space.")
    private static let open = MetricFamily("process_open_fds", .gauge, help: "Open file descriptors.")
    private static let most = MetricFamily("process_max_fds", .gauge, help: "Limit of open file descriptors.")
    private static let threads = MetricFamily("process_threads", .gauge, help: "Threads of the process.")
    private static let start = MetricFamily(
        "process_start_time_seconds", .gauge, help: "When the daemon started, in seconds since 1970.")

    /// The samples. Figures that the kernel does not provide are left out.
    static func samples(_ figures: ProcessFigures, startedAt: WallTime) -> [ProviderMetrics.Sample] {
        let all: [(MetricFamily, Double?)] = [
            (processor, figures.processorSeconds), (resident, figures.residentBytes.map(Double.init)),
            (virtual, figures.virtualBytes.map(Double.init)), (open, figures.openDescriptors.map(Double.init)),
            (most, figures.mostDescriptors.map(Double.init)), (threads, figures.threads.map(Double.init)),
            (start, Double(startedAt.milliseconds) / 1000),
        ]
        return all.compactMap { family, value in
            value.map { ProviderMetrics.Sample(family: family, labels: [], value: $0) }
        }
    }
}
