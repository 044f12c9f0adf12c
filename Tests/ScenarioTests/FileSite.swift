// A site of files, and a daemon through which `larder run` reaches it: over https or over plain http. Its name leads to
// this machine in the daemon's settings alone, so a client that goes past the cache finds nothing.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

struct FileSite: Sendable {
    enum Scheme: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case http
        case https

        var testDescription: String { rawValue }
    }

    static let host = "packages.example"
    let scheme: Scheme
    /// `$TMPDIR` and `$HOME` of the command, and where it runs.
    let directory: TemporaryDirectory
    private let environment: [String: String]
    private let targets: @Sendable () -> [String]

    /// "https://packages.example".
    var base: String { "\(scheme)://\(Self.host)" }
    /// What the site was asked for, in order.
    var asked: [String] { targets() }

    func count(of target: String) -> Int { asked.count { $0 == target } }

    static func with(_ scheme: Scheme, _ body: (FileSite) async throws -> Void) async throws {
        let directory = TemporaryDirectory()
        let folder = "\(directory.path)/site"
        mkdir(folder, 0o700)
        let secure = try TLSOrigin(name: host) { [.bytes(answer(to: $0.target, in: folder))] }
        defer { secure.stop() }
        let plain = ScriptedOrigin { [.sendBytes(answer(to: $0.target, in: folder))] }
        defer { plain.stop() }
        let socket = "\(directory.path)/l.sock"
        let ways = ["443:127.0.0.1:\(secure.port)", "80:127.0.0.1:\(plain.port)"].map { "\"\(host):\($0)\"" }
        try await withLarder(
            // Addresses of this machine must be named.
            "fetch: { connectTo: [\(ways.joined(separator: ", "))] }\nproxy: { hosts: { \(host): cache } }",
            listen: [#""127.0.0.1:0""#, "\"unix:\(socket)\""], directory: directory,
            environment: ["SSL_CERT_FILE": secure.certificate]
        ) { _ in
            let environment = [
                "LARDER_URL": "unix:\(socket)", "TMPDIR": directory.path, "HOME": directory.path,
                "PATH": ToolProcess.path,
            ]
            let site = FileSite(scheme: scheme, directory: directory, environment: environment) {
                scheme == .https ? secure.requests.map(\.target) : plain.requests.map(\.target)
            }
            try await body(site)
        }
    }

    /// Makes files of the site with a script that runs in its folder.
    func make(_ script: String) async throws {
        let made = try await ToolProcess.run(
            ["sh", "-c", "set -e; cd \"$HOME/site\"\n\(script)"], environment: ["HOME": directory.path])
        try #require(made.status == 0, "\(made.text)")
    }

    /// Runs a script under `larder run`, which must succeed. Returns its output with the summary of the run.
    @discardableResult
    func run(_ script: String, _ more: [String: String] = [:]) async throws -> String {
        // Plain http goes through the cache in any case.
        let named = scheme == .https ? ["--host", Self.host] : []
        let process = try CommandProcess(
            ["run"] + named + ["--", "sh", "-c", "set -e; cd \"$HOME\"\n\(script)"],
            environment: environment.merging(more) { $1 }, in: directory)
        let end = try await onOwnThread { process.waitForEnd() }
        let told = process.output + process.errors
        #expect(end == .exited(0), "\(told)")
        return told
    }

    /// A file, or 404. Whatever there is may be kept, and nothing can be asked again with a condition.
    private static func answer(to target: String, in folder: String) -> Bytes {
        let path = String(target.prefix { $0 != "?" })
        let name = path.hasSuffix("/") ? "\(path)index.html" : path
        guard let body = read("\(folder)\(name)") else {
            return Bytes(text: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        let type = name.hasSuffix(".html") ? "text/html" : "application/octet-stream"
        let head =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Bytes(text: head) + body
    }

    private static func read(_ path: String) -> Bytes? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var (bytes, buffer) = (Bytes(), Bytes(repeating: 0, count: 1 << 16))
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return ferror(file) == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }
}
