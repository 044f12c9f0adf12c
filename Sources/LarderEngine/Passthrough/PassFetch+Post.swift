// An answer to POST that is stored for later GETs (`PostReuse`).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// Takes an answer that has come for the request alone: it goes to its client, and into the store where it may.
    ///
    /// To be called after what the request invalidates was removed. A change that others made while it was under way may have
    /// come before or after it: the caller looks whether there was any.
    public static func adopt(
        _ stream: UpstreamStream, _ classification: Classification, of request: PassRequest, engine: Engine,
        snapshot: Snapshot
    ) async -> Served? {
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        let obtained = await engine.flights.obtainAlone(request.primary, patience: nil) { voice in
            let began = engine.cache.begin(request.target)
            return await fetch.receive(stream, classification, await fetch.variants.find(), began, voice)
        }
        guard case .result(.answered(let made), _) = obtained else { return nil }
        let isKept = made.written.isStored || made.tape != nil
        var served = Served(
            made.entry,
            Provenance(
                outcome: .bypass, forward: .method, forwardStatus: stream.head.status, isStored: made.written.isStored,
                rule: .method, storing: isKept ? .postContentLocation : made.storing))
        served.interim = made.own?.interim ?? []
        served.tape = made.tape
        if let own = made.own { served.entry.fields = own.fields }
        served.isOwn = true
        return served
    }
}
