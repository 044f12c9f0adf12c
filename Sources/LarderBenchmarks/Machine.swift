// The facts without which a figure means nothing: the machine, the system, the versions, the day.
import Glibc
import LarderCore

enum Machine {
    /// The facts for the head of the report, as name and value.
    static func facts(_ stand: Stand, _ results: Results) -> [(String, String)] {
        let arguments = stand.arguments
        var system = utsname()
        uname(&system)
        let kernel = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let processor = value("model name", in: Files.text(of: "/proc/cpuinfo"), mark: ":")
        let distribution = value("PRETTY_NAME", in: Files.text(of: "/etc/os-release"), mark: "=")
        let versions = arguments.servers.compactMap { results.versions[$0] }
        return [
            ("Date", SystemTime().wall().rfc3339),
            ("Processor", "\(processor ?? "unknown"), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"),
            ("System", "\(distribution ?? "unknown"), Linux \(kernel)"),
            ("Versions", (versions.uniqued() + [results.wrkVersion]).joined(separator: "; ")),
            (
                "Load",
                "wrk -t1 -c\(arguments.connections) on core \(arguments.loadCore), "
                    + "each server on core \(arguments.serverCore)"
            ),
            ("Busy", "load average \(results.loadAverage) when it began; well above 0, others used the cores too"),
            ("Rounds", "\(arguments.rounds) of \(arguments.seconds) s, alternating over the servers"),
        ]
    }

    /// A server's version: the first line that its command prints.
    static func version(_ kind: ServerKind, stand: Stand) throws(Failure) -> String {
        switch kind {
        case .nginx, .nginxCopy: try firstLine(["nginx", "-v"], stand).replacing("nginx version: ", with: "")
        case .varnish:
            String(try firstLine(["varnishd", "-V"], stand).prefix { $0 != ")" }.drop { $0 != "(" }.dropFirst())
        case .bareloop: try firstLine(["gcc", "--version"], stand)
        case .larder, .larderSQLite: try firstLine([stand.arguments.larder, "--version"], stand)
        }
    }

    /// wrk prints its version only above its usage text, and exits with a failure.
    static func wrkVersion(_ stand: Stand) throws(Failure) -> String {
        let line = try firstLine(["wrk", "-v"], stand)
        return line.split(separator: " ").prefix(2).joined(separator: " ")
    }

    private static func firstLine(_ command: [String], _ stand: Stand) throws(Failure) -> String {
        let child = try ChildProcess("version", command, core: nil, stand: stand)
        defer { child.stop() }
        try child.waitForEnd(seconds: 10)
        let text = child.output.isEmpty ? child.complaint : child.output
        return String(text.split(whereSeparator: { $0 == "\n" || $0 == ";" }).first ?? "unknown")
    }

    private static func value(_ name: String, in text: String, mark: Character) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let place = line.firstIndex(of: mark)
        else { return nil }
        return ASCII.trimmed(line[line.index(after: place)...]).filter { $0 != "\"" }
    }
}

extension [String] {
    /// The elements without duplicates, in the order of their first occurrence.
    fileprivate func uniqued() -> [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
