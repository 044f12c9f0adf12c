// The settings that answers are made by, as one number. What the database keeps ready bears it, and is answered only while it
// is the same: by a run with other settings, another account or another program it is made anew.
import LarderCore
import LarderProviders
import LarderSettings

extension Snapshot {
    /// - Parameter signer: of artwork handles, whose key is secret and stays the same from run to run.
    func mark(_ signer: ArtworkSigner) -> UInt64 {
        var lines = [LarderVersion.text]
        for setting in settings.effective { lines.append("\(setting.path)=\(setting.value ?? "")") }
        for (name, provider) in settings.providers.sorted(by: { $0.key < $1.key }) {
            // Of secrets the effective settings tell only that they are there.
            lines.append("\(name) \(provider.key ?? "") \(provider.clientSecret ?? "")")
            let lifetimes = provider.ttl.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.append("\(provider.baseURL) \(provider.semantics) \(lifetimes.joined(separator: " "))")
        }
        for (name, standing) in standings.sorted(by: { $0.key < $1.key }) { lines.append("\(name) \(standing)") }
        // 0 says that none are in force.
        return max(1, signer.mark(of: Bytes(text: lines.joined(separator: "\n"))))
    }
}
