// The work of an image's flight. Its first bytes tell whether it is an image; from then on it goes to its clients while
// it arrives. It is stored only if all of its bytes show a complete image. Otherwise its clients are cut off before its
// end, so that what they have does not look whole. A missing image is remembered for a short time.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// Checks the bytes of an image and computes what its tag is made from.
struct ArtworkCheck: BodyCheck, Sendable {
    private(set) var image = ImageCheck()
    private var digest = RunningDigest()

    mutating func add(_ bytes: Bytes) {
        image.add(bytes)
        digest.add(bytes)
    }

    var tag: String { "\"\(Base64URL.encode(digest.digest.bytes.prefix(12)))\"" }

    /// Why the bytes are not a complete image. Nil if they are.
    var fault: BodyFailure? { image.isComplete ? nil : image.fault }
}

extension ImageCheck {
    fileprivate var fault: BodyFailure {
        BodyFailure(type == nil ? "The answer is not an image." : "The image is cut off.")
    }
}

extension Engine {
    /// Returns the recipe of an image.
    /// - Parameters:
    ///   - permission: the URL and addresses that the image may be fetched from.
    ///   - directives: the client's demands. An answer that the client forbids to store is not stored.
    public func artworkRecipe(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives
    ) -> EntryRecipe {
        let fetch = ArtworkFetch(
            engine: self, key: key, provider: provider, permission: permission, rule: rule, settings: settings,
            directives: directives)
        return EntryRecipe(cache, key, announcing: { await fetch.work($0) }, provider: provider.name)
    }
}

/// The fetch of one image.
private struct ArtworkFetch: Sendable {
    let engine: Engine
    let key: CacheKey
    let provider: ConfiguredProvider
    let permission: ImageHosts.Permission
    let rule: FreshnessRule
    let settings: Settings
    let directives: ClientDirectives

    func work(_ voice: FlightVoice) async -> FlightResult {
        let began = engine.cache.begin(key)
        if let entry = await engine.cache.fresh(key, directives, rule) {
            return .answered(Made(found: entry))
        }
        let terms = SharedTerms(
            provider: provider,
            judge: .configured(rule, staleWhileRefresh: provider.settings.staleWhileRefresh), directives: directives,
            began: began)
        return await engine.shared(key, terms, isStored: !directives.noStore) { await fetch(began, voice) }
    }

    private func fetch(_ began: RemovalStamp, _ voice: FlightVoice) async -> FlightResult {
        switch await engine.upstream.open(call, upload: nil, stall: provider.settings.idleTimeout) {
        case .failure(let failure): return .failed(failure)
        case .success((let stream, let classification)):
            // Keeps the beginning for those who read it after the first look.
            let body = TapeBody(stream.body, length: stream.head.length)
            await engine.settle(stream.body, stream.head.length)
            if classification == .data { return await receive(stream, body, began, voice) }
            stream.cancel()
            let answer = stream.head.response
            if let failure = UpstreamFailure(classification, response: answer, provider: provider.name) {
                return .failed(failure)
            }
            return .answered(await store(entry(stream.head, classification), began))
        }
    }

    // MARK: The call

    private var call: UpstreamCall {
        let hosts = provider.imageHosts
        var order = FetchOrder(
            url: permission.url, fields: ["Accept": "image/*"], addresses: permission.addresses,
            maxBody: Int(clamping: settings.artwork.maxSize), deadline: settings.fetch.deadline, maxRedirects: 3,
            permits: { hosts.permitsRedirect(to: $0) })
        order.authorities = HostAuthorities(provider: provider.name, baseURL: provider.settings.baseURL)
        // The store sets the pace of an image that it keeps.
        order.isPacedByClient = { !mayBeStored($0.length) }
        var call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: false, classify: { classify($0) })
        call.isJudgedByBody = true
        return call
    }

    /// Classifies by the head. A 200 may still turn out to be no image by its bytes, whatever its type says.
    private func classify(_ response: UpstreamResponse) -> Classification {
        let about = provider.about
        // A placeholder for a removed picture counts as an absence.
        if [permission.url, response.url].contains(where: { about.isRemovedPicture($0) }) { return .notFound }
        return switch response.status {
        case 200: response.fields.contains(.contentEncoding) ? .broken("The answer is not an image.") : .data
        case 403, 404, 410: .notFound
        case 429: .limited(until: nil)
        default: .broken("The image server answered \(response.status).")
        }
    }

    private func mayBeStored(_ length: Int64?) -> Bool {
        !directives.noStore && length ?? 0 <= settings.cache.maxObject
    }

    // MARK: The image

    /// Takes an image that arrives. A small one is taken whole.
    private func receive(
        _ stream: UpstreamStream, _ body: TapeBody, _ began: RemovalStamp, _ voice: FlightVoice
    ) async -> FlightResult {
        let beginning: ImageCheck
        do throws(BodyFailure) {
            if let whole = stream.body.whole { return await received(whole, stream, began) }
            beginning = try await self.beginning(of: stream)
        } catch {
            return .failed(failed(stream, error))
        }
        if let whole = stream.body.whole { return await received(whole, stream, began) }
        guard let type = beginning.type, !beginning.isHopeless else {
            return .failed(failed(stream, beginning.fault))
        }
        return await passOn(stream, body, type, began, voice)
    }

    /// Reads the first bytes, until they tell whether this is an image. They have as much time as the head had.
    private func beginning(of stream: UpstreamStream) async throws(BodyFailure) -> ImageCheck {
        let loop = EventLoop.current ?? engine.flights.home
        let limit = settings.fetch.deadline
        let late = FetchError(
            stage: .timedOut, origin: RedactingUpstream.origin(of: call.order),
            message: "The image did not begin within \(Units.format(duration: limit)).")
        let alarm = loop.schedule(at: loop.monotonic + limit) {
            stream.body.fail(BodyFailure(late))
            stream.cancel()
        }
        defer { loop.cancel(alarm) }
        var check = ImageCheck()
        guard let reader = stream.body.reader() else { throw check.fault }
        defer { reader.abandon() }
        while !check.isDecided, let piece = try await reader.next() { check.add(piece) }
        return check
    }

    private func received(_ whole: Bytes, _ stream: UpstreamStream, _ began: RemovalStamp) async -> FlightResult {
        // The digest of a large image is computed away from the loop.
        let check = await engine.time.timing(.classify, provider.name) {
            await engine.compute.run(reading: whole.count) {
                var check = ArtworkCheck()
                check.add(whole)
                return check
            }
        }
        if let fault = check.fault { return .failed(failed(stream, fault)) }
        engine.upstream.count(call, Classification.data.word)
        var entry = entry(stream.head, .data, type: check.image.type)
        entry.fields.set(.etag, check.tag)
        entry.body = whole
        return .answered(await store(entry, began))
    }

    /// Gives an image to its clients while it arrives. Its end waits until all of it was checked, and until it is stored.
    private func passOn(
        _ stream: UpstreamStream, _ body: TapeBody, _ type: String, _ began: RemovalStamp, _ voice: FlightVoice
    ) async -> FlightResult {
        let tape = stream.body
        var made = Made(entry: entry(stream.head, .data, type: type))
        made.tape = body
        made.isUsefulInPart = false
        tape.holdEnd()
        guard made.entry.staleUntil > made.entry.responseTime, mayBeStored(body.length) else {
            follow(stream)
            return .answered(made)
        }
        made.isBeingStored = true
        await voice.announce(made)
        var check = ArtworkCheck()
        switch await engine.copy(tape, expecting: body.length, &check, most: nil) {
        case .refused, .part:
            follow(stream)
            return .answered(made)
        case .cut(let failure): return .failed(failed(stream, failure))
        case .whole(let writer, _):
            if let fault = check.fault {
                tape.archiveEnded()
                writer.abandon()
                return .failed(failed(stream, fault))
            }
            engine.upstream.count(call, Classification.data.word)
            engine.releaseInTime(tape, patience: settings.cache.patience)
            made.entry.fields.set(.etag, check.tag)
            made.written = await engine.cache.complete(writer, made.entry, since: began, when: { true })
            tape.release()
            return .answered(made)
        }
    }

    /// Checks an image that is not stored, at the pace of its clients. The flight may end meanwhile.
    private func follow(_ stream: UpstreamStream) {
        stream.becamePaced()
        guard let reader = stream.body.reader(isArchivist: true) else {
            _ = failed(stream, BodyFailure("The beginning of the image is no longer kept."))
            return
        }
        Task(executorPreference: EventLoop.current ?? engine.flights.home) {
            var check = ImageCheck()
            do throws(BodyFailure) {
                while let piece = try await reader.next() { check.add(piece) }
                guard check.isComplete else { throw check.fault }
                engine.upstream.count(call, Classification.data.word)
                stream.body.release()
            } catch {
                _ = failed(stream, error)
            }
        }
    }

    /// Ends an image that will not be whole. Clients that read it already are cut off.
    private func failed(_ stream: UpstreamStream, _ failure: BodyFailure) -> UpstreamFailure {
        stream.body.refuse(failure)
        stream.cancel()
        var fetch = failure.fetch
        if Task.isCancelled { fetch = FetchError(stage: .cancelled, origin: "", message: failure.reason) }
        let failure =
            fetch.map { UpstreamFailure($0, provider: provider.name) }
            ?? UpstreamFailure(
                provider: provider.name, failure: .broken, detail: failure.reason, response: stream.head.response)
        engine.upstream.count(call, failure)
        return failure
    }

    // MARK: The entry

    /// - Parameter type: nil for an absence.
    private func entry(
        _ head: UpstreamHead, _ classification: Classification, type: String? = nil
    ) -> StoredResponse {
        var entry = StoredResponse(
            key: key, layer: .artwork, provider: provider.name, endpoint: "image",
            isNegative: classification == .notFound, fields: [:], body: [], requestTime: head.requestTime,
            responseTime: head.responseTime, freshUntil: head.responseTime, staleUntil: head.responseTime,
            label: "GET \(permission.url)")
        if let type {
            entry.fields.set(.contentType, type)
            if let modified = head.fields.first(.lastModified),
                let time = HTTPDate.parse(modified, now: head.responseTime), time <= head.responseTime
            {
                entry.fields.set(.lastModified, HTTPDate.format(time))
            }
        }
        let decision = StorePolicy.decide(
            request: UpstreamRequest(path: permission.url), requestFields: [:], response: head.response,
            classification: classification, rule: rule, key: key)
        guard case .store(let lifetimes) = decision, !directives.noStore else { return entry }
        entry.freshUntil = lifetimes.freshUntil
        entry.staleUntil = lifetimes.staleUntil
        entry.isNegative = lifetimes.isNegative
        return entry
    }

    /// Stores an entry that is in memory, unless nothing allows that.
    private func store(_ entry: StoredResponse, _ began: RemovalStamp) async -> Made {
        guard entry.staleUntil > entry.responseTime else { return Made(entry: entry) }
        return Made(entry: entry, written: await engine.cache.write(entry, since: began))
    }
}
