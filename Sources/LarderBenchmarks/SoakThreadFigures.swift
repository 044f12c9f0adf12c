// The threads of a larder process while it gets no requests: how deep their stacks have been, and the time that they
// use. Pages of a stack stay resident once they were touched, so the resident part of its mapping is its greatest depth
// (proc_pid_smaps(5)).
import Glibc

struct SoakThreadFigures: Equatable {
    var name: String
    /// Time on a core since the thread's start.
    var milliseconds: Int
    /// Zero while the thread runs: the kernel tells the stack pointer of a waiting thread only (proc_pid_syscall(5)).
    var stackKibibytes: Int

    /// The threads of a process, by number.
    static func all(of pid: pid_t) -> [String: SoakThreadFigures] {
        let mappings = Self.mappings(Files.text(of: "/proc/\(pid)/smaps"))
        var threads: [String: SoakThreadFigures] = [:]
        for number in Files.names(in: "/proc/\(pid)/task") {
            let folder = "/proc/\(pid)/task/\(number)"
            let name = Files.text(of: "\(folder)/comm").split(separator: "\n").first.map(String.init) ?? "?"
            threads[number] = SoakThreadFigures(
                name: name, milliseconds: Self.milliseconds(Files.text(of: "\(folder)/stat")),
                stackKibibytes: Self.stack(Files.text(of: "\(folder)/syscall"), in: mappings))
        }
        return threads
    }

    struct Mapping: Equatable {
        var range: Range<UInt>
        var residentKibibytes: Int
    }

    static func mappings(_ smaps: String) -> [Mapping] {
        var found: [Mapping] = []
        for line in smaps.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.first == "Rss:", words.count > 1, !found.isEmpty {
                found[found.count - 1].residentKibibytes = Int(words[1]) ?? 0
            } else if let ends = words.first?.split(separator: "-"), ends.count == 2,
                let from = UInt(ends[0], radix: 16), let to = UInt(ends[1], radix: 16), from < to
            {
                found.append(Mapping(range: from..<to, residentKibibytes: 0))
            }
        }
        return found
    }

    /// - Parameter syscall: the file of that name. Its last two words are the stack pointer and the program counter.
    static func stack(_ syscall: String, in mappings: [Mapping]) -> Int {
        let words = syscall.split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard words.count > 2, let pointer = UInt(words[words.count - 2].dropFirst(2), radix: 16) else { return 0 }
        return mappings.first { $0.range.contains(pointer) }?.residentKibibytes ?? 0
    }

    /// The user and system time in a stat file (proc_pid_stat(5)), in which the name may contain spaces.
    static func milliseconds(_ stat: String) -> Int {
        guard let end = stat.lastIndex(of: ")") else { return 0 }
        let words = stat[end...].split(separator: " ")
        guard words.count > 13, let user = Int(words[12]), let system = Int(words[13]) else { return 0 }
        return (user + system) * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK)))
    }
}
