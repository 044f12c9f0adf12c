// The kernel's figures for a server: processor time and memory of the server and all its child processes.
import Glibc

enum ProcessTree {
    /// Seconds of processor time, user and system, of a process and its living descendants (proc_pid_stat(5)).
    static func cpuSeconds(_ root: pid_t) -> Double {
        let ticks = members(of: root).reduce(0) { $0 + $1.ticks }
        return Double(ticks) / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    /// Resident and anonymous memory in KiB, summed over the processes (proc_pid_status(5)). The resident sum counts
    /// shared memory once for each process.
    static func memory(_ root: pid_t) -> (resident: Int, anonymous: Int) {
        members(of: root).reduce(into: (0, 0)) { sum, member in
            let text = Files.text(of: "/proc/\(member.pid)/status")
            sum.0 += kibibytes("VmRSS:", in: text)
            sum.1 += kibibytes("RssAnon:", in: text)
        }
    }

    /// The peak resident memory in KiB (VmHWM), summed over the processes.
    static func peak(_ root: pid_t) -> Int {
        members(of: root).reduce(0) { $0 + kibibytes("VmHWM:", in: Files.text(of: "/proc/\($1.pid)/status")) }
    }

    private static func kibibytes(_ name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    private static func members(of root: pid_t) -> [(pid: pid_t, ticks: Int)] {
        var parents: [pid_t: pid_t] = [:]
        var ticks: [pid_t: Int] = [:]
        for pid in Files.names(in: "/proc").compactMap({ pid_t($0) }) {
            let text = Files.text(of: "/proc/\(pid)/stat")
            // The name in parentheses may contain any character. The fields after it are numbered from the third.
            guard let end = text.lastIndex(of: ")") else { continue }
            let fields = text[text.index(after: end)...].split(separator: " ")
            guard fields.count > 12, let parent = pid_t(fields[1]), let user = Int(fields[11]),
                let system = Int(fields[12])
            else { continue }
            parents[pid] = parent
            ticks[pid] = user + system
        }
        return ticks.compactMap { pid, ticks in
            var ancestor = pid
            while ancestor != root, let next = parents[ancestor], next > 0 { ancestor = next }
            return ancestor == root ? (pid, ticks) : nil
        }
    }
}
