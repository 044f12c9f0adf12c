// Reads the memory figures of a process from the kernel (proc(5)).
import Glibc
import LarderCore

/// Returns a figure of /proc/PID/status in bytes: "VmHWM" is the peak resident memory, "RssAnon" the resident memory
/// that no file backs.
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

/// Whether the test runs under a sanitizer. A sanitizer keeps freed memory and needs shadow memory, so memory figures
/// then say nothing about the program.
public var isSanitized: Bool { dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil }
