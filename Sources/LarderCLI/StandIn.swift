// The stand-in for the APIs that `larder demo` and `larder origin` start, and the settings of a daemon that asks it
// instead of the APIs.
import Glibc
import LarderCore
import LarderIO
import LarderOrigin
import LarderProviders

enum StandIn {
    static let recordingsOption = CommandOption(
        "--recordings", value: "DIR",
        "use the recorded answers of this folder (its index.json), not the samples")

    static func start(recordings: String?, port: UInt16 = 0) throws(CommandFailure) -> OriginServer {
        do {
            let origin = try OriginServer(
                source: recordings.map { .recordings(folder: $0) } ?? .samples, rewritesImageHosts: true, port: port)
            try origin.start()
            return origin
        } catch {
            throw CommandFailure(.failed, "the stand-in cannot be started: \(error)")
        }
    }

    /// The lines of `providers` that lead to the stand-in.
    /// - Parameter isLimited: whether the providers' own budgets apply. A folder of recordings holds more answers than
    ///   one minute's budget.
    static func providers(_ origin: OriginServer, isLimited: Bool) -> String {
        let providers = ProviderRegistry.builtIn.map(\.about).map { about in
            let name = about.name
            // The URLs of some images are not in the answers. They are made from an id.
            let hosts = [origin.root] + about.imageHosts.map { "\($0)=\(origin.root)/artwork" }
            var lines = """
                  \(name):
                    baseURL: \(origin.baseURL(for: name))
                    imageHosts: [\(hosts.map { "\"\($0)\"" }.joined(separator: ", "))]
                """
            if about.searchBase != nil { lines += "\n    searchURL: \(origin.baseURL(for: name))" }
            // The stand-in accepts any key.
            if about.needsKey { lines += "\n    key: any-will-do" }
            if !isLimited { lines += "\n    rate: off\n    quota: off" }
            return lines
        }
        return "providers:\n\(providers.joined(separator: "\n"))"
    }
}

extension DaemonAddress {
    /// The usual port if nothing listens on it, otherwise 0, with which the kernel chooses one. For clients,
    /// `localhost` is both addresses, so another program on either could answer in the daemon's place.
    static func portIfFree(_ port: UInt16 = standardPort) -> UInt16 {
        for host in ["127.0.0.1", "[::1]"] {
            guard let address = try? Address("\(host):\(port)") else { return 0 }
            do throws(SystemError) {
                Syscall.close(try Socket.listen(on: address))
            } catch {
                // A machine without IPv6 has no such address, and nobody can listen there.
                if error.code == EADDRINUSE { return 0 }
            }
        }
        return port
    }
}
