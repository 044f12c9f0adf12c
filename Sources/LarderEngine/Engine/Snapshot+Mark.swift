// A number that stands for all settings that answers depend on. Rows kept ready in the database carry this mark and are
// answered only while it matches. After a change of settings, of account or of program version they are made anew.
import LarderCore
import LarderProviders
import LarderSettings

extension Snapshot {
    /// - Parameter signer: the signer of artwork handles. Its key is secret and stays the same from run to run.
    func mark(_ signer: ArtworkSigner) -> UInt64 {
        var lines = [LarderVersion.text]
        for setting in settings.effective { lines.append("\(setting.path)=\(setting.value ?? "")") }
        for (name, provider) in settings.providers.sorted(by: { $0.key < $1.key }) {
            // The effective settings only say whether a secret is set, so its value is added here.
            lines.append("\(name) \(provider.key ?? "") \(provider.clientSecret ?? "")")
            let lifetimes = provider.ttl.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            if case .described(let description) = provider.kind { lines.append(description.mark) }
            lines.append("\(provider.baseURL) \(provider.semantics) \(lifetimes.joined(separator: " "))")
        }
        for (name, standing) in standings.sorted(by: { $0.key < $1.key }) { lines.append("\(name) \(standing)") }
        // The mark 0 means that no settings are in force.
        return max(1, signer.mark(of: Bytes(text: lines.joined(separator: "\n"))))
    }
}
