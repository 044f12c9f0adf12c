// Stores an answer to POST for later GETs (`PostReuse`).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// Takes an answer that has come for the request alone: it goes to its client, and into the store where it may.
    ///
    /// - Parameter began: from after what the request invalidates was removed, and with nothing else removed since it was sent: a change
    ///   of others while it was under way may have come before or after it.
    // More than six parameters: the answer and what was taken of it, the request, and what every fetch has.
    public static func adopt(
        _ stream: UpstreamStream, _ classification: Classification, of request: PassRequest, since began: RemovalStamp,
        engine: Engine, snapshot: Snapshot
    ) async -> Served? {
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        let obtained = await engine.flights.obtainAlone(request.primary, patience: nil) { voice in
            await fetch.receive(stream, classification, await fetch.variants.find(), began, voice)
        }
        guard case .result(.answered(let made), _) = obtained else { return nil }
        let isBeingKept =
            made.tape != nil
            && (made.entry.freshUntil > made.entry.responseTime || made.entry.staleUntil > made.entry.responseTime)
        var served = Served(
            made.entry,
            Provenance(
                outcome: .bypass, forward: .method, forwardStatus: stream.head.status, isStored: made.written.isStored,
                rule: .method, storing: made.written.isStored || isBeingKept ? .postContentLocation : made.storing))
        served.interim = made.own?.interim ?? []
        served.tape = made.tape
        if let own = made.own { served.entry.fields = own.fields }
        served.isOwn = true
        return served
    }
}
