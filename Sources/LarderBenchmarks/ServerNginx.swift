// nginx: Benchmarks/nginx.conf says how it is set up. It runs twice, with and without sendfile, since neither is the
// faster at every size: a comparison is worth something against the best a peer can do.
import Glibc

extension ServerKind {
    func startNginx(on stand: Stand, origin: UInt16) throws(Failure) -> Server {
        let directory = try stand.newDirectory("nginx")
        return try Server.start(self, on: stand) { (port: UInt16) throws(Failure) in
            let file = try stand.fill(
                "nginx.conf",
                [
                    "DIRECTORY": directory, "PORT": "\(port)", "ORIGIN_PORT": "\(origin)",
                    "SENDFILE": self == .nginx ? "on" : "off",
                    // As root, the worker would become a user that may not read the run's own directory.
                    "USER": getuid() == 0 ? "user root;" : "",
                ])
            return ["nginx", "-p", directory, "-e", "\(directory)/error.log", "-c", file]
        }
    }
}
