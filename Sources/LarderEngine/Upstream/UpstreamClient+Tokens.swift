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
}
