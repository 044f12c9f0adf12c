// Stores the response to a POST for later GETs (`PostReuse`).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// Takes a response that arrived for one request alone. It goes to the client, and into the store if it may be
    /// stored.
    ///
    /// - Parameter began: the removal stamp from after the request's own invalidation. Nothing else must have been
    ///   removed since the request was sent: the response may be from before or after another client's change.
    // More than six parameters: the answer and what was taken of it, the request, and what every fetch has.
    static func adopt(
        _ stream: UpstreamStream, _ classification: Classification, of request: PassRequest, since began: RemovalStamp,
        engine: Engine, snapshot: Snapshot
    ) async -> Served? {
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        let obtained = await engine.flights.obtainAlone(request.primary.digest, patience: nil) { voice in
            await fetch.receive(stream, classification, await fetch.variants.find(), began, voice)
        }
        guard case .result(.answered(let made), _) = obtained else { return nil }
        var served = Served(
            made.entry,
            Provenance(
                outcome: .bypass, forward: .method, forwardStatus: stream.head.status, isStored: made.written.isStored,
                rule: .method,
                storing: made.written.isStored || made.isBeingStored ? .postContentLocation : made.storing))
        served.provenance.isBeingStored = made.isBeingStored
        served.interim = made.own?.interim ?? []
        served.tape = made.tape
        if let own = made.own { served.entry.fields = own.fields }
        served.isOwn = true
        return served
    }
}
