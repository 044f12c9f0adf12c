// Folders: making one, what one holds, and removing one with all that it holds.
import Glibc

public enum Folder {
    /// The names in a folder, in no order.
    public static func names(_ path: String) throws(SystemError) -> [String] {
        let descriptor = try Syscall.check("opendir") { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(descriptor) else {
            Syscall.close(descriptor)
            throw SystemError(call: "fdopendir", code: ENOMEM)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder and its parents, by default for this user only. Returns whether the folder can be used.
    public static func make(_ path: String, mode: mode_t = 0o700) -> Bool {
        var made = path.hasPrefix("/") ? "" : "."
        for segment in path.split(separator: "/") {
            made += "/\(segment)"
            mkdir(made, mode)
        }
        return access(path, R_OK | W_OK | X_OK) == 0
    }

    /// Removes a file, or a folder with all that it holds. A symbolic link is removed and not followed.
    public static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in (try? names(path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
