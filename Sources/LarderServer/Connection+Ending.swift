// How a connection ends: after its last response and a pause in which the client can read it, at once, in a drain, or
// by a time limit.
import LarderCore
import LarderHTTP
import LarderIO

extension ClientFacingError {
    /// The error for a client whose request is still unanswered when a drain ends. It allows a retry only if a
    /// repetition does no harm (RFC 9110 §9.2.2).
    fileprivate static func drainEnded(mayHaveTakenEffect: Bool) -> ClientFacingError {
        let detail = "Larder is stopping, and server.drainTimeout ended before the answer to this request had begun."
        return ClientFacingError(
            status: 503, code: "stopping",
            detail: mayHaveTakenEffect ? detail + " The request may have taken effect." : detail,
            retryable: !mayHaveTakenEffect, retryAfter: mayHaveTakenEffect ? nil : 5)
    }
}

extension Connection {
    /// Called when the last response is written. Returns true if the connection lingers, else closes it.
    func beginLingering() -> Bool {
        guard machine.written(hasUnread: input != .none || !stash.isEmpty) else {
            leave()
            return false
        }
        // Shut down our side, and read on until the client ends its side.
        waitBegan = worker.loop.monotonic
        stash = .none
        if isSecure { closeSecure() }
        Syscall.shutdownWrite(descriptor)
        return true
    }

    /// Sends an error about malformed or refused request bytes, then ends the connection.
    func refuse(_ fault: RequestFault) {
        worker.shared.cells.refused(fault)
        refuse(ClientFacingError(fault), inHTTP2: fault == .http2Preface)
    }

    /// Sends an error, then ends the connection.
    /// - Parameters:
    ///   - inHTTP2: whether the client reads only HTTP/2.
    ///   - host: the host that was asked through the proxy.
    func refuse(_ error: ClientFacingError, inHTTP2: Bool = false, host: ProxyTarget? = nil) {
        settleOutput()
        guard machine.phase != .closed else { return }
        if tunnel?.negotiation != nil, let ended = tunnel.take() { ended.close(.stopped, refused: error.status) }
        failUpload("The request was refused.")
        machine.refused()
        let isHead = inHand?.request.method == .head
        inHand = nil
        let id = worker.nextRequest()
        let response = ProblemEncoder.response(for: error, requestID: id)
        if inHTTP2, case .bytes(let body) = response.body {
            pending.append(HTTP2Refusal.bytes(problem: body, detail: error.detail))
        } else {
            write(response, id: id, toHead: isHead, version10: false, closing: true)
        }
        if worker.settings.accessLog != .off, !isProbe {
            let (status, listener) = (String(error.status), listener.address.description)
            worker.shared.access.info(
                "refused",
                host.map {
                    [
                        "id": id.description, "status": status, "code": error.code, "listener": listener,
                        "host": "\($0.host):\($0.port)", "why": error.detail,
                    ]
                } ?? ["id": id.description, "status": status, "code": error.code, "listener": listener])
        }
    }

    /// Ends the connection now, whatever it is doing.
    /// - Parameter ending: how a response that is being streamed ended.
    func leave(_ ending: StreamEnding = .left) {
        guard machine.phase != .closed else { return }
        if let cancel = inHand?.cancel {
            worker.shared.cells.left.add()
            cancel()
        }
        inHand = nil
        if let ended = tunnel.take() { ended.close(.broken) }
        failUpload("The client left.")
        let mustReset = dropStream(ending)
        if !mustReset, isSecure { closeSecure() }
        if isSecure { secure = nil }
        machine.closed()
        worker.output.clear()
        pending.removeAll()
        stash = .none
        knownBox?.value = nil
        knownBox = nil
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        if mustReset { Syscall.closeWithReset(descriptor) } else { Syscall.close(descriptor) }
        worker.closed(self)
    }

    /// Ends the connection after the response in hand, or now if nothing is in hand.
    func drain() {
        tunnel?.isEnding = true
        if machine.drain(writing: hasOutput) { leave() }
    }

    /// Called when the drain's time is over. A client whose response has not begun gets an error; any other is cut. The
    /// caller limits how long sending the error may take.
    func dismiss() {
        switch machine.phase {
        case .answering where !isProbe, .body where !isProbe:
            inHand?.cancel?()
            // No handler has seen a request whose body is still being read.
            let isRepeatable = machine.phase == .body || inHand?.request.method.isIdempotent == true
            refuse(.drainEnded(mayHaveTakenEffect: !isRepeatable))
            run()
        case .lingering: break
        case .tunnel: endTunnel(.stopped)
        case .closingUnread where hasOutput: break
        default: leave()
        }
    }

    /// Ends the connection, or its upload, if a time limit has passed.
    func expire(at now: MonotonicTime) {
        let limits = worker.settings.limits
        if let tunnel {
            if let ending = tunnel.expired(at: now, worker.settings.tunnels, linger: limits.lingerTimeout) {
                endTunnel(ending)
            }
            return
        }
        if let secure, !secure.isOpen {
            guard now - secure.began >= limits.headTimeout else { return }
            worker.shared.cells.timedOut(.head)
            return leave()
        }
        if hasOutput { return expireWriting(at: now, limits) }
        let wait = machine.wait
        let (since, limit): (MonotonicTime, Duration) =
            switch wait {
            case .nextRequest: (active, limits.idleTimeout)
            case .head: (waitBegan, limits.headTimeout)
            case .body: (active, limits.bodyTimeout)
            case .clientEnd: (waitBegan, limits.lingerTimeout)
            // In this phase the only time limit is for a client that owes bytes of a request body.
            case .handler: (bodyOwed(since: now), limits.bodyTimeout)
            }
        guard now - since >= limit else { return expireSlowUpload(at: now, limits) }
        worker.shared.cells.timedOut(wait == .handler ? .body : wait)
        switch wait {
        case .head: refuse(.headTimedOut)
        case .body: refuse(.bodyTimedOut)
        case .handler: uploadBroke(.bodyTimedOut)
        case .nextRequest, .clientEnd: return leave()
        }
        run()
    }

    /// Closes the connection if the client takes no bytes, or takes them too slowly.
    private func expireWriting(at now: MonotonicTime, _ limits: ServerLimits) {
        outgoing.note(isWanted: true, at: now)
        if now - active >= limits.writeTimeout {
            worker.shared.cells.writeTimeouts.add()
        } else if outgoing.isTooSlow(for: limits.minimumRate) {
            worker.shared.cells.slowReaders.add()
        } else {
            return
        }
        leave()
    }

    /// Ends an upload below the minimum rate. `bodyOwed` has already noted whether its reader wants bytes.
    private func expireSlowUpload(at now: MonotonicTime, _ limits: ServerLimits) {
        let isTooSlow: Bool
        if machine.phase == .body {
            inHand?.pace.note(isWanted: true, at: now)
            isTooSlow = inHand?.pace.isTooSlow(for: limits.minimumRate) ?? false
        } else {
            isTooSlow = upload?.pace.isTooSlow(for: limits.minimumRate) ?? false
        }
        guard isTooSlow else { return }
        worker.shared.cells.slowUploads.add()
        if machine.phase == .body { refuse(.bodyTooSlow) } else { uploadBroke(.bodyTooSlow) }
        run()
    }
}
