// Removes an uploaded file at its provider, with one request, and purges stored answers about the file.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// The removal of one file.
public struct UploadRemoval: Sendable {
    let engine: Engine
    let uploads: UploadCoordinator
    let taker: UploadTaker
    let settings: Settings

    /// A removal at the provider of `taker`.
    public init(engine: Engine, uploads: UploadCoordinator, taker: UploadTaker, settings: Settings) {
        self.engine = engine
        self.uploads = uploads
        self.taker = taker
        self.settings = settings
    }

    /// Removes the file.
    ///
    /// - Parameter name: the name under which the provider removes the file, such as a delete key.
    /// - Returns: the file's id if its upload is remembered, otherwise nil.
    public func run(_ name: String) async throws(ClientFacingError) -> String? {
        let (provider, format) = (taker.provider, taker.format)
        let word = "delete \(format.about.removalWord)"
        guard let path = format.removalPath(of: name) else {
            throw ClientFacingError(
                status: 400, code: "invalidParameter", detail: "This is neither a \(word) nor the id of a picture.",
                parameter: format.about.removalName)
        }
        var order = provider.order(UpstreamRequest(method: .delete, path: path), settings: settings)
        order.fields.set(.acceptEncoding, "identity")
        order.maxRedirects = 0
        order.mayRetry = false
        order.maxBody = UploadTaker.maxAnswer
        var call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, claim: provider.claimForChanges,
            classify: format.classify)
        call.subject.isPersonal = true
        switch await engine.upstream.perform(call) {
        case .failure(let failure):
            engine.countFailure(provider.name)
            var failure = failure
            failure.provider = provider.name
            throw failure.clientFacing(now: engine.time.wall())
        case .success((_, .notFound)):
            throw ClientFacingError(
                status: 404, code: FailureClass.notFound.rawValue,
                detail: "\(provider.about.title) has no picture with this \(word).", provider: provider.name,
                failure: .notFound, retryable: false)
        case .success: break
        }
        // The removal name is part of no cache key. Stored answers are found by the picture's id, if it is known.
        let known = await uploads.imageID(removal: name, of: provider.name)
        await engine.forgetUploaded(to: provider.name, ["/\(known ?? name)"] + format.outdatedPaths)
        return known
    }
}
