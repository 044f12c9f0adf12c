// Takes a file down again where it was uploaded to: one request, its answer, and what is stored of the file.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// The removal of one file.
public struct UploadRemoval: Sendable {
    let engine: Engine
    let uploads: UploadCoordinator
    let provider: ConfiguredProvider
    let settings: Settings

    /// A removal at that provider, which takes files.
    public init(engine: Engine, uploads: UploadCoordinator, provider: ConfiguredProvider, settings: Settings) {
        self.engine = engine
        self.uploads = uploads
        self.provider = provider
        self.settings = settings
    }

    /// Takes the file down.
    ///
    /// - Parameter hash: what names it for that, a delete hash.
    /// - Returns: the file's id, where its upload is remembered.
    public func run(_ hash: String) async throws(ClientFacingError) -> String? {
        guard let path = ImgurUploads.deletionPath(of: hash) else {
            throw ClientFacingError(
                status: 400, code: "invalidParameter", detail: "That is no delete hash, and no id of a picture.",
                parameter: provider.about.uploads?.removalName)
        }
        var order = provider.order(UpstreamRequest(method: .delete, path: path), settings: settings)
        order.fields.set("Accept-Encoding", "identity")
        order.maxRedirects = 0
        order.mayRetry = false
        order.maxBody = ImgurUploads.maxAnswer
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, claim: provider.claimForChanges,
            classify: ImgurUploads.classify)
        switch await engine.upstream.perform(call) {
        case .failure(let failure):
            engine.countFailure(provider.name)
            var failure = failure
            failure.provider = provider.name
            throw failure.clientFacing(now: engine.time.wall())
        case .success((_, .notFound)):
            throw ClientFacingError(
                status: 404, code: FailureClass.notFound.rawValue,
                detail: "\(provider.about.title) knows no picture by that delete hash.", provider: provider.name,
                failure: .notFound, retryable: false)
        case .success: break
        }
        // The hash is no part of any key: what is stored goes by the picture's id, where that is known.
        let known = await uploads.imageID(deletehash: hash)
        await engine.forgetUploaded(to: provider.name, ["/\(known ?? hash)", "/account/"])
        return known
    }
}
