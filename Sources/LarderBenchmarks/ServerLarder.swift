// larder as a person would set it up for this job: a pass-through provider bound to a listener's root, one loop for the
// one core. Everything else is its default, but for the memory tier switched off where SQLite is measured.
import LarderCore

extension ServerKind {
    func startLarder(on stand: Stand, origin: UInt16) throws(Failure) -> Server {
        let directory = try stand.newDirectory(rawValue)
        let configuration = """
            listen:
              - address: "127.0.0.1:0"
                provider: bench
            log: { access: off }
            server:
              loops: 1
            cache:
              path: "\(directory)/cache"
            \(self == .larderSQLite ? "  memorySize: 0\n" : "")state:
              path: "\(directory)/state"
            providers:
              bench:
                kind: passthrough
                baseURL: "http://127.0.0.1:\(origin)"
                rate: off
                quota: off

            """
        try Files.write(Bytes(text: configuration), to: "\(directory)/larder.yaml")
        let process = try ChildProcess(
            rawValue, [stand.arguments.larder, "serve", "--config", "\(directory)/larder.yaml"],
            core: stand.arguments.serverCore, stand: stand)
        do throws(Failure) {
            return Server(kind: self, process: process, port: try Server.announcedPort(process))
        } catch {
            process.stop()
            throw error
        }
    }
}
