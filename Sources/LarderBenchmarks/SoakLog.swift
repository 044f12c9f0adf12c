// The log of larder after a process of it has ended: an error line is a finding unless something that the harness did explains
// it.
import LarderCore

struct SoakLog {
    /// What the harness did during the process's life.
    struct Circumstances {
        var diskWasShort = false
    }

    var errors: [String] = []
    var warnings = 0

    /// - Parameter text: lines of JSON, as `log.format: json` writes them.
    init(_ text: String, _ circumstances: Circumstances) {
        for line in text.split(separator: "\n") {
            if line.contains("\"level\":\"warning\"") { warnings += 1 }
            let isLine = line.hasPrefix("{\"time\"")
            guard !isLine || line.contains("\"level\":\"error\"") else { continue }
            // What is no line of the log was written by the runtime or the C library, most likely on the way down.
            if isLine, circumstances.diskWasShort, Self.isAboutTheStore(line) { continue }
            errors.append(String(line.prefix(400)))
        }
    }

    private static func isAboutTheStore(_ line: Substring) -> Bool {
        ["purge failed", "an entry could not be removed", "diskFull", "disk is full"].contains { line.contains($0) }
    }
}
