// Checks the log of a larder process that has ended. An error line is a finding unless an action of the harness
// explains it.
import LarderCore

struct SoakLog {
    /// The harness's actions during the life of the process.
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
            // Other lines come from the runtime or the C library, most likely in a crash. So they are always findings.
            if isLine, circumstances.diskWasShort, Self.isAboutTheStore(line) { continue }
            errors.append(String(line.prefix(400)))
        }
    }

    private static func isAboutTheStore(_ line: Substring) -> Bool {
        ["purge failed", "an entry could not be removed", "diskFull", "disk is full"].contains { line.contains($0) }
    }
}
