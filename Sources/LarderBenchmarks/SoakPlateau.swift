// The resources that a larder process holds while it gets no requests, compared with an earlier plateau.
import Glibc

/// Figures of one process (proc_pid_status(5)).
struct SoakPlateau: Equatable {
    /// The permitted growth beyond the first plateau: a percentage of it, plus a number of KiB.
    static let memoryPercent = 20
    static let memoryKibibytes = 16 * 1024
    /// Kept connections to the origins vary.
    static let descriptors = 20
    static let threads = 2
    /// The greatest depth of a stack. A stack has 8 MiB.
    static let stackKibibytes = 1024
    /// The share of a core that a thread may use while there are no requests.
    static let idlePercent = 5

    var milliseconds = 0
    var process = 0
    var residentKibibytes = 0
    var descriptors = 0
    var threads = 0
    /// The thread whose stack was deepest.
    var deepest = SoakThreadFigures(name: "none", milliseconds: 0, stackKibibytes: 0)
    /// The thread that used most time at rest, and its share of a core.
    var busiest = "none"
    var busiestPercent = 0

    init(milliseconds: Int, process: Int, residentKibibytes: Int, descriptors: Int, threads: Int) {
        self.milliseconds = milliseconds
        self.process = process
        self.residentKibibytes = residentKibibytes
        self.descriptors = descriptors
        self.threads = threads
    }

    init(of pid: pid_t, process: Int, milliseconds: Int) {
        let status = Files.text(of: "/proc/\(pid)/status")
        func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        self.init(
            milliseconds: milliseconds, process: process, residentKibibytes: number("VmRSS:"),
            descriptors: Files.names(in: "/proc/\(pid)/fd").count, threads: number("Threads:"))
    }

    /// Notes the threads, and their use of time since an earlier reading.
    mutating func compare(
        _ threads: [String: SoakThreadFigures], with before: [String: SoakThreadFigures], over milliseconds: Int
    ) {
        for (number, thread) in threads {
            if thread.stackKibibytes > deepest.stackKibibytes { deepest = thread }
            let percent = (thread.milliseconds - (before[number]?.milliseconds ?? 0)) * 100 / max(1, milliseconds)
            if percent > busiestPercent { (busiest, busiestPercent) = (thread.name, percent) }
        }
    }

    /// The figures that no process may have at rest.
    var excesses: [String] {
        var found: [String] = []
        if deepest.stackKibibytes > Self.stackKibibytes {
            found.append(
                "the stack of \(deepest.name) was \(deepest.stackKibibytes) KiB deep; \(Self.stackKibibytes) are tolerated"
            )
        }
        if busiestPercent > Self.idlePercent {
            found.append(
                "\(busiest) uses \(busiestPercent) % of a core at rest; \(Self.idlePercent) are tolerated")
        }
        return found
    }

    /// The figures that exceed an earlier plateau of the same process by more than the tolerance.
    func growth(since early: SoakPlateau) -> [String] {
        var found: [String] = []
        let most = early.residentKibibytes * (100 + Self.memoryPercent) / 100 + Self.memoryKibibytes
        if residentKibibytes > most {
            found.append(
                "memory grew from \(early.residentKibibytes) to \(residentKibibytes) KiB; \(most) are tolerated")
        }
        if descriptors > early.descriptors + Self.descriptors {
            found.append("descriptors grew from \(early.descriptors) to \(descriptors)")
        }
        if threads > early.threads + Self.threads {
            found.append("threads grew from \(early.threads) to \(threads)")
        }
        return found
    }
}
