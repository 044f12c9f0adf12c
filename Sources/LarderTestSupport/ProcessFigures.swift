// What the kernel says of a process's memory (proc(5)).
import Glibc
import LarderCore

/// A figure of /proc/PID/status, in bytes: "VmHWM" is the most that was ever resident, "RssAnon" what of it no file backs.
public func processMemory(_ pid: pid_t, _ name: String) throws -> Int {
    guard let file = fopen("/proc/\(pid)/status", "r") else { throw WireError("no process \(pid)") }
    defer { fclose(file) }
    var bytes = Bytes(repeating: 0, count: 1 << 14)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = Bytes(bytes.prefix(count)).lossyText.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw WireError("no figure \(name) of process \(pid)")
    }
    return number * 1024
}

/// Whether this runs under a sanitizer, whose memory beside the program's own says nothing of the program: it keeps what
/// is freed, and shadows of all.
public var isSanitized: Bool { dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil }
