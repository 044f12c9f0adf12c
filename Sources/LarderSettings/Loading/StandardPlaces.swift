// Where things are when nobody says: systemd's directories first, then the XDG base directories, then the home directory.

/// Standard directories of one environment (systemd.exec(5); XDG Base Directory Specification 0.8).
struct StandardPlaces {
    let environment: [String: String]

    /// Where `cache.db` goes.
    var cache: String? { directory(systemd: "CACHE_DIRECTORY", xdg: "XDG_CACHE_HOME", home: ".cache") }

    /// Where `state.db` goes.
    var state: String? { directory(systemd: "STATE_DIRECTORY", xdg: "XDG_STATE_HOME", home: ".local/state") }

    /// The Unix socket, where there is a runtime directory.
    var socket: String? {
        if let directory = first(of: "RUNTIME_DIRECTORY") { return "\(directory)/larder.sock" }
        return absolute("XDG_RUNTIME_DIR").map { "\($0)/larder/larder.sock" }
    }

    /// Configuration files, the first that exists counts.
    var configurationFiles: [String] {
        let user = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }
        return (user.map { ["\($0)/larder/larder.yaml"] } ?? []) + ["/etc/larder/larder.yaml"]
    }

    private func directory(systemd: String, xdg: String, home: String) -> String? {
        first(of: systemd) ?? absolute(xdg).map { "\($0)/larder" } ?? absolute("HOME").map { "\($0)/\(home)/larder" }
    }

    /// systemd separates several directories of one kind by ":".
    private func first(of name: String) -> String? {
        environment[name]?.split(separator: ":").first.map(String.init).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// XDG: a relative path in one of these is to be ignored.
    private func absolute(_ name: String) -> String? {
        guard let path = environment[name], path.hasPrefix("/") else { return nil }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
