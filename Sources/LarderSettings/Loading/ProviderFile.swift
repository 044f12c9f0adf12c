// The files `providers.d/NAME.yaml` beside the configuration file: each holds the settings and the description of one
// provider, as `providers.NAME` would.
import Glibc
import LarderCore
import LarderIO

/// One such file.
public struct ProviderFile: Sendable {
    /// The most files that are read, and the longest of them.
    static let most = 200
    static let maxBytes = 256 << 10

    public var path: String
    /// The name of the provider, which is the file's.
    public var provider: String
    /// Nil if the file could not be read; `fault` says why.
    var text: Bytes?
    var fault: String?

    /// A file that was read.
    public init(path: String, provider: String, text: Bytes) {
        (self.path, self.provider, self.text) = (path, provider, text)
    }

    private init(_ directory: String, _ name: String) {
        path = "\(directory)/\(name)"
        provider = String(name.dropLast(name.hasSuffix(".yaml") ? 5 : 4))
        do {
            text = try ConfigurationFile.readRegular(path, limit: Self.maxBytes)
        } catch {
            fault = error.message
        }
    }

    /// A folder whose files cannot be read.
    private init(unread folder: String, _ fault: String) {
        (path, provider, self.fault) = (folder, "", fault)
    }

    /// The files beside a configuration file, by name. Files of other names are left alone.
    static func all(beside file: String) -> [ProviderFile] {
        let directory = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let folder = directory.isEmpty && !file.hasPrefix("/") ? "providers.d" : "\(directory)/providers.d"
        let names: [String]
        do throws(SystemError) {
            names = try Folder.names(folder)
        } catch {
            return error.code == ENOENT ? [] : [ProviderFile(unread: folder, "cannot be read: \(error)")]
        }
        let files = names.filter { ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) && !$0.hasPrefix(".") }.sorted()
        guard files.count <= most else {
            return [ProviderFile(unread: folder, "has \(files.count) files; at most \(most) are read")]
        }
        return files.map { ProviderFile(folder, $0) }
    }
}
