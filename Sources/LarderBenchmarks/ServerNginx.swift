// nginx: Benchmarks/nginx.conf says how it is set up. It runs twice, with and without sendfile, since neither is the
// faster at every size: a comparison is worth something against the best a peer can do.
import Glibc

extension ServerKind {
    func startNginx(on stand: Stand, origin: UInt16, job: Job) throws(Failure) -> Server {
        let directory = try stand.newDirectory("nginx")
        var server = try Server.start(self, on: stand) { (port: UInt16) throws(Failure) in
            let file = try stand.fill(
                "nginx.conf",
                [
                    "DIRECTORY": directory, "PORT": "\(port)", "ORIGIN_PORT": "\(origin)",
                    "SENDFILE": self == .nginx ? "on" : "off",
                    // As root, the worker would become a user that may not read the run's own directory.
                    "USER": getuid() == 0 ? "user root;" : "",
                    // Names of 100,000 objects need more room than those of three.
                    "ZONE": job == .mixed ? "64m" : "8m", "SIZE": job == .mixed ? "8g" : "1g",
                    "FILES": job == .mixed ? "20000" : "1000", "CONNECTIONS": job == .hits ? "1024" : "4096",
                    "DESCRIPTORS": job == .hits ? "" : "worker_rlimit_nofile 40000;",
                ])
            return ["nginx", "-p", directory, "-e", "\(directory)/error.log", "-c", file]
        }
        server.directory = directory
        return server
    }
}
