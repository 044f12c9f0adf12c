// The default directories: systemd's directories first, then the XDG base directories, then the home directory.

/// The standard directories of one environment (systemd.exec(5); XDG Base Directory Specification 0.8).
struct StandardPlaces {
    let environment: [String: String]

    /// The directory of `cache.db`.
    var cache: String? { directory(systemd: "CACHE_DIRECTORY", xdg: "XDG_CACHE_HOME", home: ".cache") }

    /// The directory of `state.db`.
    var state: String? { directory(systemd: "STATE_DIRECTORY", xdg: "XDG_STATE_HOME", home: ".local/state") }

    /// The path of the Unix socket; nil if there is no runtime directory.
    var socket: String? {
        if let directory = first(of: "RUNTIME_DIRECTORY") { return "\(directory)/larder.sock" }
        return absolute("XDG_RUNTIME_DIR").map { "\($0)/larder/larder.sock" }
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
