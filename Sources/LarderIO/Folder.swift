// What a folder holds, and removing a folder with all that it holds.
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

    /// Removes a file, or a folder with all that it holds. A symbolic link is removed and not followed.
    public static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in (try? names(path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
