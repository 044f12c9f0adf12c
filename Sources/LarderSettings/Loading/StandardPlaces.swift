// The default directories: systemd's directories first, then the XDG base directories, then the home directory.

/// The standard directories of one environment (systemd.exec(5); XDG Base Directory Specification 0.8).
public struct StandardPlaces {
    let environment: [String: String]

    public init(environment: [String: String]) {
        self.environment = environment
    }

    /// The directory of `cache.db`.
    var cache: String? { directory(systemd: "CACHE_DIRECTORY", xdg: "XDG_CACHE_HOME", home: ".cache") }

    /// The directory of `state.db`.
    var state: String? { directory(systemd: "STATE_DIRECTORY", xdg: "XDG_STATE_HOME", home: ".local/state") }

    /// The paths of the Unix socket, best first. A daemon listens on the first one. The others may be those of a daemon
    /// with another environment. A shell of su or a container has no runtime directory, but a directory for state.
    public var sockets: [String] {
        [first(of: "RUNTIME_DIRECTORY"), absolute("XDG_RUNTIME_DIR").map { "\($0)/larder" }, state]
            .compactMap { $0.map { "\($0)/larder.sock" } }
    }

    /// The configuration files. The first that exists is used.
    var configurationFiles: [String] {
        let user = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }
        return (user.map { ["\($0)/larder/larder.yaml"] } ?? []) + ["/etc/larder/larder.yaml"]
    }

    private func directory(systemd: String, xdg: String, home: String) -> String? {
        first(of: systemd) ?? absolute(xdg).map { "\($0)/larder" } ?? absolute("HOME").map { "\($0)/\(home)/larder" }
    }

    /// The first directory of a variable. systemd separates several directories by ":".
    private func first(of name: String) -> String? {
        environment[name]?.split(separator: ":").first.map(String.init).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// An absolute path from a variable. The XDG specification requires that relative paths be ignored.
    private func absolute(_ name: String) -> String? {
        guard let path = environment[name], path.hasPrefix("/") else { return nil }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
