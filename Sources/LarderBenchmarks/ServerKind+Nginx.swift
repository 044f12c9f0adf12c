// nginx, configured by Benchmarks/nginx.conf. It runs twice, with and without sendfile, because neither is faster at
// every size. A comparison must use the best result of a peer.
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
                    // As root, nginx would switch the worker to a user that cannot read the run's directory.
                    "USER": getuid() == 0 ? "user root;" : "",
                    // The names of 100,000 objects need more room than those of three.
                    "ZONE": job == .mixed ? "64m" : "8m", "SIZE": job == .mixed ? "8g" : "1g",
                    // The cache of open files gets the part of the limit that connections leave. A connection takes two
                    // descriptors.
                    "FILES": job == .mixed ? "\(min(20_000, descriptors - 9000))" : "1000",
                    "CONNECTIONS": job == .hits ? "1024" : "4096",
                    "DESCRIPTORS": job == .hits ? "" : "worker_rlimit_nofile \(descriptors);",
                ])
            return ["nginx", "-p", directory, "-e", "\(directory)/error.log", "-c", file]
        }
        server.directory = directory
        return server
    }

    /// The most files that a process may open on this system. Not even root can raise the limit everywhere.
    private static func descriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 20_000 }
        return Int(clamping: limit.rlim_max)
    }
}
