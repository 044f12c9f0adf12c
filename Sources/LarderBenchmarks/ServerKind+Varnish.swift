// Varnish with built-in rules (Benchmarks/default.vcl), memory storage, and its shared log in memory as its manual
// recommends.
import Glibc

extension ServerKind {
    func startVarnish(on stand: Stand, origin: UInt16, job: Job) throws(Failure) -> Server {
        let file = try stand.fill("default.vcl", ["ORIGIN_PORT": "\(origin)"])
        let directory = try stand.newMemoryDirectory("varnish")
        return try Server.start(self, on: stand) { (port: UInt16) throws(Failure) in
            [
                "varnishd", "-F", "-n", directory, "-a", "127.0.0.1:\(port)", "-f", file, "-s", "malloc,256m",
                // No change of user, because another user could not read the run's directory.
                "-j", "none",
                // One pool, since there is one core, and more threads than connections, so no connection waits for a
                // thread.
                "-p", "thread_pools=1", "-p", "thread_pool_min=100", "-p", "thread_pool_max=1000",
            ]
        }
    }
}
