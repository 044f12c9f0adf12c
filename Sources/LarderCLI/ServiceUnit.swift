// Checks whether the service can read the configuration's files. `larder config check` is usually run by root or by a
// person, but the service runs as a user of its own, which may not be able to read the same files. The unit file names
// that user (systemd.exec(5), "User/Group Identity", "Sandboxing", "Credentials").
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderSettings

/// The settings of larder.service that decide what it can read.
struct ServiceUnit: Sendable, Hashable {
    var user: String?
    var groups: [String] = []
    var isDynamic = false
    /// Whether `CapabilityBoundingSet=` is set. Without it, root can read every file.
    var isBounded = false
    /// Folders that are hidden from the service.
    var hidden: [String] = []
    /// The file named by `--config`.
    var configuration: String?
    /// The source of each credential: a path, or a name in the credential stores.
    var credentials: [String: String] = [:]

    init() {}

    /// - Parameter texts: the unit and its drop-ins, in the order in which they apply.
    init(parsing texts: [String]) {
        for text in texts {
            var section = ""
            for line in text.split(separator: "\n").map({ ASCII.trimmed($0) }) where !line.hasPrefix("#") {
                if line.hasPrefix("[") { section = String(line) }
                guard section == "[Service]", let mark = line.firstIndex(of: "=") else { continue }
                take(String(line[..<mark]), String(ASCII.trimmed(line[line.index(after: mark)...])))
            }
        }
    }

    private mutating func take(_ name: String, _ value: String) {
        let isOn = ["yes", "true", "on", "1"].contains(value)
        let words = value.split(separator: " ").map(String.init)
        switch name {
        case "User": user = value.isEmpty ? nil : value
        case "Group", "SupplementaryGroups": groups = value.isEmpty ? [] : groups + words
        case "DynamicUser": isDynamic = isOn
        case "CapabilityBoundingSet": isBounded = true
        case "ProtectHome": hide(["/home", "/root", "/run/user"], isOn || value == "tmpfs")
        case "PrivateTmp": hide(["/tmp", "/var/tmp"], isOn || value == "disconnected")
        case "ExecStart":
            guard let place = words.firstIndex(of: "--config"), place + 1 < words.count else { return }
            configuration = words[place + 1]
        case "LoadCredential", "LoadCredentialEncrypted":
            let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.isEmpty { credentials = [:] }
            if let id = parts.first { credentials[id] = parts.count > 1 ? parts[1] : id }
        default: break
        }
    }

    private mutating func hide(_ folders: [String], _ isHidden: Bool) {
        hidden.removeAll { folders.contains($0) }
        if isHidden { hidden += folders }
    }

    /// The installed unit; nil if there is none.
    static func installed(environment: [String: String]) -> ServiceUnit? {
        let standard = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { "\($0)/systemd/system" }
        // systemd.unit(5), "UNIT FILE LOAD PATH".
        let named = environment["SYSTEMD_UNIT_PATH"]?.split(separator: ":").map(String.init) ?? []
        let folders = named.isEmpty ? standard : named
        guard let unit = folders.lazy.compactMap({ text("\($0)/larder.service") }).first else { return nil }
        let dropped = folders.flatMap { folder in
            ((try? Folder.names("\(folder)/larder.service.d")) ?? [])
                .filter { $0.hasSuffix(".conf") }.map { (name: $0, path: "\(folder)/larder.service.d/\($0)") }
        }.sorted { $0.name < $1.name }
        return ServiceUnit(parsing: [unit] + dropped.compactMap { text($0.path) })
    }

    private static func text(_ path: String) -> String? {
        (try? InputFile.read(path, limit: 1 << 20)).map(\.lossyText)
    }

    /// Whether systemd can pass this credential to the service. If so, no file is read in its place.
    func hasCredential(_ name: String) -> Bool {
        guard let source = credentials[name] else { return false }
        if source.hasPrefix("/") { return access(source, F_OK) == 0 }
        return ["/etc", "/run", "/usr/local/lib", "/usr/lib"].contains { root in
            ["credstore", "credstore.encrypted"].contains { access("\(root)/\($0)/\(source)", F_OK) == 0 }
        }
    }

    /// The service's user, in the wording of messages.
    var who: String {
        if let user { return "larder.service runs as \(user)" }
        return isDynamic ? "larder.service runs as a user of its own (DynamicUser=yes)" : "larder.service runs as root"
    }

    /// The user and groups of the service. A dynamic user owns no file and is only in its own group.
    var reader: FileReaderIdentity {
        let name = user ?? (isDynamic ? nil : "root")
        let number = name.flatMap { UInt32($0) ?? UserName.number(of: $0) }
        let own = name.map(UserName.groups(of:)) ?? []
        return FileReaderIdentity(user: number, groups: Set(own + groups.compactMap { UserName.group(of: $0) }))
    }
}

/// A user, as permission bits apply to it. Root is like any other user, because the service has no capabilities.
struct FileReaderIdentity: Sendable, Hashable {
    var user: UInt32?
    var groups: Set<UInt32> = []

    /// The first item on the path, a folder or the file itself, that this user cannot pass or read; nil if the file is
    /// readable. Access control lists (acl(5)) are ignored, so a file that only they permit causes a needless warning.
    func obstacle(on way: [FileFacts]) -> FileFacts? {
        way.first { facts in
            let shift: UInt32 = facts.owner == user ? 6 : groups.contains(facts.group) ? 3 : 0
            let wanted: UInt32 = facts.isFolder ? 0o1 : 0o4
            return facts.mode >> shift & wanted == 0
        }
    }
}

/// The result of stat(2) for a file or folder.
struct FileFacts: Sendable, Hashable {
    var path: String
    var isFolder: Bool
    var owner: UInt32
    var group: UInt32
    var mode: UInt32

    init(path: String, isFolder: Bool, owner: UInt32, group: UInt32, mode: UInt32) {
        self.path = path
        self.isFolder = isFolder
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(
            path: path, isFolder: status.st_mode & S_IFMT == S_IFDIR, owner: status.st_uid, group: status.st_gid,
            mode: status.st_mode & 0o777)
    }

    /// A file and the folders that lead to it, with links resolved; empty if the file does not exist.
    static func way(to path: String) -> [FileFacts] {
        guard let real = realpath(path, nil) else { return [] }
        defer { free(real) }
        var prefix = ""
        var way = [FileFacts("/")].compactMap { $0 }
        for part in String(cString: real).split(separator: "/") {
            prefix += "/\(part)"
            guard let facts = FileFacts(prefix) else { return [] }
            way.append(facts)
        }
        return way
    }
}

extension ServiceUnit {
    /// Warnings about the configuration's files that the service's user cannot read.
    /// - Parameters:
    ///   - file: the configuration that was checked. There are no warnings if the service uses another one.
    ///   - secrets: the files that the configuration names.
    func warnings(file: String?, secrets: [SecretFile]) -> [String] {
        guard let file, Self.isSame(file, configuration ?? "/etc/larder/larder.yaml") else { return [] }
        var warnings: [String] = []
        if let why = hindrance(file) { warnings.append("\(file): \(who), and \(why)") }
        for secret in secrets where !hasCredential(secret.credential) {
            guard let why = hindrance(secret.path) else { continue }
            warnings.append("\(secret.setting): \(secret.path): \(who), and \(why); \(advice(secret.credential))")
        }
        return warnings
    }

    /// How to pass a secret to the service alone through systemd. A credential that the unit does not load has no
    /// effect, wherever its file is.
    private func advice(_ credential: String) -> String {
        let source = credentials[credential] ?? "larder.\(credential)"
        let file = source.hasPrefix("/") ? source : "/etc/credstore/\(source)"
        let handed = "as the credential \(file), only the service can read it"
        guard credentials[credential] == nil else { return handed }
        return handed + "; load it in the unit: `systemctl edit larder`, then [Service] and "
            + "LoadCredential=\(credential):\(source)"
    }

    private func hindrance(_ path: String) -> String? {
        let real = Self.real(path)
        if let folder = hidden.first(where: { path.hasPrefix("\($0)/") || real.hasPrefix("\($0)/") }) {
            return "sees nothing of \(folder)"
        }
        if reader.user == 0, !isBounded { return nil }
        guard let obstacle = reader.obstacle(on: FileFacts.way(to: path)) else { return nil }
        let mode = String(obstacle.mode, radix: 8)
        return obstacle.isFolder
            ? "cannot enter \(obstacle.path) (mode 0\(mode))"
            : "cannot read it (mode 0\(mode), of user \(obstacle.owner))"
    }

    private static func isSame(_ one: String, _ other: String) -> Bool { real(one) == real(other) }

    /// The path with links resolved; unchanged if it does not exist.
    private static func real(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }
}
