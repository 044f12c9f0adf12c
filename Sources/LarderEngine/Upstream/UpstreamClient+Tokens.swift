// Calls that carry a token which Larder got: that of an account, or one of the provider's own (`TokenClient`). If the
// API refuses the token, it is renewed and the call is sent once more. The second call counts in the budget too.
import LarderCache
import LarderCore
import LarderProviders

extension UpstreamClient {
    /// Sends one call and returns its outcome.
    public func perform(_ call: UpstreamCall) async -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        do throws(UpstreamFailure) {
            if let claim = call.claim { return try await perform(call, for: claim) }
            if let client = call.order.tokenOf { return try await perform(call, withTokenOf: client) }
        } catch {
            return .failure(error)
        }
        return await send(call)
    }

    /// An account's token may also be refused with 403 (Imgur).
    private func perform(
        _ call: UpstreamCall, for claim: AccountClaim
    ) async throws(UpstreamFailure) -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        var call = call
        let pass = try await accounts.authorization(for: call.provider, claim)
        call.order.secretFields = pass.fields
        let first = await send(call)
        guard case .failure(let refusal) = first, refusal.isAccountRefusal else { return first }
        guard let renewed = try await accounts.rejected(pass) else { return .failure(refusal.ofAccount) }
        call.order.secretFields = renewed.fields
        let second = await send(call)
        guard case .failure(let refusal) = second, refusal.isAccountRefusal else { return second }
        return .failure(refusal.ofAccount)
    }

    private func perform(
        _ call: UpstreamCall, withTokenOf client: String
    ) async throws(UpstreamFailure) -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        var call = call
        let pass = try await accounts.token(for: call.provider, of: client)
        call.order.secretFields = pass.fields
        call.isTokenInDoubt = true
        let first = await send(call)
        guard case .failure(let refusal) = first, refusal.response?.status == 401,
            let renewed = await renewed(pass)
        else { return first }
        call.order.secretFields = renewed.fields
        call.isTokenInDoubt = false
        return await send(call)
    }

    /// Another token after a 401. Nil if there is none: then the API's own answer stands.
    @discardableResult
    private func renewed(_ pass: AccountPass) async -> AccountPass? {
        do throws(UpstreamFailure) {
            return try await accounts.rejected(pass)
        } catch {
            return nil
        }
    }

    /// Sends one call and returns with the head of its answer, whatever its status. For pass-through every status is an
    /// answer. After a 401 the call is sent again, unless its body is too long to be remembered. The next call then gets
    /// another token.
    /// - Returns: the answer, and the provider's classification of its head.
    public func open(
        _ call: UpstreamCall, upload: Upload?, stall: Duration?
    ) async -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        guard let client = call.order.tokenOf else { return await opened(call, upload: upload, stall: stall) }
        var call = call
        let pass: AccountPass
        do throws(UpstreamFailure) {
            pass = try await accounts.token(for: call.provider, of: client)
        } catch {
            upload?.reader.abandon()
            return .failure(error)
        }
        call.order.secretFields = pass.fields
        call.isTokenInDoubt = true
        let body = upload.map { RememberingReader($0) }
        let first = await opened(call, upload: body?.remembered, stall: stall)
        guard case .success((let stream, _)) = first, stream.head.status == 401 else { return first }
        // `RedactingUpstream` has collected the body of an error, so the exchange holds no place any more.
        guard let renewed = await renewed(pass), body == nil || body?.whole != nil else { return first }
        stream.cancel()
        if let whole = body?.whole { call.order.body = whole }
        call.order.secretFields = renewed.fields
        call.isTokenInDoubt = false
        return await opened(call, upload: nil, stall: stall)
    }

    /// Counts a call that the caller makes itself, because its connection will change the protocol.
    /// - Parameter connect: makes the connection for the order, which has its token.
    /// - Returns: the connection, the order, and what must hear the answer.
    public func connecting<Connection: Sendable>(
        _ call: UpstreamCall, _ connect: (FetchOrder) async throws(FetchError) -> Connection
    ) async throws(UpstreamFailure) -> (
        connection: Connection, order: FetchOrder, heard: @Sendable (UpstreamResponse?) -> Void
    ) {
        let asker = CallAsker.current
        var call = call
        var pass: AccountPass?
        if let client = call.order.tokenOf {
            let token = try await accounts.token(for: call.provider, of: client)
            call.order.secretFields = token.fields
            pass = token
        }
        let number = try begin(call, for: asker)
        do throws(FetchError) {
            var maySend: Bool? = true
            if let number { maySend = permitAtOnce(number, asker.urgency) }
            if maySend == nil, let number { maySend = await reserve(number, asker.urgency) }
            var refused = FetchError(stage: .cancelled, origin: "", message: "The call must not be made.")
            refused.isUnsent = true
            guard maySend == true else { throw refused }
            let order = order(call, number, for: asker)
            let connection = try await connect(order)
            _ = settle(number)
            return (connection, order, { [call, pass] in self.hear($0, to: call, pass) })
        } catch {
            throw lost(call, error, settle(number))
        }
    }

    /// Takes the answer to a call that the caller made itself.
    private func hear(_ answer: UpstreamResponse?, to call: UpstreamCall, _ pass: AccountPass?) {
        guard let answer else {
            let failure = UpstreamFailure(
                provider: call.provider, failure: .unreachable,
                detail: "\(call.provider) gave no proper answer to a request to change the protocol.")
            count(call, failure)
            _ = failed(call, nil, failure)
            return
        }
        let classification = answer.status == 101 ? .data : call.classify(answer).heedingRetryAfter(of: answer)
        count(call, classification.word)
        _ = answered(call, nil, answer, classification)
        // The next call gets another token.
        if answer.status == 401, let pass { Task { await self.renewed(pass) } }
    }
}
