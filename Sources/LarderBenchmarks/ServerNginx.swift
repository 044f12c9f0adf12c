// nginx: Benchmarks/nginx.conf says how it is set up. It runs twice, with and without sendfile, since neither is the
// faster at every size: a comparison is worth something against the best a peer can do.
import Glibc

extension ServerKind {
    func startNginx(on stand: Stand, origin: UInt16, job: Job) throws(Failure) -> Server {
        let directory = try stand.newDirectory("nginx")
        let descriptors = min(40_000, Self.descriptorLimit())
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
                    // As many open files as the limit leaves beside connections, which take two each.
                    "FILES": job == .mixed ? "\(min(20_000, descriptors - 9000))" : "1000",
                    "CONNECTIONS": job == .hits ? "1024" : "4096",
                    "DESCRIPTORS": job == .hits ? "" : "worker_rlimit_nofile \(descriptors);",
                ])
            return ["nginx", "-p", directory, "-e", "\(directory)/error.log", "-c", file]
        }
        server.directory = directory
        return server
    }

    /// What the system lets a process of ours have open; not even root may raise it everywhere.
    private static func descriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 20_000 }
        return Int(clamping: limit.rlim_max)
    }
}
